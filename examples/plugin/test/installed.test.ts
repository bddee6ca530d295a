/**
 * The plugin as its user has it: installed by name in a folder outside the repository, beside its own physical copy of core-tools, and
 * named in a configuration file.
 */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const command = join(root, 'packages/toolseam/dist/cli.js')
let folder: string
let config: string

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolseam-plugin-')))
  install(join(root, 'examples/plugin'))
  config = join(folder, 'my.config.json')
  writeFileSync(config, JSON.stringify({ plugins: [['toolseam-plugin-word-count', { language: 'en' }]] }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('plugin example: it is at most 20 lines without its comments', () => {
  const source = readFileSync(join(root, 'examples/plugin/index.js'), 'utf8')
  const lines = source.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\/?\*)/.test(line))
  expect(lines.length).toBeLessThanOrEqual(20)
})

test('plugin example: core-tools is a second physical copy', () => {
  const copy = realpathSync(join(folder, 'node_modules/@toolseam/core-tools/dist/index.js'))
  expect(copy.startsWith(folder)).toBe(true)
  expect(existsSync(copy)).toBe(true)
})

test('plugin example: its tool stands beside the built-in ones', async () => {
  const { stdout } = await toolseam(['tools', '--json', '--config', config])
  const names = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)
  expect(names).toContain('bash')
  expect(names).toContain('word_count')
})

test('plugin example: its tool runs through the pipeline', async () => {
  const { stdout } = await toolseam(['exec', 'word_count', '{"text":"guarded by design"}', '--json', '--config', config])
  expect(JSON.parse(stdout)).toMatchObject({ name: 'word_count', isError: false, value: 3, decision: { kind: 'allow' } })
})

test('plugin example: its input is validated and its errors keep their code', async () => {
  const failed = await toolseam(['exec', 'word_count', '{"txt":1}', '--json', '--config', config]).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 1 })
  expect(JSON.parse((failed as { stdout: string }).stdout)).toMatchObject({ isError: true, error: { code: 'INVALID_TOOL_INPUT' } })
})

async function toolseam(args: readonly string[]): Promise<{ stdout: string }> {
  const child = promisify(execFile)(process.execPath, [command, ...args], {
    cwd: folder,
    env: { ...process.env, TOOLSEAM_CONFIG_DIR: join(folder, 'config') },
  })
  child.child.stdin?.end()
  return child
}

/** Copies a package and, flat, all it depends on: what a registry install would put there, without a registry. */
function install(source: string, done = new Set<string>()): void {
  const {
    name,
    dependencies = {},
    files,
  } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    name: string
    dependencies?: Record<string, string>
    files?: string[]
  }
  if (done.has(name)) return
  done.add(name)
  const wanted = (path: string): boolean => !/[\\/](?:node_modules|src|test)$/.test(path) || files === undefined
  cpSync(source, join(folder, 'node_modules', name), {
    recursive: true,
    dereference: true,
    filter: (path) => path === source || (wanted(path) && !path.endsWith('node_modules')),
  })
  for (const dependency of Object.keys(dependencies)) install(locate(dependency, source), done)
}

/** As Node does: upward through node_modules, from where the package really lies. */
function locate(name: string, from: string): string {
  for (let at = realpathSync(from); at !== dirname(at); at = dirname(at)) {
    const candidate = join(at, 'node_modules', name)
    if (existsSync(candidate)) return realpathSync(candidate)
  }
  throw new Error(`${name} is not installed for ${from}`)
}
