/**
 * Who is asked: subagents and nested calls, batches, and routes that a deny must close.
 */
import { describe, expect, test } from 'vitest'
import { defineTool, deniedSurface, TOOL_RUNTIME_SCHEDULER, type ToolDefinition } from '@toolseam/core-tools'
import type { Answer, Answerer, AskView, Decision, PolicyFile } from '../../src/index.ts'
import { callback, scripted, store } from '../../src/index.ts'
import { codeOf, gate, human, no, rig, until, yes } from '../support.ts'

const parent: ToolDefinition = defineTool<{ text?: string }, string>({
  name: 'parent',
  description: 'Calls demo.',
  input: { type: 'object' },
  annotations: { readOnlyHint: true },
  execute: async (input, context) => {
    const result = await context.call('demo', { text: input.text ?? 'nested' })
    return result.isError ? result.error.code : 'nested ran'
  },
}) as ToolDefinition

describe('A-13: subagents', () => {
  const named = (id: string, agent?: string, passes = false) => {
    const asked: string[] = []
    const answerer = callback((ask) => (asked.push(ask.call.agent ?? 'none'), passes ? undefined : yes), {
      id,
      ...(agent === undefined ? {} : { agent }),
    })
    return { asked, answerer }
  }

  test('A-13: the nearest ancestor that has answerers is asked; one without an agent serves all', async () => {
    const all = named('all')
    const lead = named('lead', 'lead')
    const r = await rig({ answerers: [all.answerer, lead.answerer] })
    r.runtime.scope('lead')
    r.runtime.scope('worker', { extends: 'lead' })
    r.runtime.scope('stranger')
    for (const agent of ['lead', 'worker', 'stranger']) await r.call(`c-${agent}`, {}, { agent })
    expect(lead.asked).toEqual(['lead', 'worker'])
    expect(all.asked).toEqual(['stranger'])
  })

  test('A-13: an ancestor that passes leaves the ask to those that serve all; never to a sibling', async () => {
    const all = named('all')
    const sibling = named('sibling', 'sibling')
    const r = await rig({ answerers: [named('lead', 'lead', true).answerer, sibling.answerer, all.answerer] })
    r.runtime.scope('lead')
    r.runtime.scope('sibling', { extends: 'lead' })
    r.runtime.scope('worker', { extends: 'lead' })
    await r.call('c1', {}, { agent: 'worker' })
    expect([all.asked, sibling.asked]).toEqual([['worker'], []])
  })

  test('A-13: addAnswerer is tried before those already there, until it is disposed', async () => {
    const r = await rig({ answerers: [scripted([no('old')])] })
    const added = r.approval.addAnswerer(scripted([yes]))
    expect(codeOf(await r.call('c1'))).toBe('ok')
    added()
    added()
    expect(codeOf(await r.call('c2'))).toBe('APPROVAL_REJECTED')
  })

  test('A-13: the ask shows the chain of agents and calls, root first', async () => {
    const shown: AskView[] = []
    const r = await rig({ answerers: [callback((ask) => (shown.push(ask), yes), { id: 'host' })], tools: [parent] })
    r.runtime.scope('lead')
    r.runtime.scope('worker', { extends: 'lead' })
    const result = await r.runtime.execute({ callId: 'p1', name: 'parent', arguments: {}, agent: 'worker' })
    expect(result).toMatchObject({ value: 'nested ran' })
    expect(shown[0]?.call).toMatchObject({
      callId: 'p1:1',
      rootCallId: 'p1',
      agent: 'worker',
      agents: ['lead', 'worker'],
      parents: [{ callId: 'p1', tool: 'parent' }],
      caller: 'program',
    })
  })

  test.each([
    ['one for all', 'refuse'],
    ['for the agent', { worker: 'refuse' }],
    ['for an ancestor', { lead: 'refuse' }],
  ] as const)('A-13: asks refused %s: SURFACE_DENIED, no record, nobody asked', async (_, asks) => {
    const r = await rig({ answerers: [callback(() => expect.fail('asked'), { id: 'host' })], asks })
    r.runtime.scope('lead')
    r.runtime.scope('worker', { extends: 'lead' })
    expect(codeOf(await r.call('c1', {}, { agent: 'worker' }))).toBe('SURFACE_DENIED')
    expect(await r.approval.list()).toEqual([])
  })

  test('A-13: the nearest agent that is named wins', async () => {
    const r = await rig({ answerers: [scripted([yes])], asks: { lead: 'refuse', worker: 'forward' } })
    r.runtime.scope('lead')
    r.runtime.scope('worker', { extends: 'lead' })
    expect(codeOf(await r.call('c1', {}, { agent: 'worker' }))).toBe('ok')
    expect(codeOf(await r.call('c2', {}, { agent: 'lead' }))).toBe('SURFACE_DENIED')
  })

  test('A-13: under a denied surface an ask is forwarded; with nobody to forward to: SURFACE_DENIED, no record', async () => {
    const prepare = async (r: Awaited<ReturnType<typeof rig>>): Promise<string> => {
      const staged = r.runtime[TOOL_RUNTIME_SCHEDULER]
      const prepared = await staged.prepare({ callId: 'c1', name: 'demo', arguments: {} }, { surface: deniedSurface('subagent_execution') })
      if (prepared.kind === 'dispatch') {
        await staged.finish(prepared, { aborted: { code: 'TOOL_ABORTED_BEFORE_DISPATCH', reason: 'test' } })
        return 'ok'
      }
      const result = prepared.kind === 'post-result' ? await staged.finalize(prepared) : await staged.finish(prepared)
      return codeOf(result)
    }
    expect(await prepare(await rig({ answerers: [scripted([yes])] }))).toBe('ok')
    const nobody = await rig()
    expect(await prepare(nobody)).toBe('SURFACE_DENIED')
    expect(await nobody.approval.list()).toEqual([])
  })

  test('A-14: a nested call that asks parks its program, which goes on with the answer', async () => {
    const answered = gate<Decision>()
    const r = await rig({ answerers: [callback(async () => answered.promise, { id: 'host' })], tools: [parent] })
    const call = r.runtime.execute({ callId: 'p1', name: 'parent', arguments: {} })
    await until(async () => (await r.approval.list({ state: 'pending' })).length === 1)
    answered.open(yes)
    expect(await call).toMatchObject({ value: 'nested ran' })
  })

  test('A-14: with nobody there the nested call fails by name', async () => {
    const r = await rig({ tools: [parent] })
    expect(await r.runtime.execute({ callId: 'p1', name: 'parent', arguments: {} })).toMatchObject({ value: 'APPROVAL_UNAVAILABLE' })
  })
})

