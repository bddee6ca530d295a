/**
 * Dependencies, installed through the pinned pnpm only when the lockfile, a manifest or the Node version changed since the last time.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment, manifestFolders, readStamp, root, runChild, say, writeStamp } from './workspace.mjs'

const STAMP = join(root, 'node_modules', '.toolseam-install.json')
/** The peers of bench/ are large and only a benchmark needs them. */
const WITHOUT_BENCH = ['--filter', '!@toolseam/bench']

/** `everything` installs bench/ too. */
export function isInstalled({ everything = false } = {}) {
  const stamp = readStamp(STAMP)
  return stamp?.key === installKey() && (stamp.everything || !everything)
}

export async function install({ everything = false } = {}) {
  if (isInstalled({ everything })) return
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const keep = readStamp(STAMP)?.everything === true
  const key = installKey()
  say(`installing dependencies with ${packageManager}`)
  const scope = everything || keep ? [] : WITHOUT_BENCH
  const { status } = await runChild('npx', ['--yes', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only', ...scope], {
    env: installEnvironment(),
  })
  if (status !== 0) throw new Error(`the install failed (exit ${status})`)
  writeStamp(STAMP, { key, everything: everything || keep })
}

/** npm tells its children how it was called (`--silent` and the like); that is about this run, not about the install. */
function installEnvironment() {
  const { npm_config_loglevel: _level, npm_config_json: _json, ...env } = childEnvironment()
  return env
}

function installKey() {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}\n`)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifestFolders().map((folder) => join(folder, 'package.json'))]) {
    const path = join(root, file)
    hash.update(`${file}\n`)
    if (existsSync(path)) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}
