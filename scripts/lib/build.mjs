/**
 * The build, through turbo, only when an input changed since the last one. The look before asking turbo is more than speed: turbo
 * writes restored files anew, under the feet of whoever runs them at that moment.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolders, readStamp, root, runChild, say, writeStamp } from './workspace.mjs'

const STAMP = join(root, 'node_modules', '.toolseam-build.json')
const SHARED_INPUTS = ['pnpm-lock.yaml', 'tsconfig.base.json', 'tsup.base.ts', 'turbo.json']

export function isBuilt() {
  return readStamp(STAMP)?.key === buildKey() && outputsExist()
}

export async function build() {
  if (isBuilt()) return
  const key = buildKey()
  say('building packages')
  const { status, text } = await runChild('turbo', ['run', 'build', '--filter=./packages/*', '--output-logs=errors-only', '--ui=stream'], {
    output: 'capture',
  })
  if (status !== 0) {
    process.stderr.write(text)
    throw new Error(`the build failed (exit ${status})`)
  }
  writeStamp(STAMP, { key })
}

/** Path, size and time of every input: a touched file costs one question to turbo, which looks at contents. */
function buildKey() {
  const hash = createHash('sha256').update(`${process.version}\n`)
  for (const file of [...SHARED_INPUTS, ...packageFolders().flatMap(buildInputs)]) {
    const path = join(root, file)
    if (!existsSync(path)) continue
    const { size, mtimeMs } = statSync(path)
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

function buildInputs(folder) {
  const sources = join(root, folder, 'src')
  const files = existsSync(sources) ? readdirSync(sources, { recursive: true }).filter((name) => /(?<!\.test)\.[jt]s$/.test(name)) : []
  return [
    ...['package.json', 'tsconfig.json', 'tsconfig.build.json', 'tsup.config.ts'].map((name) => join(folder, name)),
    ...files.toSorted().map((name) => join(folder, 'src', name)),
  ]
}

function outputsExist() {
  return packageFolders().every((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const targets = Object.values(manifest.exports ?? {}).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target),
    )
    return [...targets, ...Object.values(manifest.bin ?? {})].every((target) => existsSync(join(root, folder, target)))
  })
}
