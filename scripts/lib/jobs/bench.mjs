/** `npm run bench -- NAME`: installs the peers too, then runs bench/NAME/index.ts (bundled first: Node 20 reads no TypeScript) or index.mjs. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { prepare } from '../prepare.mjs'
import { root, runChild, say } from '../workspace.mjs'

const bench = join(root, 'bench')

export async function run([name, ...args]) {
  const source =
    name === undefined ? undefined : ['index.ts', 'index.mjs'].map((file) => join(bench, name, file)).find((file) => existsSync(file))
  if (source === undefined) {
    say(`usage: npm run bench -- NAME, where NAME is one of: ${benchNames().join(', ') || '(none yet)'}`)
    process.exitCode = 2
    return
  }
  if (!(await prepare({ everything: true }))) {
    process.exitCode = 1
    return
  }
  const program = source.endsWith('.ts') ? await bundle(name, source) : source
  const { status } =
    program === undefined
      ? { status: 1 }
      : await runChild(process.execPath, ['--expose-gc', program, ...args], { output: 'inherit', cwd: bench })
  process.exitCode = status
}

function benchNames() {
  return readdirSync(bench).filter((name) => existsSync(join(bench, name, 'index.ts')) || existsSync(join(bench, name, 'index.mjs')))
}

/** Into bench/dist/NAME.js: as deep in the tree as its source, so that paths relative to the file stay true. Packages stay outside. */
async function bundle(name, source) {
  const args = [
    '--config',
    'false',
    '--format',
    'esm',
    '--target',
    'node20.19',
    '--out-dir',
    'dist',
    '--no-splitting',
    '--silent',
    `--entry.${name}`,
    source,
  ]
  const { status, text } = await runChild('tsup', args, { output: 'capture', cwd: bench })
  if (status === 0) return join(bench, 'dist', `${name}.js`)
  process.stderr.write(text)
  return undefined
}
