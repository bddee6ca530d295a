import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { POLICY_PRESETS } from '../../src/definition/policy-file.ts'
import type { PolicyCall, ToolFacts } from '../../src/definition/policy.ts'
import { renderPresetTable } from '../../src/policy/render-presets.ts'
import { PRESET_TABLE, type PresetRowId } from '../../src/policy/presets.ts'
import { bashCall, fileCall, otherCall, policyOf, told, verdict } from './support.ts'

interface Case {
  row: PresetRowId
  call: PolicyCall
  facts?: ToolFacts
}

const trustedSource = { server: 's', tool: 't', trusted: true }
const untrustedSource = { server: 's', tool: 't' }

const inside = '/w/src/a.ts'
const outside = '/etc/hosts'

const CASES: readonly Case[] = [
  ...['read', 'list', 'glob', 'grep'].flatMap((tool): Case[] => [
    { row: 'read-inside', call: fileCall(tool, inside) },
    { row: 'read-inside', call: fileCall(tool, '.toolseam/output/x.log') },
    { row: 'read-outside', call: fileCall(tool, outside) },
    { row: 'read-outside', call: fileCall(tool, '/wider/x') },
    { row: 'read-outside', call: fileCall(tool, 'link', { resolved: outside }) },
    { row: 'state', call: fileCall(tool, '.toolseam/approvals/x') },
    { row: 'state', call: fileCall(tool, 'link', { resolved: '/w/.toolseam/key' }) },
    { row: 'state', call: fileCall(tool, '.toolseam/output/../approvals/x', { resolved: '/w/.toolseam/approvals/x' }) },
  ]),
  ...['write', 'edit', 'patch', 'move', 'delete'].flatMap((tool): Case[] => [
    { row: 'write-inside', call: fileCall(tool, inside) },
    { row: 'write-outside', call: fileCall(tool, outside) },
    { row: 'write-outside', call: otherCall(tool, {}, { kind: 'edit' }) },
    { row: 'state', call: fileCall(tool, '.toolseam/output/x.log') },
    { row: 'state', call: fileCall(tool, '.toolseam') },
    { row: 'protected', call: fileCall(tool, '.git/config') },
    { row: 'protected', call: fileCall(tool, 'sub/.git/hooks/pre-commit') },
    { row: 'protected', call: fileCall(tool, 'toolseam.policy.json') },
    { row: 'protected', call: fileCall(tool, 'whatever', { protected: true }) },
  ]),
  { row: 'bash-reads-inside', call: bashCall(['git status'], { verdict: 'read-only' }) },
  { row: 'bash-reads-inside', call: bashCall(['cat a'], { verdict: 'read-only', paths: [{ path: inside, access: 'read' }] }) },
  { row: 'bash-reads-outside', call: bashCall(['cat a'], { verdict: 'read-only', paths: [{ path: outside, access: 'read' }] }) },
  { row: 'bash-reads-outside', call: bashCall(['cat $X'], { verdict: 'read-only' }) },
  { row: 'bash-reads-outside', call: bashCall(['ls'], { verdict: 'read-only', cwd: '/etc' }) },
  { row: 'bash-other', call: bashCall(['rm a'], { verdict: 'mutating' }) },
  { row: 'bash-other', call: bashCall(['foo'], { verdict: 'unknown' }) },
  { row: 'bash-other', call: bashCall([], { verdict: 'unknown' }) },
  { row: 'bash-other', call: otherCall('bash', { command: '(' }, { kind: 'execute', incomplete: true }) },
  { row: 'bash-other', call: otherCall('bash_input', { job: 'j', text: 'x' }) },
  { row: 'job', call: otherCall('bash_output', { job: 'j' }) },
  { row: 'job', call: otherCall('bash_kill', { job: 'j' }) },
  { row: 'program', call: otherCall('run_code', { code: '1' }) },
  { row: 'program', call: otherCall('search_tools', { query: 'x' }) },
  { row: 'reader-closed', call: otherCall('t'), facts: { annotations: { readOnlyHint: true } } },
  {
    row: 'reader-closed',
    call: otherCall('t'),
    facts: { annotations: { readOnlyHint: true, openWorldHint: false }, source: trustedSource },
  },
  { row: 'reader-open', call: otherCall('t'), facts: { annotations: { readOnlyHint: true, openWorldHint: true } } },
  { row: 'reader-open', call: otherCall('t'), facts: { annotations: { readOnlyHint: true }, source: trustedSource } },
  { row: 'other', call: otherCall('t'), facts: {} },
  { row: 'other', call: otherCall('t'), facts: { annotations: { readOnlyHint: false } } },
  { row: 'other', call: otherCall('t'), facts: { annotations: { readOnlyHint: true, openWorldHint: false }, source: untrustedSource } },
  // The name of one of our tools, from somewhere else: its own words about itself are all there is.
  { row: 'other', call: fileCall('read', inside), facts: { source: untrustedSource } },
]

describe('section 7: each cell', () => {
  for (const preset of POLICY_PRESETS) {
    for (const [id, { cells }] of Object.entries(PRESET_TABLE)) {
      test(`section 7: ${id} under ${preset} is ${cells[preset]}`, async () => {
        const cases = CASES.filter(({ row }) => row === id)
        expect(cases.length).toBeGreaterThan(0)
        for (const { call, facts = {} } of cases) {
          const policy = policyOf({}, { preset, tools: { [call.tool]: facts } })
          expect(await verdict(policy, call), `${call.tool} ${JSON.stringify(call.view)}`).toBe(cells[preset])
        }
      })
    }
  }

  test('section 7: docs/presets.md is the table of the code', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/presets.md'), 'utf8')
    expect(page).toContain(renderPresetTable())
  })
})

