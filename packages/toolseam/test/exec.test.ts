import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli, temporaryFolder } from './cli.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => (folder = temporaryFolder()))
afterEach(() => folder.remove())

const bash = (command: string): string => JSON.stringify({ command })

/** A plugin of tools that do what the exit statuses are about. */
const toolsPlugin = `
const tool = (name, execute) => ({ name, description: name, input: { type: 'object' }, execute })
export const plugin = {
  name: 'test-tools',
  apply(runtime) {
    runtime.register(tool('fails', () => { throw new Error('it broke') }))
    runtime.register(tool('echo', (input) => input))
    runtime.hooks.preExecute.tap('no-fails', (decision, { arguments: args }) =>
      args && args.forbidden ? { kind: 'deny', by: 'house-rule', reason: 'forbidden here' } : decision)
  },
}
`
const configured = (): string => {
  folder.file('tools.mjs', toolsPlugin)
  return folder.file('my.config.json', JSON.stringify({ plugins: ['./tools.mjs'], preset: 'full-access' }))
}

describe('exec --json', () => {
  test('command: prints exactly one line with the fields of the contract, in their order', async () => {
    folder.file('hello.txt', '')
    const { status, stdout } = await runCli(['exec', 'bash', bash('ls -la'), '--json'], { cwd: folder.path })
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(stdout.endsWith('}\n')).toBe(true)
    const line = JSON.parse(stdout) as Record<string, unknown>
    expect(Object.keys(line)).toEqual(['callId', 'name', 'isError', 'value', 'content', 'durationMs', 'decision'])
    expect(line).toMatchObject({ name: 'bash', isError: false, content: [{ type: 'text' }], durationMs: expect.any(Number) })
    expect(JSON.stringify(line['content'])).toContain('hello.txt')
    expect(line['decision']).toMatchObject({ kind: 'allow', by: expect.any(String) })
    expect(status).toBe(0)
  })

  test('command: an error has error instead of value, and no decision where policy never ran', async () => {
    const { status, stdout } = await runCli(['exec', 'echo', '{not json', '--json', '--config', configured()], { cwd: folder.path })
    const line = JSON.parse(stdout) as Record<string, unknown>
    expect(Object.keys(line)).toEqual(['callId', 'name', 'isError', 'error', 'content', 'durationMs'])
    expect(line['error']).toMatchObject({ code: 'INVALID_TOOL_INPUT' })
    expect(status).toBe(1)
  })
})

describe('exec: exit status', () => {
  test('command: 0 for a result, which alone is on standard output', async () => {
    const { status, stdout, stderr } = await runCli(['exec', 'bash', bash('echo hello')], { cwd: folder.path })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('hello\n')
  })

  test('command: 1 for a tool that failed; the message goes to standard error', async () => {
    const { status, stdout, stderr } = await runCli(['exec', 'fails', '--config', configured()], { cwd: folder.path })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('TOOL_FAILED')
    expect(stderr).toContain('it broke')
  })

  test('command: 3 for a call that policy denied, naming who denied it', async () => {
    const args = ['exec', 'echo', '{"forbidden":true}', '--json', '--config', configured()]
    const { status, stdout } = await runCli(args, { cwd: folder.path })
    const line = JSON.parse(stdout) as { error: unknown; decision: unknown }
    expect(status).toBe(3)
    expect(line.error).toMatchObject({ code: 'TOOL_DENIED' })
    expect(line.decision).toEqual({ kind: 'deny', by: 'house-rule', reason: 'forbidden here' })
  })

  test('command: an unknown tool gets the nearest name', async () => {
    const { status, stderr } = await runCli(['exec', 'bsah', '{}'], { cwd: folder.path })
    expect(status).toBe(1)
    expect(stderr).toContain('UNKNOWN_TOOL')
    expect(stderr).toContain('did you mean bash?')
  })
})

