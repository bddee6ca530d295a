/**
 * The local disk provider as plain JavaScript, for tests that need it in a process of its own, which can be killed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const fsPackage = join(import.meta.dirname, '..')

/** Inside the package, so that its dependencies are found. `remove` when done. */
export function buildRooted(): { url: string; remove(): void } {
  const folder = mkdtempSync(join(fsPackage, 'node_modules/.built-'))
  const options = [
    '--module',
    'NodeNext',
    '--target',
    'ES2023',
    '--rewriteRelativeImportExtensions',
    '--noCheck',
    '--ignoreConfig',
    '--types',
    'node',
  ]
  const source = join(fsPackage, 'src/providers/rooted/index.ts')
  const tsc = join(fsPackage, '../../node_modules/.bin/tsc')
  const done = spawnSync(tsc, [...options, '--rootDir', join(fsPackage, 'src'), '--outDir', folder, source], {
    encoding: 'utf8',
    cwd: fsPackage,
  })
  const built = join(folder, 'providers/rooted/index.js')
  if (!existsSync(built)) throw new Error(`the provider could not be built: ${done.stdout}${done.stderr}`)
  return { url: pathToFileURL(built).href, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
