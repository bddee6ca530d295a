import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli, temporaryFolder } from './cli.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => (folder = temporaryFolder()))
afterEach(() => folder.remove())

const policy = (content: object): string => folder.file('toolseam.policy.json', JSON.stringify(content, null, 2))
const run = (...args: string[]): ReturnType<typeof runCli> => runCli(['policy', ...args], { cwd: folder.path })

describe('policy check', () => {
  test('A-44: a valid policy exits 0 and says which files and rules there are', async () => {
    policy({ version: 1, deny: ['bash(rm *)'] })
    const { status, stdout } = await run('check')
    expect(status).toBe(0)
    expect(stdout).toContain('toolseam.policy.json: 1 deny, 0 ask, 0 allow')
  })

  test('A-44: every problem at once, each with code, file, line, pointer and the nearest name; exit 2', async () => {
    const file = policy({ version: 1, dney: [], preset: 'raed-only' })
    const { status, stdout } = await run('check', '--json')
    expect(status).toBe(2)
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    const { ok, problems } = JSON.parse(stdout) as { ok: boolean; problems: { code: string; pointer: string }[] }
    expect(ok).toBe(false)
    expect(problems.find(({ code }) => code === 'POLICY_UNKNOWN_KEY')).toMatchObject({
      file,
      line: 3,
      pointer: '/dney',
      suggestion: 'deny',
    })
    expect(problems.map(({ pointer }) => pointer)).toContain('/preset')
  })

  test('A-44: a tool that is not there is told when the registry is complete, plugins included', async () => {
    folder.file(
      'p.mjs',
      `export const plugin = { name: 'p', apply: (r) => r.register({ name: 'deploy', description: 'd', input: {}, execute: () => 1 }) }`,
    )
    const config = folder.file('c.json', '{ "plugins": ["./p.mjs"] }')
    policy({ version: 1, deny: ['deploy', 'bsh'] })
    const { status, stderr } = await run('check', '--config', config)
    expect(status).toBe(2)
    expect(stderr).toMatch(/POLICY_UNKNOWN_TOOL at \/deny\/1.*did you mean "bash"/)
    expect(stderr).not.toContain('deploy')
  })

  test('A-45: a test that the stack does not pass is a problem', async () => {
    policy({ version: 1, tests: [{ call: { tool: 'bash', arguments: { command: 'ls' } }, decision: 'deny' }] })
    const { status, stderr } = await run('check')
    expect(status).toBe(2)
    expect(stderr).toContain('POLICY_EXAMPLE_FAILED')
  })
})

describe('policy explain', () => {
  test('A-45: names the rule that decides, which is the one that exec names', async () => {
    policy({ version: 1, deny: ['bash(rm *)'] })
    const call = '{"command":"ls && rm -rf build"}'
    const { status, stdout } = await run('explain', 'bash', call, '--json')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'deny', by: 'project:deny[0]' })
    const executed = await runCli(['exec', 'bash', call, '--json'], { cwd: folder.path })
    expect(JSON.parse(executed.stdout)).toMatchObject({ decision: { kind: 'deny', by: 'project:deny[0]' } })
  })

  test('A-45: nothing runs; every rule is told with why it did or did not match', async () => {
    policy({ version: 1, deny: ['bash(rm *)', 'bash(sudo *)'] })
    const { stdout } = await run('explain', 'bash', '{"command":"touch made.txt && rm x"}')
    expect(stdout).toMatch(/^deny by project:deny\[0\]/)
    expect(stdout).toMatch(/\* project:deny\[0\] +matches/)
    expect(stdout).toMatch(/ {2}project:deny\[1\] +is about other commands/)
    expect(existsSync(join(folder.path, 'made.txt'))).toBe(false)
  })

  test.each([
    [['bsah', '{}'], 'did you mean "bash"?'],
    [['bash', '{"comand":1}'], 'do not fit bash'],
    [['bash', '{nope'], 'not JSON'],
  ])('A-45: %j is no call that could be explained: exit 2', async (args, words) => {
    const { status, stdout, stderr } = await run('explain', ...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(words)
  })
})

describe('policy trust', () => {
  const touch = ['exec', 'bash', '{"command":"touch made.txt"}']

  test('A-39: a found allow rule is inert until it is trusted, and again when the file changes', async () => {
    policy({ version: 1, allow: ['bash(touch *)'] })
    expect((await runCli(touch, { cwd: folder.path })).status).toBe(3)
    expect((await run('trust')).status).toBe(0)
    expect((await runCli(touch, { cwd: folder.path })).status).toBe(0)
    policy({ version: 1, allow: ['bash(touch *)', 'bash(rm *)'] })
    expect((await runCli(touch, { cwd: folder.path })).status).toBe(3)
  })

  test('A-10: inside a tool call nothing is decided: exit 3, nothing recorded', async () => {
    policy({ version: 1, allow: ['bash(touch *)'] })
    const refused = await runCli(['policy', 'trust'], { cwd: folder.path, env: { TOOLSEAM_CALL: 'call-1' } })
    expect({ status: refused.status, stdout: refused.stdout }).toEqual({ status: 3, stdout: '' })
    expect(refused.stderr).toContain('TOOLSEAM_CALL')
    expect((await runCli(touch, { cwd: folder.path })).status).toBe(3)
  })

  test('A-39: a file that is missing or not valid is not trusted', async () => {
    expect((await run('trust')).status).toBe(2)
    policy({ version: 1, dney: [] })
    const { status, stderr } = await run('trust')
    expect(status).toBe(2)
    expect(stderr).toContain('POLICY_UNKNOWN_KEY')
  })
})

test('A-47: import claude gives a policy that checks; what has no counterpart is an error and no policy is given', async () => {
  const permissions = { allow: ['Bash(git status)', 'Read(//etc/hosts)'], deny: ['Bash(rm:*)'] }
  const good = await run('import', 'claude', folder.file('good.json', JSON.stringify({ permissions })))
  expect(good.status).toBe(0)
  expect(JSON.parse(good.stdout)).toMatchObject({
    allow: ['bash(git status)', 'Read(/etc/hosts)'].map((rule) => rule.replace('bash', 'Bash')),
  })
  expect(good.stderr).toContain('Read(//etc/hosts)  -> Read(/etc/hosts)')
  folder.file('toolseam.policy.json', good.stdout)
  expect((await run('check')).status).toBe(0)
  const bad = await run('import', 'claude', folder.file('bad.json', '{"permissions":{"deny":["WebFetch"]}}'))
  expect({ status: bad.status, stdout: bad.stdout }).toEqual({ status: 2, stdout: '' })
  expect(bad.stderr).toContain('WebFetch')
})