describe('exec: policy', () => {
  const file = (name: string): string => bash(`echo made > ${name}`)
  const made = (name: string): boolean => existsSync(join(folder.path, name))

  test('command: an ask with no terminal and no answerer is a refusal, status 3', async () => {
    const { status, stdout } = await runCli(['exec', 'bash', file('x'), '--json'], { cwd: folder.path })
    expect(status).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'APPROVAL_UNAVAILABLE' },
      decision: { kind: 'ask', by: 'preset:workspace-write' },
    })
    expect(made('x')).toBe(false)
  })

  test('command: --approve once answers it, --approve never refuses it', async () => {
    const never = await runCli(['exec', 'bash', file('x'), '--approve', 'never'], { cwd: folder.path })
    expect({ status: never.status, stdout: never.stdout, made: made('x') }).toEqual({ status: 3, stdout: '', made: false })
    expect(never.stderr).toContain('APPROVAL_REJECTED')
    const once = await runCli(['exec', 'bash', file('x'), '--approve', 'once'], { cwd: folder.path })
    expect({ status: once.status, made: made('x') }).toEqual({ status: 0, made: true })
  })

  test('command: --preset read-only denies what would write, and names the preset', async () => {
    const { status, stdout } = await runCli(['exec', 'bash', file('x'), '--preset', 'read-only', '--approve', 'once', '--json'], {
      cwd: folder.path,
    })
    expect(status).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'TOOL_DENIED' }, decision: { kind: 'deny', by: 'preset:read-only' } })
    expect(made('x')).toBe(false)
  })

  test('command: --preset wins over the configuration', async () => {
    const config = folder.file('open.json', JSON.stringify({ preset: 'full-access' }))
    const open = await runCli(['exec', 'bash', file('x'), '--config', config], { cwd: folder.path })
    const closed = await runCli(['exec', 'bash', file('y'), '--config', config, '--preset', 'read-only'], { cwd: folder.path })
    expect([open.status, made('x'), closed.status, made('y')]).toEqual([0, true, 3, false])
  })

  test('config: its policy holds, as the policy of the session', async () => {
    folder.file('rules.json', JSON.stringify({ version: 1, deny: ['bash(echo *)'] }))
    const config = folder.file('ruled.json', JSON.stringify({ policy: './rules.json' }))
    const { status, stdout } = await runCli(['exec', 'bash', bash('echo hello'), '--json', '--config', config], { cwd: folder.path })
    expect(status).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'TOOL_DENIED' }, decision: { kind: 'deny', by: 'session:deny[0]' } })
  })

  test('config: a policy that is wrong exits 2 and says where', async () => {
    const config = folder.file('ruled.json', JSON.stringify({ policy: { version: 1, dney: [] } }))
    const { status, stdout, stderr } = await runCli(['exec', 'bash', bash('echo hello'), '--config', config], { cwd: folder.path })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('dney')
  })
})

describe('exec: arguments', () => {
  test.each([
    ['of a file', '@arguments.json', ''],
    ['of standard input', '-', '{"from":"here"}'],
    ['given directly', '{"from":"here"}', ''],
  ])('command: JSON %s', async (_title, argument, input) => {
    folder.file('arguments.json', '\ufeff{"from":"here"}')
    const { status, stdout } = await runCli(['exec', 'echo', argument, '--config', configured()], { cwd: folder.path, input })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '{"from":"here"}\n' })
  })

  test('command: none is an empty object', async () => {
    const { stdout } = await runCli(['exec', 'echo', '--config', configured()], { cwd: folder.path })
    expect(stdout).toBe('{}\n')
  })

  test('command: a file that cannot be read is wrong usage', async () => {
    const { status, stdout, stderr } = await runCli(['exec', 'echo', '@missing.json', '--config', configured()], { cwd: folder.path })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('missing.json')
  })

  test('command: input that is not UTF-8 is wrong usage, never mangled', async () => {
    writeFileSync(join(folder.path, 'latin1.json'), Buffer.from([0x22, 0xe9, 0x22]))
    const { status, stdout, stderr } = await runCli(['exec', 'echo', '@latin1.json', '--config', configured()], { cwd: folder.path })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('UTF-8')
  })

  test('command: __proto__ in the arguments is data', async () => {
    const { status, stdout } = await runCli(['exec', 'echo', '{"__proto__":{"polluted":1}}', '--config', configured()], {
      cwd: folder.path,
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '{"__proto__":{"polluted":1}}\n' })
  })

  test('command: arguments nested 10 000 deep are a clear error', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
    const { status, stdout } = await runCli(['exec', 'echo', '-', '--json', '--config', configured()], {
      cwd: folder.path,
      input: `{"a":${deep}}`,
    })
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ isError: true, error: { code: 'INVALID_TOOL_INPUT' } })
  })
})

describe('exec --trace', () => {
  test('command: shows every stage on standard error, in order; standard output is the result alone', async () => {
    const args = ['exec', 'echo', '{"a":1}', '--trace', '--config', configured()]
    const { stdout, stderr } = await runCli(args, { cwd: folder.path })
    expect(stdout).toBe('{"a":1}\n')
    const stages = stderr.split('\n').flatMap((line) => /^\s+[\d.]+ ms {2}(\w+)/.exec(line)?.[1] ?? [])
    expect(stages.filter((stage) => stage !== 'trail')).toEqual(['authorize', 'decided', 'dispatch', 'returned', 'post', 'settled'])
  })

  test('command: a denied call shows who denied it and no dispatch', async () => {
    const { stderr } = await runCli(['exec', 'echo', '{"forbidden":true}', '--trace', '--config', configured()], { cwd: folder.path })
    expect(stderr).toMatch(/decided +deny by (house-rule|no-fails): forbidden here/)
    expect(stderr).not.toContain('dispatch')
    expect(stderr).toMatch(/settled +TOOL_DENIED/)
  })
})

test('command: --root is where the tools work', async () => {
  const other = temporaryFolder()
  other.file('only-here.txt', '')
  try {
    const { stdout } = await runCli(['exec', 'bash', bash('ls'), '--root', other.path], { cwd: folder.path })
    expect(stdout).toContain('only-here.txt')
  } finally {
    other.remove()
  }
})