describe('A-9: batches', () => {
  const batching = (decide: (ask: AskView) => Decision | undefined): Answerer & { batches: string[][] } => {
    const batches: string[][] = []
    const sign = (decision: Decision): Answer => ({ ...decision, by: human })
    return {
      name: 'batching',
      interactive: true,
      batches,
      async answer(ask) {
        batches.push([ask.call.callId])
        const decision = decide(ask)
        return decision === undefined ? undefined : sign(decision)
      },
      async answerBatch(asks) {
        batches.push(asks.map((ask) => ask.call.callId))
        return new Map(
          asks.flatMap(
            (ask) => ((decision) => (decision === undefined ? [] : [[ask.id, sign(decision)]]))(decide(ask)) as [string, Answer][],
          ),
        )
      },
    }
  }
  const calls = (turnId: string) =>
    Array.from({ length: 5 }, (_, index) => ({ callId: `c${index}`, name: 'demo', arguments: { text: `${index}` }, turnId }))

  test('A-9: five asks of a turn are offered together; one reject leaves the others', async () => {
    const answerer = batching((ask) => (ask.call.callId === 'c2' ? no('not this') : yes))
    const r = await rig({ answerers: [answerer], tool: { concurrency: 'parallel' } })
    const results = await r.runtime.executeAll(calls('t1'))
    expect(results.map(codeOf)).toEqual(['ok', 'ok', 'APPROVAL_REJECTED', 'ok', 'ok'])
    expect(answerer.batches).toEqual([['c0', 'c1', 'c2', 'c3', 'c4']])
    const records = await r.approval.list()
    expect(new Set(records.map((record) => record.batch)).size).toBe(1)
    expect(records[0]?.batch).toMatch(/^bat_/)
  })

  test('A-9: an abort of one leaves the others', async () => {
    const r = await rig({ answerers: [store()], tool: { concurrency: 'parallel' } })
    const stop = new AbortController()
    const inputs = calls('t1').map((input, index) => (index === 1 ? { ...input, signal: stop.signal } : input))
    const running = r.runtime.executeAll(inputs)
    await until(async () => (await r.approval.list({ state: 'pending' })).length === 5)
    stop.abort()
    await until(async () => (await r.approval.list({ state: 'pending' })).length === 4)
    for (const record of await r.approval.list({ state: 'pending' })) await r.approval.decide(record.id, yes, { by: human })
    expect((await running).map(codeOf)).toEqual(['ok', 'TOOL_ABORTED_BEFORE_DISPATCH', 'ok', 'ok', 'ok'])
  })

  test('A-9: one that is missing in the answers is offered to the next answerer', async () => {
    const answerer = batching((ask) => (ask.call.callId === 'c3' ? undefined : yes))
    const r = await rig({ answerers: [answerer, scripted([no('by the next')])], tool: { concurrency: 'parallel' } })
    const results = await r.runtime.executeAll(calls('t1'))
    expect(results.map(codeOf)).toEqual(['ok', 'ok', 'ok', 'APPROVAL_REJECTED', 'ok'])
  })

  test('A-9: asks of no turn are offered alone, at once', async () => {
    const answerer = batching(() => yes)
    const r = await rig({ answerers: [answerer] })
    await Promise.all([r.call('a'), r.call('b')])
    expect(answerer.batches.toSorted()).toEqual([['a'], ['b']])
    expect((await r.approval.list()).map((record) => record.batch)).toEqual([undefined, undefined])
  })
})

