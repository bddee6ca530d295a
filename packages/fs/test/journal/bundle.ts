/**
 * Programs that tests start as processes of their own: built once into one file of plain JavaScript.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsup'
import { afterAll } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'toolseam-programs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Path of the built program of this name in `programs/`. */
export async function bundled(program: string, { minify = false }: { minify?: boolean } = {}): Promise<string> {
  const name = program.replace(/\.ts$/, minify ? '.min' : '')
  await build({
    entry: { [name]: join(import.meta.dirname, 'programs', program) },
    outDir: folder,
    format: 'esm',
    target: 'node20.19',
    platform: 'node',
    bundle: true,
    minify,
    noExternal: [/.*/],
    config: false,
    silent: true,
    splitting: false,
    outExtension: () => ({ js: '.mjs' }),
    tsconfig: join(import.meta.dirname, '../../../../tsconfig.json'),
    banner: { js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);` },
  })
  return join(folder, `${name}.mjs`)
}
