/**
 * Where things are in this repository, and the two small acts that every script shares: running a child and keeping a stamp.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

export const root = dirname(dirname(import.meta.dirname))
export const bin = join(root, 'node_modules', '.bin')

/** Nothing that we start phones home, and turbo hashes the Node version. */
export function childEnvironment(extra = {}) {
  return {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
    DO_NOT_TRACK: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
    TOOLSEAM_NODE_VERSION: process.version,
    ...extra,
  }
}

/** Folders with a manifest: the root, packages/*, examples/*, bench. */
export function manifestFolders() {
  const groups = ['packages', 'examples'].flatMap((group) => {
    const folder = join(root, group)
    return existsSync(folder) ? readdirSync(folder).map((name) => join(group, name)) : []
  })
  return ['', ...groups, 'bench'].filter((folder) => existsSync(join(root, folder, 'package.json'))).toSorted()
}

export function packageFolders() {
  return manifestFolders().filter((folder) => folder.startsWith('packages'))
}

/**
 * Runs a child without standing input. `output`: `stderr` streams both channels there, `inherit` leaves them as they are, `capture`
 * collects them. Resolves to the exit status and what was captured; a child that cannot start has status 127.
 */
export function runChild(command, args, { output = 'stderr', cwd = root, env = childEnvironment() } = {}) {
  const channel = { stderr: 2, inherit: 'inherit', capture: 'pipe' }[output]
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', channel, channel], shell: process.platform === 'win32' })
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    child.on('error', (error) => resolve({ status: 127, text: `${command}: ${error.message}\n` }))
    child.on('close', (status, signal) =>
      resolve({ status: status ?? (signal === 'SIGINT' ? 130 : 1), text: Buffer.concat(chunks).toString() }),
    )
  })
}

export function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Written beside and renamed, so that a reader never meets half a stamp. */
export function writeStamp(file, stamp) {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(stamp)}\n`)
  renameSync(draft, file)
}

export function say(line) {
  process.stderr.write(`toolseam: ${line}\n`)
}
