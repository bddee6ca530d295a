import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coversCommand, matchCommand, parseCommandPattern, quoteCommand } from '../../src/policy/command-pattern.ts'
import { matchPath, parsePathPattern, reachesBelow } from '../../src/policy/path-pattern.ts'
import { parseRuleText } from '../../src/policy/pattern-text.ts'
import { coversWildcard, matchWildcard, parseWildcard } from '../../src/policy/wildcard.ts'
import { coversRule, isStrictlyNarrower } from '../../src/policy/cover.ts'
import { compileText, type CompiledRule } from '../../src/policy/rule.ts'
import { bashCall, fileCall, HOME, otherCall, policyOf, ROOT, verdict } from './support.ts'

function matches(spec: string, argv: (string | null)[], byBaseName = true): boolean {
  const parsed = parseCommandPattern(spec)
  if (!parsed.ok) throw new Error(parsed.problem)
  return matchCommand(parsed.pattern, argv, { byBaseName })
}

function path(spec: string): (candidate: string) => boolean {
  const parsed = parsePathPattern(spec, { base: ROOT, home: HOME, fold: (text) => text })
  if (!parsed.ok) throw new Error(parsed.problem)
  return (candidate) => matchPath(parsed.pattern, candidate)
}

function rule(verb: 'allow' | 'ask' | 'deny', text: string): CompiledRule {
  const compiled = compileText(text, { verb, index: 0, context: { layer: 'project', base: ROOT, home: HOME, fold: (form) => form } })
  if (Array.isArray(compiled)) throw new Error(compiled[0]?.message)
  return compiled
}

describe('A-34: NAME and NAME(SPEC)', () => {
  test('A-34: a tool name, a glob of one, all of a server, a family', async () => {
    const tools = { mcp__db__read: { source: { server: 'db', tool: 'read' } }, odd: { source: { server: 'db', tool: 'odd' } } }
    const denied = async (text: string, tool: string): Promise<boolean> =>
      (await verdict(policyOf({ session: { deny: [text] } }, { preset: 'full-access', tools }), otherCall(tool))) === 'deny'
    expect(await denied('fetch', 'fetch')).toBe(true)
    expect(await denied('fetch', 'fetch_all')).toBe(false)
    expect(await denied('mcp__db__*', 'mcp__db__read')).toBe(true)
    expect(await denied('*', 'anything')).toBe(true)
    expect(await denied('mcp__db', 'mcp__db__read')).toBe(true)
    expect(await denied('mcp__db', 'mcp__db2__read')).toBe(false)
    // By the importer's own name of the server, whatever the tool is called here.
    expect(await denied('mcp__db', 'odd')).toBe(true)
  })

  test.each([
    ['Read', ['read', 'glob', 'grep', 'list'], ['write', 'bash']],
    ['Edit', ['write', 'edit', 'patch', 'move', 'delete'], ['read', 'bash']],
    ['Bash', ['bash'], ['bash_output', 'read']],
  ])('A-34: the family %s is %j and not %j', async (family, within, without) => {
    const policy = policyOf({ session: { deny: [family] } }, { preset: 'full-access' })
    const call = (tool: string) => (tool === 'bash' ? bashCall(['ls']) : fileCall(tool, 'a'))
    for (const tool of within) expect(await verdict(policy, call(tool)), tool).toBe('deny')
    for (const tool of without) expect(await verdict(policy, call(tool)), tool).toBe('allow')
  })

  test('A-34: SPEC follows the facts of the call: command, path or domain', async () => {
    const policy = policyOf(
      { session: { deny: ['mcp__x__*(./a)', 'mcp__x__*(rm *)', 'mcp__x__*(domain:*.evil.example)'] } },
      { preset: 'full-access' },
    )
    const x = 'mcp__x__do'
    expect(await verdict(policy, otherCall(x, {}, { paths: [{ path: 'a', access: 'read' }] }))).toBe('deny')
    expect(await verdict(policy, otherCall(x, {}, { paths: [{ path: 'b', access: 'read' }] }))).toBe('allow')
    const effects = bashCall(['rm x']).view?.effects
    expect(await verdict(policy, otherCall(x, {}, effects === undefined ? {} : { effects }))).toBe('deny')
    expect(await verdict(policy, otherCall(x, {}, { domains: ['good.example', 'Www.Evil.Example.'] }))).toBe('deny')
    expect(await verdict(policy, otherCall(x, {}, { domains: ['good.example'] }))).toBe('allow')
  })

  test('A-34: an allow by domain must hold for every domain of the call', async () => {
    const policy = policyOf({ session: { allow: ['fetch(domain:good.example)'] } })
    expect(await verdict(policy, otherCall('fetch', {}, { domains: ['good.example'] }))).toBe('allow')
    expect(await verdict(policy, otherCall('fetch', {}, { domains: ['good.example', 'evil.example'] }))).toBe('ask')
    expect(await verdict(policy, otherCall('fetch', {}, { domains: [] }))).toBe('ask')
  })

  test.each(['', 'bash(', 'bash(ls) x', 'ba sh', 'bash()', 'a'.repeat(65), 'bash(a\0b)', 'bash(\uE000)'])('A-34: %j is no rule', (text) => {
    expect(parseRuleText(text).ok).toBe(false)
  })
})

