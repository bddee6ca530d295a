import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli, temporaryFolder } from './cli.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => (folder = temporaryFolder()))
afterEach(() => folder.remove())

describe('help', () => {
  test.each([[[]], [['demo']], [['exec']], [['policy']], [['policy', 'explain']]])(
    'command: --help of %j is on standard output and exits 0',
    async (verb) => {
      const { status, stdout, stderr } = await runCli([...verb, '--help'])
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      for (const option of ['--root', '--config', '--preset', '--sandbox', '--json']) expect(stdout).toContain(option)
    },
  )

  test('command: --version is the version of the package', async () => {
    expect((await runCli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/)
  })
})

describe('wrong usage', () => {
  test.each([
    [['exce', 'bash'], 'exec'],
    [['policy', 'chekc'], 'check'],
    [['policy', 'import', 'cluade', 'x'], 'claude'],
    [['turn', '--revert', 'tunr'], 'turn'],
    [['tols'], 'tools'],
    [['exec', 'bash', '{}', '--jsn'], '--json'],
    [['exec', 'bash', '{}', '--traec'], '--trace'],
    [['tools', '--mode', 'nativ'], 'native'],
    [['tools', '--sandbox', 'read-olny'], 'read-only'],
    [['tools', '--preset', 'full-acess'], 'full-access'],
    [['exec', 'bash', '--approve', 'onec'], 'once'],
  ])('command: %j exits 2 and names the nearest right word', async (args, nearest) => {
    const { status, stdout, stderr } = await runCli(args, { cwd: folder.path })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(new RegExp(`(?:Did|did) you mean "?${nearest}`))
  })

  test.each([[[]], [['exec']], [['exec', 'bash', '{}', 'more']], [['exec', 'bash', '--root']]])(
    'command: %j exits 2 with a message',
    async (args) => {
      const { status, stdout, stderr } = await runCli(args, { cwd: folder.path })
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).not.toBe('')
    },
  )

  test.each([
    ['missing', 'does not exist'],
    ['file.txt', 'is not a folder'],
  ])('command: a root that %s exits 2', async (root, words) => {
    folder.file('file.txt', '')
    const { status, stderr } = await runCli(['tools', '--root', root], { cwd: folder.path })
    expect(status).toBe(2)
    expect(stderr).toContain(words)
  })
})

describe('tools', () => {
  test('command: shows name, description and parameters of each tool', async () => {
    const { status, stdout } = await runCli(['tools'], { cwd: folder.path })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^bash/m)
    expect(stdout).toMatch(/^ {2}command +string, required/m)
  })

  test('command: --json is one line, the schemas that a model gets', async () => {
    const { stdout } = await runCli(['tools', '--json'], { cwd: folder.path })
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    const schemas = JSON.parse(stdout) as { name: string; input: { type: string } }[]
    expect(schemas.find(({ name }) => name === 'bash')?.input).toMatchObject({
      type: 'object',
      properties: { command: { type: 'string' } },
    })
  })
})

describe('tools --mode', () => {
  test('C-1: in code mode the code entries alone are tools, and the text for programs declares the others', async () => {
    const { status, stdout } = await runCli(['tools', '--mode', 'code'], { cwd: folder.path })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^run_code/m)
    expect(stdout).not.toMatch(/^bash/m)
    expect(stdout).toContain('Direct calls to tools other than `run_code` and `search_tools` fail')
    expect(stdout).toMatch(/^declare const tools: \{/m)
    expect(stdout).toMatch(/^ {2}bash\(input: \{/m)
  })

  test('C-1: natively the code entries are not presented; with both everything is', async () => {
    const names = async (mode: string): Promise<string[]> => {
      const { stdout } = await runCli(['tools', '--json', '--mode', mode], { cwd: folder.path })
      return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)
    }
    expect(await names('native')).not.toContain('run_code')
    expect(await names('both')).toEqual(expect.arrayContaining(['bash', 'run_code', 'search_tools']))
  })
})

describe('options that are answered by nobody', () => {
  test('command: a sandbox that is not to be had is refused, never ignored', async () => {
    const { status, stdout, stderr } = await runCli(['exec', 'bash', '{"command":"echo hello"}', '--sandbox', 'read-only'], {
      cwd: folder.path,
    })
    expect(status).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toContain('SANDBOX')
  })
})

describe('terminal manners', () => {
  test('command: no colour where standard output is no terminal', async () => {
    const { stdout } = await runCli(['tools'], { cwd: folder.path, env: { FORCE_COLOR: '1', TERM: 'xterm-256color' } })
    expect(stdout).not.toContain('\u001b[')
  })
})
