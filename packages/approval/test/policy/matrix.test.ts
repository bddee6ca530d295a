/**
 * Precedence over layer x verb x specificity x source, in full: every pair of rules that can meet on one call, against a second,
 * independent statement of the rule.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LayerName, POLICY_LAYERS, POLICY_PRESETS, type PolicyVerb, POLICY_VERBS } from '../../src/definition/policy-file.ts'
import type { PolicyCall, RulePolicy } from '../../src/definition/policy.ts'
import { PRESET_TABLE } from '../../src/policy/presets.ts'
import { bashCall, fileCall, type Layers, otherCall, policyOf, verdict } from './support.ts'

interface Subject {
  name: string
  call: PolicyCall
  /** From narrow to wide: each covers all before it. */
  chain: readonly string[]
  /** Matches too, and is not comparable to the middle of the chain. */
  aside: string
  preset: keyof typeof PRESET_TABLE
}

const SUBJECTS: readonly Subject[] = [
  {
    name: 'command',
    call: bashCall(['git push origin']),
    chain: ['bash(git push origin)', 'bash(git push *)', 'bash(git *)', 'Bash', '*'],
    aside: 'bash(git * origin)',
    preset: 'bash-other',
  },
  {
    name: 'path',
    call: fileCall('write', 'src/a/b.ts'),
    chain: ['write(./src/a/b.ts)', 'write(./src/a/*)', 'Edit(./src/a/**)', 'Edit(./src/**)', 'Edit'],
    aside: 'Edit(./**/b.ts)',
    preset: 'write-inside',
  },
  {
    name: 'call',
    call: otherCall('mcp__db__query'),
    chain: ['mcp__db__query', 'mcp__db__q*', 'mcp__db__*', 'mcp__*', '*'],
    aside: 'm*y',
    preset: 'other',
  },
]

interface Rule {
  layer: LayerName
  verb: PolicyVerb
  text: string
}

const rank = (verb: PolicyVerb): number => POLICY_VERBS.indexOf(verb)

/** A-37 said again, by the place of a pattern in its chain alone. */
function expected(
  rules: readonly Rule[],
  subject: Subject,
  source: { untrusted: boolean; preset: (typeof POLICY_PRESETS)[number] },
): PolicyVerb {
  const live = rules.filter((rule) => !(rule.verb === 'allow' && rule.layer === 'project' && source.untrusted))
  const preset = PRESET_TABLE[subject.preset].cells[source.preset]
  if (live.some((rule) => rule.verb === 'deny') || preset === 'deny') return 'deny'
  const width = (rule: Rule): number => subject.chain.indexOf(rule.text)
  const trusted = (rule: Rule): number => -POLICY_LAYERS.indexOf(rule.layer)
  const lifts = (allow: Rule, ask: Rule): boolean => {
    if (allow.verb !== 'allow' || trusted(allow) < trusted(ask)) return false
    if (width(allow) < 0 || width(ask) < 0) return isBetween(allow.text, ask.text, subject)
    return width(allow) < width(ask)
  }
  if (live.some((ask) => ask.verb === 'ask' && !live.some((allow) => lifts(allow, ask)))) return 'ask'
  if (source.preset === 'ask-always') return 'ask'
  return live.some((rule) => rule.verb === 'allow') ? 'allow' : preset
}

/** Whether the one that is aside is narrower (or wider) all the same. */
function isBetween(narrow: string, wide: string, { chain, aside }: Subject): boolean {
  if (narrow === wide) return false
  if (narrow === aside) return chain.indexOf(wide) >= (aside === 'bash(git * origin)' ? 2 : aside === 'm*y' ? 4 : 4)
  return chain.indexOf(narrow) === 0
}

function policyFor(rules: readonly Rule[], parts: { untrusted: boolean; preset: (typeof POLICY_PRESETS)[number] }): RulePolicy {
  const layers: Layers = {}
  for (const { layer, verb, text } of rules) {
    const file = (layers[layer] ??= {})
    ;(file[verb] ??= []).push(text)
  }
  return policyOf(layers, parts)
}