describe('a call that a deny matches never runs through any route', () => {
  const policy: PolicyFile = {
    version: 1,
    rules: [{ id: 'no-danger', tool: 'demo', args: { '/text': 'danger' }, decision: 'deny', reason: 'dangerous' }],
  }
  const danger = { text: 'danger' }

  test('A-1, A-12: direct, nested, executeAll, rewritten into it, edited into it on approval, scope child', async () => {
    const answerers = [callback((ask) => (ask.call.callId === 'edited' ? { outcome: 'approve', arguments: danger } : yes), { id: 'host' })]
    const r = await rig({ answerers, policy, tools: [parent] })
    r.runtime.scope('lead')
    r.runtime.scope('worker', { extends: 'lead' })
    r.runtime.hooks.preExecute.tap('rewriter', (decision, execution) =>
      execution.callId === 'rewritten' && JSON.stringify(execution.arguments) !== JSON.stringify(danger)
        ? { kind: 'allow', arguments: danger }
        : decision,
    )
    expect(codeOf(await r.call('direct', danger))).toBe('TOOL_DENIED')
    expect(await r.runtime.execute({ callId: 'nested', name: 'parent', arguments: danger })).toMatchObject({ value: 'TOOL_DENIED' })
    expect((await r.runtime.executeAll([{ callId: 'all', name: 'demo', arguments: danger }])).map(codeOf)).toEqual(['TOOL_DENIED'])
    expect(codeOf(await r.call('rewritten', { text: 'harmless' }))).toBe('TOOL_DENIED')
    expect(codeOf(await r.call('edited', { text: 'harmless' }))).toBe('TOOL_DENIED')
    expect(codeOf(await r.call('child', danger, { agent: 'worker' }))).toBe('TOOL_DENIED')
    expect(r.ran).toEqual([])
    expect(codeOf(await r.call('harmless', { text: 'harmless' }))).toBe('ok')
  })
})

describe('A-10: the model cannot answer', () => {
  const bash: ToolDefinition = defineTool<{ command: string }, string>({
    name: 'bash',
    description: 'A shell.',
    input: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    describeCall: ({ command }) => ({
      title: command,
      kind: 'execute',
      command,
      effects: { verdict: 'mutating', commands: [{ argv: command.split(' '), dynamic: false, redirects: [] }], paths: [], reasons: [] },
    }),
    execute: () => expect.fail('ran'),
  }) as ToolDefinition

  test.each([
    'toolseam approvals approve apr_1',
    '/usr/bin/toolseam approvals resume',
    'toolseam policy trust',
    'npx toolseam approvals approve x',
  ])('A-10: `%s` is denied in every preset, whatever the rules allow', async (command) => {
    const r = await rig({
      preset: 'full-access',
      policy: { version: 1, allow: ['bash(toolseam *)', 'bash(npx *)'] },
      tools: [bash],
      answerers: [scripted([yes])],
    })
    expect(codeOf(await r.runtime.execute({ callId: 'c1', name: 'bash', arguments: { command } }))).toBe('TOOL_DENIED')
    expect(await r.approval.list()).toEqual([])
  })

  test('A-10: what a tool or a hook returns is no decision', async () => {
    const r = await rig({ tool: { meta: () => ({ outcome: 'approve' }) } })
    const pushy = { kind: 'allow' as const, approval: { outcome: 'approve' }, decision: { outcome: 'approve' } }
    r.runtime.hooks.preExecute.tap('pushy', () => pushy)
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_UNAVAILABLE')
  })
})
