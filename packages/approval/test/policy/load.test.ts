/**
 * Loading: what is wrong with a file is told with its place (A-33, A-44), found project files are inert until trusted (A-39), reload keeps the
 * last good policy.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isPolicyError, type PolicyProblem } from '../../src/definition/policy-errors.ts'
import type { PolicyFile, PolicySource } from '../../src/definition/policy-file.ts'
import type { RulePolicy } from '../../src/definition/policy.ts'
import { configFolder } from '../../src/providers/policy-files/config-folder.ts'
import { loadPolicy, type LoadPolicyOptions } from '../../src/providers/policy-files/load.ts'
import { distrustProject, trustProject } from '../../src/providers/policy-files/trust.ts'
import { bashCall, fileCall, otherCall, policyOf, told, verdict } from './support.ts'

let folder: string
let root: string
let configDir: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolseam-policy-'))
  root = join(folder, 'project')
  configDir = join(folder, 'config')
  await mkdir(root)
  await mkdir(configDir)
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const load = (source?: PolicySource, options: Partial<LoadPolicyOptions> = {}): Promise<RulePolicy> =>
  loadPolicy(source, { root, configDir, managedFile: join(folder, 'managed.json'), home: join(folder, 'home'), ...options })

const put = (path: string, content: string | object): Promise<void> =>
  writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2))

async function problems(run: Promise<unknown>): Promise<PolicyProblem[]> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isPolicyError(error)) throw new Error(`no policy error but ${String(error)}`)
  expect(error.code).toBe('POLICY_INVALID')
  return error.details.problems
}

const brief = ({ code, line, pointer, suggestion }: PolicyProblem): string =>
  `${code} ${line} ${pointer}${suggestion === undefined ? '' : ` -> ${suggestion}`}`

describe('A-44: load errors', () => {
  test.each<[string, string, string[]]>([
    ['bad JSON', '{\n  "version": 1,\n  "deny": [\n}', ['POLICY_SYNTAX 4 ']],
    ['an empty file', '', ['POLICY_SYNTAX 1 ']],
    ['a comment', '{\n  // no\n  "version": 1\n}', ['POLICY_SYNTAX 2 ']],
    ['a trailing comma', '{\n  "version": 1,\n}', ['POLICY_SYNTAX 3 ']],
    ['duplicate keys', '{\n  "version": 1,\n  "deny": [],\n  "deny": ["bash"]\n}', ['POLICY_SYNTAX 4 /deny']],
    [
      'duplicate keys deep inside',
      '{"version": 1, "rules": [\n {"id": "a", "tool": "b", "decision": "ask",\n  "id": "c"}]}',
      ['POLICY_SYNTAX 3 /rules/0/id'],
    ],
    ['no object', '[]', ['POLICY_SYNTAX 1 ']],
    ['no version', '{}', ['POLICY_VERSION 1  -> 1']],
    ['another version', '{\n  "version": 2\n}', ['POLICY_VERSION 2 /version -> 1']],
    ['an unknown key', '{\n  "version": 1,\n  "denny": []\n}', ['POLICY_UNKNOWN_KEY 3 /denny -> deny']],
    ['an unknown key far from all', '{"version": 1, "xyzzyxyzzy": []}', ['POLICY_UNKNOWN_KEY 1 /xyzzyxyzzy']],
    [
      'an unknown key of a rule',
      '{"version": 1, "rules": [{"id": "a", "tool": "b",\n"decision": "ask",\n"remmber": "once"}]}',
      ['POLICY_UNKNOWN_KEY 3 /rules/0/remmber -> remember'],
    ],
    ['a wrong type', '{"version": 1,\n"allow": "bash"}', ['POLICY_SYNTAX 2 /allow']],
    ['a wrong item', '{"version": 1,\n"allow": [\n1]}', ['POLICY_SYNTAX 3 /allow/0']],
    ['an unknown preset', '{"version": 1,\n"preset": "readonly"}', ['POLICY_SYNTAX 2 /preset -> read-only']],
    [
      'an unknown verb',
      '{"version": 1, "rules": [{"id": "a", "tool": "b", "decision": "denny"}]}',
      ['POLICY_SYNTAX 1 /rules/0/decision -> deny'],
    ],
    ['missing parts of a rule', '{"version": 1, "rules": [{"tool": "b"}]}', ['POLICY_SYNTAX 1 /rules/0', 'POLICY_SYNTAX 1 /rules/0']],
    [
      'a bad date',
      '{"version": 1, "rules": [{"id": "a", "tool": "b", "decision": "ask", "expires": "soon"}]}',
      ['POLICY_SYNTAX 1 /rules/0/expires'],
    ],
    [
      'a bad pointer',
      '{"version": 1, "rules": [{"id": "a", "tool": "b", "decision": "ask", "args": {"x": 1}}]}',
      ['POLICY_BAD_PATTERN 1 /rules/0/args/x -> /x'],
    ],
    ['a bad pattern', '{"version": 1,\n"deny": [\n"bash(git status && rm *)"]}', ['POLICY_BAD_PATTERN 3 /deny/0']],
    [
      'a bad structured pattern',
      '{"version": 1, "rules": [{"id": "a", "tool": "b b", "decision": "ask"}, {"id": "c", "tool": "bash", "command": "a | b", "path": "//x", "decision": "ask"}]}',
      ['POLICY_BAD_PATTERN 1 /rules/0/tool', 'POLICY_BAD_PATTERN 1 /rules/1/command', 'POLICY_BAD_PATTERN 1 /rules/1/path'],
    ],
    [
      'a duplicate id',
      '{"version": 1, "rules": [{"id": "a", "tool": "b", "decision": "ask"},\n{"id": "a", "tool": "c", "decision": "ask"}]}',
      ['POLICY_DUPLICATE_ID 2 /rules/1/id'],
    ],
    [
      'unreachable by a deny',
      '{"version": 1, "deny": ["bash(git *)"],\n"allow": ["bash(git status)"]}',
      ['POLICY_RULE_UNREACHABLE 2 /allow/0'],
    ],
    [
      'unreachable deny by a wider deny',
      '{"version": 1, "deny": ["bash(git *)",\n"bash(git push *)"]}',
      ['POLICY_RULE_UNREACHABLE 2 /deny/1'],
    ],
    [
      'unreachable by repeating',
      '{"version": 1, "ask": ["bash(git status:*)",\n"bash(git status *)"]}',
      ['POLICY_RULE_UNREACHABLE 2 /ask/1'],
    ],
    ['projectTrust where it has no say', '{"version": 1,\n"projectTrust": "always"}', ['POLICY_UNKNOWN_KEY 2 /projectTrust']],
  ])('A-44: %s', async (_name, text, expected) => {
    await put('project/toolseam.policy.json', text)
    const found = await problems(load())
    expect(found.map(brief)).toEqual(expected)
    expect(found.every(({ file, message }) => file === join(root, 'toolseam.policy.json') && message !== '')).toBe(true)
  })

  test('A-44: all problems of all files at once', async () => {
    await put('managed.json', { version: 1, preset: 'none' })
    await put('config/policy.json', { version: 1, allow: ['bash('], projectTrust: 'sometimes' })
    await put('project/toolseam.policy.json', { version: 3 })
    const found = await problems(load({ session: { version: 1, denny: [] } as PolicyFile }))
    expect(found.map(({ code, file }) => `${code} ${file.replace(folder, '')}`)).toEqual([
      'POLICY_SYNTAX /managed.json',
      'POLICY_SYNTAX /config/policy.json',
      'POLICY_BAD_PATTERN /config/policy.json',
      'POLICY_VERSION /project/toolseam.policy.json',
      'POLICY_UNKNOWN_KEY session policy',
    ])
  })

  test('A-44: an unknown tool is told when the registry is complete, with the nearest name; `later` and our own tools are known', async () => {
    const policy = await load({
      version: 1,
      allow: ['deploi(./x)', 'soon', 'mcp__db', 'mcp__bd', 'bash_output', 'Read', 'any_*'],
      rules: [{ id: 'r', tool: 'depoly', decision: 'ask' }],
      later: ['soon'],
    })
    const check = Promise.resolve().then(() => policy.checkTools(['deploy', 'mcp__db__query']))
    expect((await problems(check)).map(brief)).toEqual([
      'POLICY_UNKNOWN_TOOL 4 /allow/0 -> deploy',
      'POLICY_UNKNOWN_TOOL 7 /allow/3',
      'POLICY_UNKNOWN_TOOL 15 /rules/0/tool -> deploy',
    ])
    policy.checkTools(['deploi', 'mcp__db__query', 'mcp__bd__query', 'depoly'])
  })

  test('A-44: a file that is there and cannot be read is an error, never no rules', async () => {
    await mkdir(join(root, 'toolseam.policy.json'))
    expect((await problems(load()))[0]?.code).toBe('POLICY_SYNTAX')
    await rm(join(root, 'toolseam.policy.json'), { recursive: true })
    expect((await problems(load(join(folder, 'gone.json'))))[0]?.message).toMatch(/no such file/)
  })

  test('A-33: a byte order mark is no error; $schema is allowed', async () => {
    await put('project/toolseam.policy.json', '\uFEFF{"$schema": "x", "version": 1, "deny": ["bash(rm *)"]}')
    expect(await verdict(await load(), bashCall(['rm x']))).toBe('deny')
  })

  test('A-33: a policy is a content, a path, or either by layer; given layers replace the files found', async () => {
    await put('project/toolseam.policy.json', { version: 1, deny: ['one'] })
    await put('given.json', { version: 1, deny: ['two'] })
    const denied = async (source?: PolicySource): Promise<string[]> => {
      const policy = await load(source, { preset: 'full-access' })
      const tools = await Promise.all(
        ['one', 'two'].map(async (tool) => ((await verdict(policy, otherCall(tool))) === 'deny' ? [tool] : [])),
      )
      return tools.flat()
    }
    expect(await denied()).toEqual(['one'])
    expect(await denied(join(folder, 'given.json'))).toEqual(['one', 'two'])
    expect(await denied('{"version": 1, "deny": ["two"]}')).toEqual(['one', 'two'])
    expect(await denied({ version: 1, deny: ['two'] })).toEqual(['one', 'two'])
    expect(await denied({ project: join(folder, 'given.json') })).toEqual(['two'])
  })
})

describe('A-37: layers', () => {
  test('A-37: managed, user and project are found; askExpiresMs of the most trusted layer that says it', async () => {
    await put('managed.json', { version: 1, deny: ['a'] })
    await put('config/policy.json', { version: 1, deny: ['b'], askExpiresMs: 5 })
    await put('project/toolseam.policy.json', { version: 1, deny: ['c'], askExpiresMs: 6 })
    const policy = await load({ version: 1, deny: ['d'] })
    expect(policy.layers.map(({ name, trusted, rules }) => [name, trusted, rules.deny])).toEqual([
      ['managed', true, 1],
      ['user', true, 1],
      ['project', false, 1],
      ['session', true, 1],
    ])
    expect(policy.askExpiresMs).toBe(5)
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((tool) => told(policy, otherCall(tool))))).toEqual([
      'deny by managed:deny[0]',
      'deny by user:deny[0]',
      'deny by project:deny[0]',
      'deny by session:deny[0]',
    ])
  })

  test('A-37: the configuration folder', () => {
    expect(configFolder({ TOOLSEAM_CONFIG_DIR: '/c', XDG_CONFIG_HOME: '/x' })).toBe('/c')
    expect(configFolder({ XDG_CONFIG_HOME: '/x' })).toBe('/x/toolseam')
    expect(configFolder({})).toMatch(/\/\.config\/toolseam$/)
  })

  test('A-36: an expired rule is inert and reported; one that expires later stops then', async () => {
    let now = Date.parse('2030-01-01T00:00:00Z')
    const rules: PolicyFile['rules'] = [
      { id: 'old', tool: 'a', decision: 'deny', expires: '2029-01-01' },
      { id: 'soon', tool: 'b', decision: 'deny', expires: '2030-01-01T00:01:00Z' },
    ]
    const policy = await load({ version: 1, rules }, { preset: 'full-access', now: () => now })
    expect(policy.notices).toEqual(['session policy: expired and inert: session:rule:old'])
    expect(await verdict(policy, otherCall('a'))).toBe('allow')
    expect(await verdict(policy, otherCall('b'))).toBe('deny')
    now += 60_000
    expect(await verdict(policy, otherCall('b'))).toBe('allow')
  })
})

describe('A-39: a cloned folder cannot grant itself anything', () => {
  const file = {
    version: 1,
    preset: 'full-access',
    allow: ['*', 'bash(npm *)'],
    ask: ['Read(./ask)'],
    deny: ['Read(./deny)'],
    rules: [{ id: 'more', tool: 'deploy', decision: 'allow' }],
  }

  test('A-39: allow rules and preset are inert, deny and ask hold, one notice says what is inert', async () => {
    await put('project/toolseam.policy.json', file)
    const policy = await load()
    expect(policy.preset).toBe('workspace-write')
    expect(await verdict(policy, bashCall(['npm test']))).toBe('ask')
    expect(await verdict(policy, otherCall('deploy'))).toBe('ask')
    expect(await told(policy, fileCall('read', join(root, 'deny')))).toBe('deny by project:deny[0]')
    expect(await told(policy, fileCall('read', join(root, 'ask')))).toBe('ask by project:ask[0]')
    expect(policy.notices).toHaveLength(1)
    expect(policy.notices[0]).toMatch(/3 allow rules and the preset full-access inert/)
    expect(policy.layers[0]).toMatchObject({ name: 'project', trusted: false, rules: { allow: 0, ask: 1, deny: 1 } })
    expect(policy.layers[0]?.inert).toContainEqual({ rule: 'project:allow[0]', why: 'untrusted' })
  })

  test('A-39: trust puts it in force, for this root and this content alone', async () => {
    await put('project/toolseam.policy.json', file)
    expect(await trustProject({ root, configDir })).toMatchObject({ file: join(root, 'toolseam.policy.json') })
    expect((await load()).preset).toBe('full-access')
    expect((await stat(join(configDir, 'trust.json'))).mode & 0o777).toBe(0o600)
    // Changed: untrusted again.
    await put('project/toolseam.policy.json', { ...file, allow: ['*'] })
    expect((await load()).preset).toBe('workspace-write')
    // Another root with the same content.
    await mkdir(join(folder, 'other'))
    await put('other/toolseam.policy.json', file)
    expect((await load(undefined, { root: join(folder, 'other') })).preset).toBe('workspace-write')
    await put('project/toolseam.policy.json', file)
    expect((await load()).preset).toBe('full-access')
    await distrustProject({ root, configDir })
    expect((await load()).preset).toBe('workspace-write')
  })

  test('A-39: nothing to trust where there is no file; a damaged trust record trusts nothing', async () => {
    expect(await trustProject({ root, configDir })).toBeUndefined()
    await put('project/toolseam.policy.json', file)
    await trustProject({ root, configDir })
    for (const text of ['{', '[]', '{"version": 2}', '{"version": 1, "roots": {"x": 1}}']) {
      await put('config/trust.json', text)
      expect((await load()).preset).toBe('workspace-write')
    }
  })

  test('A-39: the same root by another way is the same root', async () => {
    await put('project/toolseam.policy.json', file)
    await symlink(root, join(folder, 'link'))
    await trustProject({ root: join(folder, 'link'), configDir })
    expect((await load()).preset).toBe('full-access')
  })

  test('A-39: projectTrust of managed or user overrides, managed first', async () => {
    await put('project/toolseam.policy.json', file)
    await put('config/policy.json', { version: 1, projectTrust: 'always' })
    expect((await load()).preset).toBe('full-access')
    await put('managed.json', { version: 1, projectTrust: 'never' })
    await trustProject({ root, configDir })
    expect((await load()).preset).toBe('workspace-write')
  })

  test('A-39: a policy given in code or by path needs no trust', async () => {
    await put('given.json', file)
    expect((await load({ project: join(folder, 'given.json') })).preset).toBe('full-access')
    expect((await load(join(folder, 'given.json'))).preset).toBe('full-access')
    await put('config/policy.json', { version: 1, projectTrust: 'never' })
    expect((await load({ project: join(folder, 'given.json') })).preset).toBe('full-access')
  })
})

describe('A-44: reload', () => {
  test('A-44: a good file is taken, a bad one keeps the last good policy and says so', async () => {
    await put('config/policy.json', { version: 1, deny: ['a'] })
    const policy = await load(undefined, { preset: 'full-access' })
    await put('config/policy.json', { version: 1, deny: ['b'] })
    await policy.reload()
    expect([await verdict(policy, otherCall('a')), await verdict(policy, otherCall('b'))]).toEqual(['allow', 'deny'])
    await put('config/policy.json', '{ "version": 1, "deny": [')
    expect((await problems(policy.reload()))[0]?.code).toBe('POLICY_SYNTAX')
    expect(await verdict(policy, otherCall('b'))).toBe('deny')
    expect(policy.layers).toHaveLength(1)
    await rm(join(configDir, 'policy.json'))
    await policy.reload()
    expect(await verdict(policy, otherCall('b'))).toBe('allow')
  })

  test('A-39: trust given meanwhile counts at the next reload', async () => {
    await put('project/toolseam.policy.json', { version: 1, preset: 'full-access' })
    const policy = await load()
    await trustProject({ root, configDir })
    await policy.reload()
    expect(policy.preset).toBe('full-access')
  })
})

describe('A-45: examples and tests', () => {
  const bash = { describe: () => Promise.resolve({ title: 'bash', kind: 'execute' as const }), lookup: () => ({}) }
  // Stands for the parser: words at blanks, one command.
  const runtime = {
    ...bash,
    describe: ({ name, arguments: args }: { name: string; arguments: unknown }) => {
      const { command, path } = args as { command?: string; path?: string }
      return Promise.resolve(
        command !== undefined
          ? (bashCall([command]).view ?? { title: name, kind: 'other' as const })
          : (fileCall(name, path ?? '', { resolved: join(root, path ?? '') }).view ?? { title: name, kind: 'other' as const }),
      )
    },
  }

  test('A-45: examples are matched or not by their rule, tests run against the whole stack', async () => {
    await put('managed.json', { version: 1, deny: ['bash(rm *)'] })
    const policy = await load(
      {
        version: 1,
        allow: ['bash(rm x)', 'bash(git *)'],
        rules: [
          {
            id: 'good',
            tool: 'Bash',
            command: 'git *',
            decision: 'ask',
            examples: { match: ['git status', { tool: 'bash', arguments: { command: 'git push' } }], notMatch: ['npm test'] },
          },
          { id: 'bad', tool: 'Read', path: './a/**', decision: 'deny', examples: { match: ['b/c'], notMatch: ['a/b'] } },
        ],
        tests: [
          { call: { tool: 'bash', arguments: { command: 'rm x' } }, decision: 'deny' },
          { call: { tool: 'bash', arguments: { command: 'rm x' } }, decision: 'allow' },
          { call: { tool: 'fetch', view: { title: 'fetch', kind: 'fetch', domains: ['a.example'] } }, decision: 'ask' },
        ],
      },
      { runtime },
    )
    const found = await problems(policy.runTests())
    expect(found.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'POLICY_EXAMPLE_FAILED /rules/1/examples/match/0',
      'POLICY_EXAMPLE_FAILED /rules/1/examples/notMatch/0',
      'POLICY_EXAMPLE_FAILED /tests/1',
    ])
    expect(found[2]?.message).toBe('the call should be allow; it is deny by managed:deny[0]')
  })

  test('A-45: without the facts of a call a test is skipped and counted', async () => {
    const policy = await load({
      version: 1,
      tests: [
        { call: { tool: 'gone' }, decision: 'ask' },
        { call: { tool: 'x', view: { title: 'x', kind: 'other' } }, decision: 'ask' },
      ],
    })
    expect(await policy.runTests()).toEqual({ passed: 1, skipped: 1 })
  })

  test('A-45: explain lists every rule considered, why it did or did not match, and what decided', async () => {
    await put('project/toolseam.policy.json', { version: 1, allow: ['Bash'] })
    const policy = await load({
      user: {
        version: 1,
        ask: ['bash(git *)'],
        rules: [{ id: 'no-prod', tool: 'deploy', args: { '/env': 'prod' }, decision: 'deny', reason: 'not to production' }],
      },
      session: {
        version: 1,
        allow: ['bash(git status)', 'bash(npm *)'],
        rules: [{ id: 'gone', tool: 'x', decision: 'ask', expires: '2020-01-01' }],
      },
    })
    expect((await policy.explain(bashCall(['git status']))).considered).toEqual([
      { rule: 'user:ask[0]', layer: 'user', matched: true, why: 'matches' },
      { rule: 'user:rule:no-prod', layer: 'user', matched: false, why: 'is about other tools' },
      { rule: 'project:allow[0]', layer: 'project', matched: false, why: 'is inert: the project file is not trusted' },
      { rule: 'session:allow[0]', layer: 'session', matched: true, why: 'matches' },
      { rule: 'session:allow[1]', layer: 'session', matched: false, why: 'is about other commands' },
      { rule: 'session:rule:gone', layer: 'session', matched: false, why: 'has expired' },
      { rule: 'preset:workspace-write', layer: 'preset', matched: false, why: 'decides where no rule does (workspace-write)' },
    ])
    const explanation = await policy.explain(otherCall('deploy', { env: 'prod' }))
    expect(explanation).toMatchObject({
      decision: 'deny',
      by: 'user:rule:no-prod',
      reason: 'the call is denied by user:rule:no-prod: not to production',
    })
    expect(await policy.decide(otherCall('deploy', { env: 'prod' }))).toEqual({
      kind: 'deny',
      by: 'user:rule:no-prod',
      reason: 'the call is denied by user:rule:no-prod: not to production',
    })
  })

  test('A-45: explain tells what lifted an ask, and names built-in rules', async () => {
    const policy = await load({ user: { version: 1, ask: ['bash(git *)'], allow: ['bash(git status)'] } })
    const { considered, decision, by } = await policy.explain(bashCall(['git status']))
    expect([decision, by]).toEqual(['allow', 'user:allow[0]'])
    expect(considered[0]?.why).toBe('matches; lifted by user:allow[0], which is narrower and as trusted')
    const own = await policy.explain(bashCall(['toolseam policy trust']))
    expect(own.considered[0]).toMatchObject({ rule: 'builtin:self-approval', layer: 'builtin', matched: true })
  })
})

describe('A-33: where files may not be written', () => {
  test('A-39: trust is not recorded in a folder that cannot be written, and nothing is left behind', async () => {
    if (process.getuid?.() === 0) return
    await put('project/toolseam.policy.json', { version: 1 })
    await chmod(configDir, 0o500)
    await expect(trustProject({ root, configDir })).rejects.toThrow()
    await chmod(configDir, 0o700)
    await expect(readFile(join(configDir, 'trust.json'))).rejects.toThrow()
  })
})

test('A-44: a wrong shape hides no wrong pattern, and a name that was begun is completed', () => {
  const thrown = ((): unknown => {
    try {
      policyOf({ session: { deny: ['bash(rm'], ask: [3], preset: 'full' } as never })
      return undefined
    } catch (error) {
      return error
    }
  })()
  const problems = (thrown as { details: { problems: { pointer: string; code: string; suggestion?: string }[] } }).details.problems
  expect(problems.map(({ pointer, code, suggestion }) => [pointer, code, suggestion])).toEqual(
    expect.arrayContaining([
      ['/preset', 'POLICY_SYNTAX', 'full-access'],
      ['/ask/0', 'POLICY_SYNTAX', undefined],
      ['/deny/0', 'POLICY_BAD_PATTERN', undefined],
    ]),
  )
})
