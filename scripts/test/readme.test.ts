/**
 * Documentation is code: every `ts` block of the READMEs is type-checked against the built packages and run as a module (`ts no-run`:
 * checked only); of `sh` blocks the commands that start with `npm start` or `toolseam` are run. Needs the build that `npm test` makes.
 */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeBlocks, runnableCommands } from '../lib/code-blocks.mjs'

interface Outcome {
  status: number
  stdout: string
  stderr: string
}

const root = dirname(dirname(import.meta.dirname))
const libraries = ['zod', 'valibot', 'arktype', '@types/node', '@standard-schema/spec', '@lydell/node-pty', 'just-bash']
const blocks = documents().flatMap((file) =>
  codeBlocks(readFileSync(file, 'utf8')).map((block, at) => ({
    ...block,
    file: relative(root, file),
    id: `${relative(root, file).replaceAll(/\W/g, '-')}-${at}`,
  })),
)
const modules = blocks.filter(({ language }) => language === 'ts' || language === 'typescript')
const runnable = modules.filter(({ flags }) => !flags.includes('no-run'))
const commands = blocks
  .filter(({ language }) => ['sh', 'bash', 'console'].includes(language))
  .flatMap(({ file, line, text }) => runnableCommands(text).map((entry) => ({ ...entry, file, line })))

let folder: string
let typeErrors = ''

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolseam-readme-')))
  linkPackages()
  for (const { id, text } of modules) writeFileSync(join(folder, `${id}.ts`), `${text}export {}\n`)
  const compilerOptions = { rootDir: '.', outDir: 'out', types: ['node'], noEmitOnError: false }
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, files: modules.map(({ id }) => `${id}.ts`) }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  // One compiler run checks all blocks and makes the JavaScript that the tests below run.
  if (modules.length > 0) typeErrors = (await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], folder)).stdout
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('readme: the packages are built', () => {
  expect(existsSync(join(root, 'packages/toolseam/dist/cli.js')), 'run `npm test`, or `pnpm build` first').toBe(true)
})

test('readme: every ts block fits the types of the built packages', () => {
  expect(typeErrors).toBe('')
})

test.each(runnable.map((block) => [`${block.file}:${block.line}`, block] as const))(
  'readme: the ts block of %s runs',
  async (_title, { id }) => {
    const work = mkdtempSync(join(folder, 'work-'))
    const { status, stderr } = await run(process.execPath, [join(folder, 'out', `${id}.js`)], work)
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  },
)

test.each(commands.map((entry) => [`${entry.file}:${entry.line} ${entry.command.replaceAll('%', '%%')}`, entry] as const))(
  'readme: the command of %s ends as it says',
  async (_title, { command, status }) => {
    const work = mkdtempSync(join(folder, 'work-'))
    writeFileSync(join(work, 'notes.txt'), 'hello\n')
    const outcome = await run('bash', ['-c', command], command.startsWith('npm') ? root : work)
    expect({ status: outcome.status, stderr: outcome.status === status ? '' : outcome.stderr }).toEqual({ status, stderr: '' })
  },
)

function documents(): string[] {
  const inGroups = ['packages', 'examples'].flatMap((group) =>
    existsSync(join(root, group)) ? readdirSync(join(root, group)).map((name) => join(root, group, name, 'README.md')) : [],
  )
  return [join(root, 'README.md'), ...inGroups].filter((file) => existsSync(file))
}

/** A folder as a user would have it: our packages and a few libraries in node_modules, the command on PATH. */
function linkPackages(): void {
  const link = (name: string, target: string): void => {
    if (!existsSync(target)) return
    const path = join(folder, 'node_modules', name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(realpathSync(target), path)
  }
  for (const name of readdirSync(join(root, 'packages'))) {
    const manifest = join(root, 'packages', name, 'package.json')
    if (existsSync(manifest)) link((JSON.parse(readFileSync(manifest, 'utf8')) as { name: string }).name, dirname(manifest))
  }
  for (const name of libraries) link(name, join(root, 'node_modules', name))
  mkdirSync(join(folder, 'bin'))
  const command = join(folder, 'bin', 'toolseam')
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'packages/toolseam/dist/cli.js')}" "$@"\n`)
  chmodSync(command, 0o755)
}

/** In a session of its own: without a controlling terminal nothing is put to a human, and a hung command is ended with all it started. */
async function run(file: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const { INIT_CWD: _folderOfTheCaller, ...inherited } = process.env
  const env = {
    ...inherited,
    PATH: `${join(folder, 'bin')}${delimiter}${inherited['PATH'] ?? ''}`,
    TOOLSEAM_CONFIG_DIR: join(folder, 'config'),
  }
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const outcome: Outcome = { status: 1, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (outcome.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (outcome.stderr += chunk.toString()))
  const deadline = setTimeout(() => {
    outcome.stderr += 'ended: it took too long'
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, 90_000)
  outcome.status = await new Promise<number>((done) => {
    child.on('error', (error) => {
      outcome.stderr += error.message
      done(127)
    })
    child.on('close', (status) => done(status ?? 1))
  })
  clearTimeout(deadline)
  return outcome
}
