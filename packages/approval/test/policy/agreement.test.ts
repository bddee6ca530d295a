/**
 * What `explain` says is what happens: random calls through a whole runtime, and random policies against every rule looked at one by one.
 */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { classify } from '@toolseam/shell'
import { type CallView, createToolRuntime, defineTool, type ToolCallRecord, type ToolRuntime } from '@toolseam/core-tools'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { POLICY_LAYERS, POLICY_PRESETS, POLICY_VERBS, type PolicySource, type PolicyVerb } from '../../src/definition/policy-file.ts'
import { approval, Policy } from '../../src/index.ts'
import { bashCall, fileCall, type Layers, otherCall, policyOf } from './support.ts'

let folder: string
let root: string
const before = process.env['TOOLSEAM_CONFIG_DIR']

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'toolseam-agree-')))
  root = join(folder, 'root')
  await mkdir(join(root, 'src'), { recursive: true })
  process.env['TOOLSEAM_CONFIG_DIR'] = join(folder, 'config')
})

afterAll(async () => {
  if (before === undefined) delete process.env['TOOLSEAM_CONFIG_DIR']
  else process.env['TOOLSEAM_CONFIG_DIR'] = before
  await rm(folder, { recursive: true, force: true })
})

const SOURCES: readonly PolicySource[] = [
  {},
  {
    user: {
      version: 1,
      ask: ['bash(git *)', 'Read(./src/**)'],
      deny: ['Edit(./locked/**)'],
      rules: [{ id: 'no-prod', tool: 'deploy', args: { '/path': 'prod' }, decision: 'deny' }],
    },
    session: {
      version: 1,
      allow: ['bash(git status)', 'bash(npm *)', 'Edit(../out/**)', 'deploy'],
      deny: ['bash(rm *)'],
      ask: ['write(./src/a)'],
    },
  },
  { managed: { version: 1, preset: 'read-only' }, session: { version: 1, allow: ['bash(git push *)', '*'] } },
  {
    session: { version: 1, preset: 'full-access', deny: ['bash(curl *)', 'Read(./.env)'], ask: ['Bash'] },
    user: { version: 1, allow: ['bash(ls *)'] },
  },
  { session: { version: 1, preset: 'ask-always', deny: ['deploy'] } },
]

const COMMANDS = [
  'git status',
  'git push origin',
  'rm x',
  'npm test',
  'ls src',
  'cat .env',
  'cat /etc/hosts',
  'curl a.example',
  '$X y',
  'ls "',
  '',
  'git status && rm x',
  'echo x > out',
  'echo x > /etc/y',
  'sudo rm x',
  'cd .. && ls',
  'toolseam policy trust',
]
const PATHS = [
  'src/a',
  'src/b',
  'locked/x',
  '.env',
  '../out/x',
  '/etc/hosts',
  '.toolseam/x',
  '.toolseam/output/x',
  '.git/config',
  'prod',
  'toolseam.policy.json',
]

/** Tools that say what a real one would say of the same arguments, and do nothing. */
async function runtimeFor(source: PolicySource): Promise<{ runtime: ToolRuntime; records: ToolCallRecord[] }> {
  const runtime = await createToolRuntime({
    plugins: [approval({ root, policy: source, store: { kind: 'memory' }, secret: 'a secret for tests' })],
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  })
  const input = { type: 'object', properties: { path: { type: 'string' }, command: { type: 'string' } } } as const
  for (const name of ['read', 'write', 'delete', 'deploy', 'bash', 'bash_input']) {
    const describeCall = ({ path, command }: { path?: string; command?: string }): CallView => {
      if (name === 'bash') {
        const effects = classify(command ?? '', { cwd: root })
        return { title: name, kind: 'execute', cwd: root, effects, paths: effects.paths }
      }
      if (name === 'deploy' || path === undefined) return { title: name, kind: 'other' }
      return {
        title: name,
        kind: name === 'read' ? 'read' : name === 'delete' ? 'delete' : 'edit',
        paths: [{ path, access: name === 'read' ? 'read' : 'write' }],
      }
    }
    runtime.register(
      defineTool<{ path?: string; command?: string }, string>({ name, description: name, input, describeCall, execute: () => 'ran' }),
    )
  }
  const records: ToolCallRecord[] = []
  runtime.hooks.result.tap('records', (_execution, _result, record) => void records.push(record))
  return { runtime, records }
}