describe('A-35: command SPEC', () => {
  test.each<[string, (string | null)[], boolean]>([
    ['git status', ['git', 'status'], true],
    ['git status', ['git', 'status', '-s'], false],
    ['git status', ['git'], false],
    ['git status *', ['git', 'status'], true],
    ['git status *', ['git', 'status', '-s', 'x'], true],
    ['git status:*', ['git', 'status', '-s'], true],
    ['git status:*', ['git', 'statusx'], false],
    ['git *', ['git', 'push', null], true],
    ['git * main', ['git', 'push', 'main'], true],
    ['git * main', ['git', 'push', 'origin', 'main'], false],
    ['rm -*f*', ['rm', '-rf'], true],
    ['rm -*f*', ['rm', 'f'], false],
    ['*', ['anything', 'at', 'all'], true],
    ['npm run test*', ['npm', 'run', 'test:unit'], true],
    ['npm run test*', ['npm', 'run', 'test', 'x'], false],
    ["git commit -m 'two words'", ['git', 'commit', '-m', 'two words'], true],
    ['git commit -m "two words"', ['git', 'commit', '-m', 'two words'], true],
    [String.raw`echo two\ words`, ['echo', 'two words'], true],
    [String.raw`echo \*`, ['echo', '*'], true],
    [String.raw`echo \*`, ['echo', 'x'], false],
    ["echo '*'", ['echo', 'x'], false],
    ["echo '' x", ['echo', '', 'x'], true],
    ['git push', ['git', null], false],
  ])('A-35: %j against %j is %s', (spec, argv, expected) => {
    expect(matches(spec, argv)).toBe(expected)
  })

  test.each(['git status && rm x', 'a | b', 'a; b', 'a > b', '$(x)', 'a `b`', 'x & y', '"open', String.raw`x\ `.trim()])(
    'A-35: %j is not one simple command',
    (spec) => {
      expect(parseCommandPattern(spec).ok).toBe(false)
    },
  )

  test('A-41: the program matches by base name for deny, as written for allow', () => {
    expect(matches('rm *', ['/bin/rm', 'x'], true)).toBe(true)
    expect(matches('rm *', ['/bin/rm', 'x'], false)).toBe(false)
    expect(matches('/bin/rm *', ['/bin/rm', 'x'], false)).toBe(true)
  })

  test('A-25: a quoted argv matches itself and nothing else (property)', () => {
    const words = fc.array(
      fc.string({ unit: 'grapheme', minLength: 0, maxLength: 8 }).filter((text) => !/[\uE000\uE001\0]/.test(text)),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(words, words, (argv, other) => {
        const spec = quoteCommand(argv)
        expect(matches(spec, argv, false)).toBe(true)
        if (JSON.stringify(argv) !== JSON.stringify(other)) expect(matches(spec, other, false)).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
})

describe('A-35: path SPEC', () => {
  test.each<[string, string, boolean]>([
    ['./x', '/w/x', true],
    ['x', '/w/x', true],
    ['/x', '/x', true],
    ['/x', '/w/x', false],
    ['~/x', '/home/u/x', true],
    ['~/.ssh/**', '/home/u/.ssh/id', true],
    ['./src/*', '/w/src/a', true],
    ['./src/*', '/w/src/a/b', false],
    ['./src/*.ts', '/w/src/a.ts', true],
    ['./src/*.ts', '/w/src/a.js', false],
    ['./src/**', '/w/src/a/b/c', true],
    ['./src/**', '/w/src', true],
    ['./src/**', '/w/srcx/a', false],
    ['./src/**/*.ts', '/w/src/a.ts', true],
    ['./src/**/*.ts', '/w/src/a/b.ts', true],
    ['**/.env', '/w/a/b/.env', true],
    ['**/.env', '/w/.env', true],
    ['/**', '/etc/passwd', true],
    ['/**', '/', true],
    ['../x', '/x', true],
    ['./a/../b', '/w/b', true],
    ['./a/**/b/**/c', '/w/a/b/x/b/c', true],
    ['./a/**/b/**/c', '/w/a/c', false],
  ])('A-35: %j against %j is %s', (spec, candidate, expected) => {
    expect(path(spec)(candidate)).toBe(expected)
  })

  test.each(['', '//x', '*/../x'])('A-35: %j is no path pattern', (spec) => {
    expect(parsePathPattern(spec, { base: ROOT, home: HOME, fold: (text) => text }).ok).toBe(false)
  })

  test('A-42: what a pattern could match below a folder', () => {
    const parsed = parsePathPattern('./a/*/secret', { base: ROOT, fold: (text) => text })
    if (!parsed.ok) throw new Error(parsed.problem)
    expect(reachesBelow(parsed.pattern, '/w/a')).toBe(true)
    expect(reachesBelow(parsed.pattern, '/w/a/b')).toBe(true)
    expect(reachesBelow(parsed.pattern, '/w/b')).toBe(false)
    expect(reachesBelow(parsed.pattern, '/w/a/b/secret/x')).toBe(false)
  })
})

describe('A-38: narrower is coverage, not counting', () => {
  test.each<[string, string, 'narrower' | 'equal' | 'no']>([
    ['bash(git status)', 'bash(git *)', 'narrower'],
    ['bash(git *)', 'bash', 'narrower'],
    ['bash(git status)', 'Bash', 'narrower'],
    ['bash(git status)', '*', 'narrower'],
    ['bash(git status)', 'bash(git status)', 'equal'],
    ['bash(git status:*)', 'bash(git status *)', 'equal'],
    ['bash(git status *)', 'bash(git status)', 'no'],
    ['bash(git s*)', 'bash(git st*)', 'no'],
    ['bash(git st*)', 'bash(git s*)', 'narrower'],
    ['bash(git * main)', 'bash(git push *)', 'no'],
    ['bash(npm test)', 'bash(git *)', 'no'],
    ['bash(a*b)', 'bash(a*)', 'narrower'],
    ['bash(*a)', 'bash(a*)', 'no'],
    ['Read(./src/a)', 'Read(./src/**)', 'narrower'],
    ['Read(./src/*)', 'Read(./src/**)', 'narrower'],
    ['Read(./src/**)', 'Read(./src/*)', 'no'],
    ['Read(./src/**/b)', 'Read(./src/**)', 'narrower'],
    ['Read(./**)', 'Read(/w/**)', 'equal'],
    ['read(./src/a)', 'Read(./src/**)', 'narrower'],
    ['Read(./src/a)', 'read(./src/**)', 'no'],
    ['Read(./a)', 'Edit(./**)', 'no'],
    ['mcp__db__query', 'mcp__db', 'narrower'],
    ['mcp__db__*', 'mcp__db', 'narrower'],
    ['mcp__db__q*', 'mcp__db__*', 'narrower'],
    ['fetch(domain:a.example)', 'fetch(domain:*.example)', 'narrower'],
    ['fetch(domain:a.example)', 'fetch', 'narrower'],
    ['fetch', 'fetch(domain:a.example)', 'no'],
  ])('A-38: %j against %j: %s', (narrow, wide, expected) => {
    const [one, other] = [rule('allow', narrow), rule('ask', wide)]
    expect(isStrictlyNarrower(one, other)).toBe(expected === 'narrower')
    expect(coversRule(other, one)).toBe(expected !== 'no')
  })

  test('A-38: further conditions of the wider rule must be among those of the narrower one', async () => {
    const ask = { id: 'ask', tool: 'db', decision: 'ask', args: { '/table': 'users' } } as const
    const call = otherCall('db', { table: 'users', mode: 'read' })
    const decide = (allow: object): Promise<string> =>
      verdict(policyOf({ project: { rules: [ask, { id: 'allow', tool: 'db', decision: 'allow', ...allow }] } }), call)
    expect(await decide({ args: { '/table': 'users', '/mode': 'read' } })).toBe('allow')
    expect(await decide({ args: { '/mode': 'read' } })).toBe('ask')
    expect(await decide({ args: { '/table': 'users' } })).toBe('ask')
  })

  test('A-38: a covering command pattern matches all that the covered one does (property)', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 4 })
    const spec = fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([words, rest]) => words.join(' ') + (rest ? ' *' : ''))
    const argv = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(spec, spec, argv, (one, other, words) => {
        const [wide, narrow] = [parseCommandPattern(one), parseCommandPattern(other)]
        if (!wide.ok || !narrow.ok || !coversCommand(wide.pattern, narrow.pattern, { byBaseName: false })) return
        if (matchCommand(narrow.pattern, words, { byBaseName: false }))
          expect(matchCommand(wide.pattern, words, { byBaseName: false })).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('A-38: a wildcard agrees with its meaning as a regular expression (property)', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 })
    const subject = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 })
    fc.assert(
      fc.property(text, subject, text, (pattern, word, narrow) => {
        const meaning = new RegExp(`^${pattern.replaceAll(/\*+/g, '.*')}$`)
        expect(matchWildcard(parseWildcard(pattern), word)).toBe(meaning.test(word))
        if (coversWildcard(parseWildcard(pattern), parseWildcard(narrow)) && matchWildcard(parseWildcard(narrow), word))
          expect(meaning.test(word)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('A-38: a covering path pattern matches all that the covered one does (property)', () => {
    const segment = fc.constantFrom('a', 'b', '*', '**', 'a*')
    const spec = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`)
    const candidate = fc.array(fc.constantFrom('a', 'b', 'ab'), { maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
    fc.assert(
      fc.property(spec, spec, candidate, (wide, narrow, text) => {
        if (coversRule(rule('ask', `Read(${wide})`), rule('allow', `Read(${narrow})`)) && path(narrow)(text))
          expect(path(wide)(text)).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })
})
