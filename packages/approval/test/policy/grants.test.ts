/**
 * What an approval may be remembered as.
 */
import { describe, expect, test } from 'vitest'
import type { PolicyCall } from '../../src/definition/policy.ts'
import { widestScope } from '../../src/policy/grants.ts'
import { bashCall, fileCall, type Layers, otherCall, policyOf, type PolicyParts } from './support.ts'

async function offer(call: PolicyCall, layers: Layers = {}, parts: PolicyParts = {}): Promise<{ scopes: string[]; rules: string[] }> {
  const policy = policyOf(layers, parts)
  return policy.offerGrants(call, await policy.judge(call))
}

async function refusal(rule: string, call: PolicyCall, layers: Layers = {}): Promise<string | undefined> {
  const policy = policyOf(layers)
  return policy.refuseGrantRule(rule, call, await policy.judge(call))
}

const ALL = ['once', 'session', 'agent', 'project', 'user']

describe('A-25: offers', () => {
  test.each<[string, string[]]>([
    ['git push origin main', ['bash(git push origin main)', 'bash(git push *)']],
    ['npm run build', ['bash(npm run build)', 'bash(npm run build *)']],
    ['npm test', ['bash(npm test)', 'bash(npm test *)']],
    ['git -C x push', ['bash(git -C x push)']],
    ['rm -rf build', ['bash(rm -rf build)']],
    ['rm build', ['bash(rm build)']],
    ['foo', ['bash(foo)']],
    ['foo bar', ['bash(foo bar)', 'bash(foo bar *)']],
    ['./x.sh', ['bash(./x.sh)']],
  ])('A-25: %s', async (command, rules) => {
    expect((await offer(bashCall([command]))).rules).toEqual(rules)
  })

  test('A-25: words with blanks, quotes and stars are offered as they are', async () => {
    const call = bashCall([{ argv: ['git', 'commit', '-m', "it's * done"] }])
    const { rules } = await offer(call)
    expect(rules).toEqual([String.raw`bash(git commit -m 'it'\''s * done')`, 'bash(git commit *)'])
    const policy = policyOf({})
    const unit = (await policy.judge(call)).units[0]
    if (unit === undefined) throw new Error('no unit')
    expect(policy.ruleCovers(rules[0] ?? '', call, unit)).toBe(true)
    const other = bashCall([{ argv: ['git', 'commit', '-m', "it's all done"] }])
    const otherUnit = (await policy.judge(other)).units[0]
    if (otherUnit === undefined) throw new Error('no unit')
    expect(policy.ruleCovers(rules[0] ?? '', other, otherUnit)).toBe(false)
    expect(policy.ruleCovers(rules[1] ?? '', other, otherUnit)).toBe(true)
  })

  test.each([
    'sh x',
    'bash -c x',
    'env x',
    'sudo ls',
    'xargs rm',
    'ssh host ls',
    'find . -delete',
    'make all',
    'npx x',
    'pnpm dlx x',
    'npm exec x',
    'yarn dlx x',
    'python3 x.py',
    'python3.12 x.py',
    'node x.js',
    '/usr/bin/env x',
    'docker run x',
    'timeout 5 ls',
  ])('A-25: a program that runs others is never offered: %s', async (command) => {
    expect((await offer(bashCall([command]))).rules).toEqual([])
    expect(await refusal(`bash(${command})`, bashCall([command]))).toMatch(/runs other programs/)
  })

  test('A-25: paths, domains and other tools', async () => {
    expect((await offer(fileCall('write', '/etc/a/b'))).rules).toEqual(['write(/etc/a/b)', 'write(/etc/a/**)'])
    expect((await offer(fileCall('read', 'src/a'), { session: { ask: ['Read'] } })).rules).toEqual(['read(./src/a)', 'read(./src/**)'])
    expect((await offer(fileCall('write', '/etc/a*'))).rules).toEqual([])
    expect((await offer(otherCall('fetch', {}, { domains: ['a.example'] }))).rules).toEqual(['fetch(domain:a.example)', 'fetch'])
    expect((await offer(otherCall('mcp__db__query'))).rules).toEqual(['mcp__db__query'])
    expect((await offer(otherCall('bash_input'))).rules).toEqual([])
  })

  test('A-25: only a rule that covers every asking part of a compound is offered', async () => {
    expect((await offer(bashCall(['npm run a', 'npm run a x']))).rules).toEqual(['bash(npm run a *)'])
    expect((await offer(bashCall(['npm test', 'git push']))).rules).toEqual([])
    // What does not ask need not be covered.
    expect((await offer(bashCall(['npm test', 'git push']), { session: { allow: ['bash(npm test)'] } })).rules).toEqual([
      'bash(git push)',
      'bash(git push *)',
    ])
  })

  test('A-25: a bare name for bash, a wider rule and a rule for something else are refused; a narrower one is taken', async () => {
    const call = bashCall(['git push origin main'])
    for (const rule of ['bash', 'Bash', '*', 'b*']) expect(await refusal(rule, call), rule).toMatch(/must name a command/)
    for (const rule of ['bash(git *)', 'bash(git push*)', 'bash(git * origin main)']) expect(await refusal(rule, call), rule).toBeDefined()
    for (const rule of ['bash(* push origin main)', 'bash(g* push *)', 'bash(*)'])
      expect(await refusal(rule, call), rule).toMatch(/runs other programs/)
    expect(await refusal('bash(git pull)', call)).toMatch(/does not cover/)
    expect(await refusal('bash(git', call)).toMatch(/cannot be read/)
    for (const rule of ['bash(git push *)', 'bash(git push origin *)', 'bash(git push origin main)'])
      expect(await refusal(rule, call), rule).toBeUndefined()
    expect(await refusal('bash(npm *)', bashCall(['npm test']))).toMatch(/runs other programs/)
    expect(await refusal('*', otherCall('deploy'))).toBeDefined()
    expect(await refusal('deploy', otherCall('deploy'))).toBeUndefined()
  })
})