describe('A-48', () => {
  test('A-48: an unknown tool has no trusted annotations', async () => {
    const policy = policyOf({}, { runtime: { describe: () => Promise.reject(new Error('unused')), lookup: () => undefined } })
    expect(await verdict(policy, otherCall('gone'))).toBe('ask')
  })

  test('A-48: untrusted annotations may tighten by a rule, never loosen', async () => {
    const tools = { t: { annotations: { readOnlyHint: true, destructiveHint: true }, source: untrustedSource } }
    const rule = (decision: 'allow' | 'deny', annotations: object) => ({
      session: { rules: [{ id: 'r', tool: '*', decision, annotations }] },
    })
    expect(await verdict(policyOf(rule('allow', { readOnlyHint: true }), { tools }), otherCall('t'))).toBe('ask')
    expect(await verdict(policyOf(rule('deny', { destructiveHint: true }), { tools, preset: 'full-access' }), otherCall('t'))).toBe('deny')
    const trusted = { t: { ...tools.t, source: trustedSource } }
    expect(await verdict(policyOf(rule('allow', { readOnlyHint: true }), { tools: trusted }), otherCall('t'))).toBe('allow')
  })

  test('A-48: deny and ask rules hold in full-access', async () => {
    const policy = policyOf({ session: { deny: ['bash(rm *)'], ask: ['Edit(./x)'] } }, { preset: 'full-access' })
    expect(await told(policy, bashCall(['rm a']))).toBe('deny by session:deny[0]')
    expect(await told(policy, fileCall('write', 'x'))).toBe('ask by session:ask[0]')
    expect(await told(policy, fileCall('write', 'y'))).toBe('allow by preset:full-access')
  })

  test('A-48: ask-always offers no grants and no allow rule lifts its asks', async () => {
    const policy = policyOf({ managed: { allow: ['*', 'Read'] } }, { preset: 'ask-always' })
    const judgement = await policy.judge(fileCall('read', inside))
    expect(judgement.decision).toBe('ask')
    expect(judgement.units[0]?.asks).toMatchObject([{ by: 'preset:ask-always', remember: 'none' }])
    expect(policy.offerGrants(fileCall('read', inside), judgement)).toEqual({ scopes: ['once'], rules: [] })
  })

  test('A-37: a preset deny is final, whatever is allowed', async () => {
    const policy = policyOf({ managed: { allow: ['*', 'Edit', 'bash(npm test)'] } }, { preset: 'read-only' })
    expect(await told(policy, fileCall('write', inside))).toBe('deny by preset:read-only')
    expect(await told(policy, bashCall(['npm test']))).toBe('deny by preset:read-only')
  })
})

describe('A-43: protected paths', () => {
  test('A-43: .toolseam is denied in every preset and layer, its output excepted for reading', async () => {
    for (const preset of POLICY_PRESETS) {
      const policy = policyOf({ managed: { allow: ['*', 'Read(./.toolseam/**)', 'Edit(./.toolseam/**)'] } }, { preset })
      expect(await told(policy, fileCall('read', '.toolseam/approvals/a'))).toBe('deny by builtin:state-folder')
      expect(await told(policy, fileCall('write', '.toolseam/output/a'))).toBe('deny by builtin:state-folder')
      expect(await verdict(policy, fileCall('read', '.toolseam/output/a'))).toBe(preset === 'ask-always' ? 'ask' : 'allow')
    }
  })

  test('A-43: a command does not write there either', async () => {
    const policy = policyOf({}, { preset: 'full-access' })
    const redirect = bashCall([{ argv: ['echo', 'x'], redirects: [{ operator: '>', target: '.toolseam/approvals/x', write: true }] }])
    expect(await told(policy, redirect)).toBe('deny by builtin:state-folder')
    expect(await verdict(policy, bashCall(['cat x'], { paths: [{ path: '/w/.toolseam/output/x', access: 'read' }] }))).toBe('allow')
  })

  test('A-43: in workspace-write writing a protected path asks whatever project and session allow; managed and user may', async () => {
    const call = fileCall('write', '.git/config')
    for (const layer of ['project', 'session'] as const)
      expect(await verdict(policyOf({ [layer]: { allow: ['Edit(./.git/config)'] } }), call), layer).toBe('ask')
    for (const layer of ['managed', 'user'] as const)
      expect(await verdict(policyOf({ [layer]: { allow: ['Edit(./.git/config)'] } }), call), layer).toBe('allow')
    const { units } = await policyOf({}).judge(call)
    expect(units[0]?.asks[0]?.remember).toBe('none')
  })

  test('A-43: also where a command writes it', async () => {
    const policy = policyOf({ session: { allow: ['bash(tee *)', 'bash(echo *)'] } })
    expect(
      await verdict(policy, bashCall(['tee .git/config'], { paths: [{ path: '/w/.git/config', access: 'write', protected: true }] })),
    ).toBe('ask')
    expect(
      await verdict(policy, bashCall([{ argv: ['echo', 'x'], redirects: [{ operator: '>', target: '.git/hooks/x', write: true }] }])),
    ).toBe('ask')
    expect(await verdict(policy, bashCall([{ argv: ['echo', 'x'], redirects: [{ operator: '>', target: 'notes', write: true }] }]))).toBe(
      'allow',
    )
  })
})