describe('A-37: the matrix', () => {
  for (const subject of SUBJECTS) {
    const texts = [...subject.chain, subject.aside]
    const rules = POLICY_LAYERS.flatMap((layer) => POLICY_VERBS.flatMap((verb) => texts.map((text): Rule => ({ layer, verb, text }))))

    test(`A-37: every single rule on a ${subject.name}, each layer, verb, width, source and preset`, async () => {
      for (const preset of POLICY_PRESETS) {
        for (const untrusted of [false, true]) {
          for (const rule of rules) {
            const got = await verdict(policyFor([rule], { preset, untrusted }), subject.call)
            expect(got, JSON.stringify({ rule, preset, untrusted })).toBe(expected([rule], subject, { preset, untrusted }))
          }
        }
      }
    })

    test(`A-37: every pair of rules on a ${subject.name}, each layer x verb x width twice, trusted and not`, async () => {
      let met = 0
      for (const untrusted of [false, true]) {
        for (const [index, one] of rules.entries()) {
          for (const other of rules.slice(index)) {
            // In one file these are load errors, tested there.
            if (one.layer === other.layer && (one.verb === other.verb || one.verb === 'deny' || other.verb === 'deny')) continue
            if (untrusted && one.layer !== 'project' && other.layer !== 'project') continue
            const source = { preset: 'workspace-write', untrusted } as const
            const got = await verdict(policyFor([one, other], source), subject.call)
            met++
            if (got !== expected([one, other], subject, source)) {
              expect.fail(`${JSON.stringify([one, other])} untrusted=${untrusted}: ${got}, not ${expected([one, other], subject, source)}`)
            }
          }
        }
      }
      expect(met).toBeGreaterThan(2000)
    })
  }

  test('A-37: an ask that is not comparable to an allow stands', async () => {
    const layers = { user: { ask: ['bash(git * origin)'] }, managed: { allow: ['bash(git push *)'] } }
    expect(await verdict(policyOf(layers), bashCall(['git push origin']))).toBe('ask')
  })

  test('A-37: a project allow does not lift a user ask; a user allow lifts a project ask', async () => {
    const call = bashCall(['git push origin'])
    expect(await verdict(policyOf({ user: { ask: ['bash(git *)'] }, project: { allow: ['bash(git push origin)'] } }), call)).toBe('ask')
    expect(await verdict(policyOf({ project: { ask: ['bash(git *)'] }, user: { allow: ['bash(git push origin)'] } }), call)).toBe('allow')
  })

  test('A-37: the call is its strictest unit, and the first such unit gives the reason', async () => {
    const policy = policyOf({ session: { allow: ['bash(git *)'], ask: ['bash(npm *)'], deny: ['bash(rm *)'] } })
    const { decision, by, units } = await policy.judge(bashCall(['git status', 'npm test', 'rm x', 'rm y']))
    expect([decision, by]).toEqual(['deny', 'session:deny[0]'])
    expect(units.map((unit) => unit.decision)).toEqual(['allow', 'ask', 'deny', 'deny'])
  })

  test('A-37: preset of managed, else the option, else session, user, trusted project, else workspace-write', async () => {
    const all: Layers = {
      managed: { preset: 'read-only' },
      user: { preset: 'ask-always' },
      project: { preset: 'full-access' },
      session: { preset: 'workspace-write' },
    }
    expect(policyOf(all, { preset: 'full-access' }).preset).toBe('read-only')
    const { managed: _managed, ...rest } = all
    expect(policyOf(rest, { preset: 'full-access' }).preset).toBe('full-access')
    expect(policyOf(rest).preset).toBe('workspace-write')
    const { session: _session, ...without } = rest
    expect(policyOf(without).preset).toBe('ask-always')
    expect(policyOf({ project: { preset: 'full-access' } }).preset).toBe('full-access')
    expect(policyOf({ project: { preset: 'full-access' } }, { untrusted: true }).preset).toBe('workspace-write')
    expect(policyOf({}).preset).toBe('workspace-write')
  })
})

describe('A-37: adding an ask or deny rule never loosens', () => {
  const texts = SUBJECTS.flatMap((subject) => [...subject.chain, subject.aside]).filter((text, index, all) => all.indexOf(text) === index)
  const anyRule = fc.record({
    layer: fc.constantFrom(...POLICY_LAYERS),
    verb: fc.constantFrom(...POLICY_VERBS),
    text: fc.constantFrom(...texts, 'bash(rm *)', 'Read(./src/**)', 'Edit(/etc/**)'),
  })
  const tightening = anyRule.map((rule) => ({ ...rule, verb: rule.verb === 'allow' ? ('ask' as const) : rule.verb }))
  const anyCall = fc.constantFrom(
    ...SUBJECTS.map((subject) => subject.call),
    bashCall(['git status', 'rm x']),
    bashCall(['$X y']),
    bashCall([]),
    bashCall(['cat src/a'], { verdict: 'read-only', paths: [{ path: '/w/src/a', access: 'read' }] }),
    bashCall([{ argv: ['echo', 'x'], redirects: [{ operator: '>', target: '/etc/x', write: true }] }]),
    fileCall('read', '/etc/passwd'),
    fileCall('write', 'toolseam.policy.json', { protected: true }),
    otherCall('write', {}, { incomplete: true }),
  )

  test('A-37: property over random policies, calls and presets', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRule, { maxLength: 6 }),
        tightening,
        anyCall,
        fc.constantFrom(...POLICY_PRESETS),
        fc.boolean(),
        async (rules, added, call, preset, untrusted) => {
          const [before, after] = [loadable(rules, { preset, untrusted }), loadable([...rules, added], { preset, untrusted })]
          fc.pre(before !== undefined && after !== undefined)
          if (before === undefined || after === undefined) return
          expect(rank((await verdict(after, call)) as PolicyVerb)).toBeGreaterThanOrEqual(rank((await verdict(before, call)) as PolicyVerb))
        },
      ),
      { numRuns: 1500 },
    )
  })

  function loadable(
    rules: readonly Rule[],
    parts: { untrusted: boolean; preset: (typeof POLICY_PRESETS)[number] },
  ): RulePolicy | undefined {
    try {
      return policyFor(rules, parts)
    } catch {
      return undefined
    }
  }
})