describe('A-26: what may be remembered', () => {
  const call = bashCall(['git push x'])

  test('A-26: up to user by default, up to session by a managed rule, and as the rule says', async () => {
    const rule = (remember: string) =>
      ({ rules: [{ id: 'r', tool: 'bash', command: 'git *', decision: 'ask', remember }] }) as Layers['user']
    expect((await offer(call)).scopes).toEqual(ALL)
    expect((await offer({ ...call, turnId: 't' })).scopes).toEqual(['once', 'turn', 'session', 'agent', 'project', 'user'])
    expect((await offer(call, { project: { ask: ['bash(git *)'] } })).scopes).toEqual(ALL)
    expect((await offer(call, { managed: { ask: ['bash(git *)'] } })).scopes).toEqual(['once', 'session'])
    expect((await offer(call, { managed: rule('project') ?? {} })).scopes).toEqual(['once', 'session', 'agent', 'project'])
    expect(await offer(call, { user: rule('none') ?? {} })).toEqual({ scopes: ['once'], rules: [] })
    expect((await offer(call, { user: rule('once') ?? {} })).scopes).toEqual(['once'])
    // The narrowest of all asks that stand.
    expect((await offer(call, { user: rule('agent') ?? {}, managed: { ask: ['Bash'] } })).scopes).toEqual(['once', 'session'])
  })

  test('A-26: nothing for ask-always, unparsable commands and protected paths', async () => {
    for (const [asked, parts] of [
      [call, { preset: 'ask-always' }],
      [bashCall([]), {}],
      [fileCall('write', '.git/config'), {}],
    ] as const) {
      expect(await offer(asked, {}, parts)).toEqual({ scopes: ['once'], rules: [] })
    }
  })

  test('A-26: a part that is not certain is remembered by its exact arguments alone', async () => {
    const dynamic = bashCall(['git push $X'])
    expect((await offer(dynamic)).rules).toEqual([])
    const policy = policyOf({})
    const { units } = await policy.judge(dynamic)
    expect(units[0]?.asks[0]).toMatchObject({ exactOnly: true, remember: 'user' })
    if (units[0] !== undefined) expect(policy.ruleCovers('bash(git push *)', dynamic, units[0])).toBe(false)
  })

  test('A-26: half of a compound covered is not covered', async () => {
    const policy = policyOf({})
    const both = bashCall(['git push x', 'npm test'])
    const { units } = await policy.judge(both)
    expect(units.map((unit) => policy.ruleCovers('bash(git push *)', both, unit))).toEqual([true, false])
  })

  test('A-25: a rule covers paths as given and as resolved', async () => {
    const policy = policyOf({})
    const covers = async (path: string, resolved: string): Promise<boolean | undefined> => {
      const asked = fileCall('write', path, { resolved })
      const [unit] = (await policy.judge(asked)).units
      return unit === undefined ? undefined : policy.ruleCovers('write(/etc/a/**)', asked, unit)
    }
    expect(await covers('/etc/a/b', '/etc/a/b')).toBe(true)
    expect(await covers('/etc/a/b', '/etc/shadow')).toBe(false)
    expect(await covers('/w/link', '/etc/a/b')).toBe(false)
  })

  test('A-26: the widest scope of several asks', () => {
    expect(widestScope([])).toBe('user')
    expect(
      widestScope([
        { by: 'a', remember: 'agent' },
        { by: 'b', remember: 'turn' },
      ]),
    ).toBe('turn')
    expect(
      widestScope([
        { by: 'a', remember: 'agent' },
        { by: 'b', remember: 'none' },
      ]),
    ).toBeUndefined()
  })
})