describe('A-45: explain and execute', () => {
  test('A-45: agree on 1,000 random calls: decision, deciding rule, and that a denied body never runs', async () => {
    let calls = 0
    const kinds = new Set<string>()
    for (const source of SOURCES) {
      const { runtime, records } = await runtimeFor(source)
      const policy = runtime.services.require(Policy)
      const call = fc.oneof(
        fc.record({ name: fc.constant('bash'), arguments: fc.record({ command: fc.constantFrom(...COMMANDS) }) }),
        fc.record({
          name: fc.constantFrom('read', 'write', 'delete', 'deploy', 'bash_input'),
          arguments: fc.record({ path: fc.constantFrom(...PATHS) }),
        }),
      )
      for (const { name, arguments: args } of fc.sample(call, { numRuns: 220, seed: 7 })) {
        const explanation = await policy.explain({ tool: name, arguments: args })
        const result = await runtime.execute({ callId: `c${calls++}`, name, arguments: args })
        const record = records[records.length - 1]
        const what = JSON.stringify({ name, args, explanation })
        expect(record?.decision?.kind, what).toBe(explanation.decision)
        expect(record?.decision?.by, what).toBe(explanation.by)
        expect(record?.bodyStarted, what).toBe(explanation.decision === 'allow')
        kinds.add(explanation.decision)
        if (!result.isError) continue
        expect(result.error.code, what).toBe(explanation.decision === 'deny' ? 'TOOL_DENIED' : 'APPROVAL_UNAVAILABLE')
        if (explanation.decision === 'deny') expect(result.error.details, what).toMatchObject({ by: explanation.by })
      }
      await runtime.dispose()
    }
    expect(calls).toBeGreaterThanOrEqual(1000)
    expect([...kinds].toSorted()).toEqual(['allow', 'ask', 'deny'])
  }, 120_000)
})

describe('A-45: the rules looked at one by one', () => {
  const text = fc.constantFrom(
    'bash(git *)',
    'bash(git push *)',
    'bash(* origin)',
    'bash(/bin/git *)',
    'bash(rm *)',
    'Bash',
    '*',
    'Edit(./src/**)',
    'Edit(/w/src/a/b)',
    'Edit(./**/b)',
    'Edit(/**)',
    'write',
    'Read(./src/**)',
    'bash(./src/**)',
    'm*',
    'mcp__db',
    'mcp__db__query',
    'fetch(domain:a.example)',
  )
  const rule = fc.record({ layer: fc.constantFrom(...POLICY_LAYERS), verb: fc.constantFrom(...POLICY_VERBS), text })
  const call = fc.constantFrom(
    bashCall(['git push origin']),
    bashCall(['/bin/git push']),
    bashCall(['git $X']),
    bashCall(['git', 'rm x']),
    bashCall(['nice git push', { argv: ['git', 'push'], wrappedBy: ['nice'] }]),
    bashCall(['cat src/a'], { verdict: 'read-only', paths: [{ path: '/w/src/a', access: 'read' }] }),
    bashCall(['tee src/a'], { paths: [{ path: '/w/src/a', access: 'write' }] }),
    fileCall('write', 'src/a/b'),
    fileCall('delete', 'src'),
    fileCall('write', 'link', { resolved: '/w/src/a/b' }),
    fileCall('read', 'src/a'),
    otherCall('mcp__db__query'),
    otherCall('fetch', {}, { domains: ['a.example'] }),
  )

  test('A-37: no rule is missed by the index: a deny that matches decides, and nothing that matches is absent (property)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 8 }), call, fc.constantFrom(...POLICY_PRESETS), async (rules, given, preset) => {
        const layers: Layers = {}
        for (const { layer, verb, text: each } of rules) {
          const file = (layers[layer] ??= {})
          const list = (file[verb] ??= [])
          if (!list.includes(each)) list.push(each)
        }
        const policy = fcTry(() => policyOf(layers, { preset }))
        fc.pre(policy !== undefined)
        if (policy === undefined) return
        const { decision, by, considered, units } = await policy.explain(given)
        const verbOf = (label: string): PolicyVerb => POLICY_VERBS.find((verb) => label.includes(`:${verb}[`)) ?? 'allow'
        const matched = considered.filter((entry) => entry.matched && POLICY_LAYERS.includes(entry.layer as never))
        if (matched.some((entry) => verbOf(entry.rule) === 'deny' && entry.why === 'matches')) expect(decision).toBe('deny')
        const standing = new Set(units.flatMap((unit) => unit.asks.map((ask) => ask.by)))
        if (decision !== 'deny') {
          for (const entry of matched)
            if (verbOf(entry.rule) === 'ask' && entry.why === 'matches') expect(standing.has(entry.rule), entry.rule).toBe(true)
        }
        // And the other way round: whatever decides was considered and matched.
        if (POLICY_LAYERS.some((layer) => by.startsWith(`${layer}:`))) expect(matched.map((entry) => entry.rule)).toContain(by)
        expect((await policy.judge(given)).decision).toBe(decision)
      }),
      { numRuns: 1500 },
    )
  })

  function fcTry<Value>(run: () => Value): Value | undefined {
    try {
      return run()
    } catch {
      return undefined
    }
  }
})
