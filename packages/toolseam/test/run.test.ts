import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli, temporaryFolder } from './cli.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => (folder = temporaryFolder()))
afterEach(() => folder.remove())

const run = (program: string, ...options: string[]): ReturnType<typeof runCli> =>
  runCli(['run', '-', ...options], { cwd: folder.path, input: program })

test.each(['native', 'code', 'both'])('C-1: a program runs in mode %s and gives back what it returns', async (mode) => {
  folder.file('a.txt', 'alpha\n')
  const program = `const { text } = await tools.read({ path: 'a.txt' })\nconsole.log('read')\nreturn { text }`
  const { status, stdout } = await run(program, '--mode', mode, '--json')
  expect(status).toBe(0)
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  expect(JSON.parse(stdout)).toMatchObject({
    name: 'run_code',
    isError: false,
    value: { value: { text: expect.stringContaining('alpha') }, logs: { text: 'read' } },
  })
})

test('C-4: a call that policy denies is refused inside, and the program may go on; --trace shows it below its root', async () => {
  folder.file('toolseam.policy.json', JSON.stringify({ version: 1, deny: ['bash(rm *)'] }))
  const program = `try { await tools.bash({ command: 'rm a.txt' }) } catch (error) { return error.code }`
  const { status, stdout, stderr } = await run(folder.file('p.ts', program) && program, '--trace')
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'TOOL_DENIED\n' })
  expect(stderr).toMatch(/decided +run-\w+:code:1 deny by project:deny\[0\]/)
  expect(stderr).toMatch(/settled +run-\w+:code:1 TOOL_DENIED/)
})

test('C-4: a call that asks is refused without a terminal, and runs when the ask is answered', async () => {
  const program = `await tools.bash({ command: 'touch made.txt' })`
  const refused = await run(program)
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain('CODE_TOOL_ERROR')
  expect(existsSync(join(folder.path, 'made.txt'))).toBe(false)
  expect((await run(program, '--approve', 'once')).status).toBe(0)
  expect(existsSync(join(folder.path, 'made.txt'))).toBe(true)
})

test('C-13: --limits holds', async () => {
  const { status, stderr } = await run('while (true) {}', '--limits', '{"busyMs":200}')
  expect(status).toBe(1)
  expect(stderr).toContain('CODE_TIMEOUT')
})

test.each([
  ['{"busyMS":1}', '"busyMS" is not a limit'],
  ['[1]', 'JSON object'],
  ['{', 'not JSON'],
])('command: --limits %s exits 2', async (limits, words) => {
  const { status, stdout, stderr } = await run('return 1', '--limits', limits)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(words)
})

test('command: a program greps, reads, edits three files of a repository, runs its tests through bash, and undo takes all of it back', async () => {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...args], { cwd: folder.path, encoding: 'utf8' })
  git('init', '-q')
  mkdirSync(join(folder.path, 'src'))
  for (const name of ['a', 'b', 'c']) folder.file(`src/${name}.mjs`, `export const ${name} = () => 'oldName'\n`)
  folder.file(
    'test.mjs',
    `import { a } from './src/a.mjs'\nimport { b } from './src/b.mjs'\nimport { c } from './src/c.mjs'\n` +
      `if ([a(), b(), c()].some((name) => name !== 'newName')) { console.log('not renamed'); process.exit(1) }\nconsole.log('3 passed')\n`,
  )
  writeFileSync(join(folder.path, '.gitignore'), '.toolseam\nprogram.ts\n')
  git('add', '-A')
  git('commit', '-qm', 'start')
  const program = folder.file(
    'program.ts',
    `
const before = await tools.bash({ command: 'node test.mjs' })
const { hits } = await tools.grep({ pattern: 'oldName', path: 'src' })
const paths: string[] = [...new Set(hits.map((hit) => hit.path))].sort()
await Promise.all(paths.map((path) => tools.read({ path })))
for (const path of paths) await tools.edit({ path, old: "'oldName'", new: "'newName'" })
const after = await tools.bash({ command: 'node test.mjs' })
return { before: before.exitCode, after: after.exitCode, output: after.output, paths }
`,
  )
  const { status, stdout, stderr } = await runCli(['run', program, '--json', '--approve', 'once'], { cwd: folder.path })
  expect(status, stderr + stdout).toBe(0)
  const call = JSON.parse(stdout) as { callId: string; value: { value: object } }
  const paths = ['src/a.mjs', 'src/b.mjs', 'src/c.mjs']
  expect(call.value.value).toEqual({ before: 1, after: 0, output: '3 passed\n', paths })
  expect(git('status', '--porcelain').trimEnd().split('\n')).toEqual(paths.map((path) => ` M ${path}`))
  expect(readFileSync(join(folder.path, 'src/a.mjs'), 'utf8')).toContain('newName')

  const undone = await runCli(['undo', call.callId], { cwd: folder.path })
  expect(undone.status, undone.stderr).toBe(0)
  expect(git('status', '--porcelain')).toBe('')
})
