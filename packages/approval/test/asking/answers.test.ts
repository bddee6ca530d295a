/**
 * What an ask may end with, through the whole pipeline: decisions, nonsense, aborts, expiry, races.
 */
import { describe, expect, test } from 'vitest'
import type { Answerer, ApprovalRecord, Decision } from '../../src/index.ts'
import { callback, scripted, store } from '../../src/index.ts'
import { codeOf, expectCode, gate, human, no, onCleanup, rig, until, yes, type Rig } from '../support.ts'

async function pending({ approval }: Rig): Promise<ApprovalRecord> {
  let found: ApprovalRecord | undefined
  await until(async () => (found = (await approval.list({ state: 'pending' }))[0]) !== undefined)
  if (found === undefined) throw new Error('nothing is pending')
  return found
}

describe('decisions', () => {
  test('A-1: an approved call runs, and its record is consumed', async () => {
    const r = await rig({ answerers: [scripted([yes])] })
    const result = await r.call('c1')
    expect(result).toMatchObject({ isError: false, value: 'ran hello' })
    await until(async () => (await r.approval.list({ state: 'consumed' })).length === 1)
    const [record] = await r.approval.list()
    expect(record).toMatchObject({
      v: 1,
      tool: { name: 'demo', source: 'local' },
      call: { callId: 'c1', rootCallId: 'c1', caller: 'agent', parents: [] },
      args: { text: 'hello' },
      decision: { outcome: 'approve', by: { kind: 'scripted' } },
      settled: { isError: false },
    })
    expect(record?.claim?.dispatchedAt).toBeDefined()
  })

  test('A-8: a rejection quotes its reason as data and says what repeating will do', async () => {
    const r = await rig({ answerers: [scripted([no('use "the" other\nfile')])] })
    const result = await r.call('c1')
    expect(codeOf(result)).toBe('APPROVAL_REJECTED')
    expect(result.content).toMatchInlineSnapshot(`
      [
        {
          "text": "The call was not run: its approval was rejected. Reason given: "use \\"the\\" other\\nfile". Repeating it unchanged will be refused the same way.",
          "type": "text",
        },
      ]
    `)
    expect(r.ran).toEqual([])
  })

  test('A-19: the same call asked again finds its answer: rejected stays rejected', async () => {
    const r = await rig({ answerers: [scripted([no('never'), yes])] })
    await r.call('c1')
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_REJECTED')
    expect(await r.approval.list()).toHaveLength(1)
  })

  test('A-2: another call, other arguments, another agent: each is asked about', async () => {
    const asked: unknown[] = []
    const r = await rig({ answerers: [callback((ask) => (asked.push([ask.call.callId, ask.args, ask.call.agent]), yes), { id: 'host' })] })
    r.runtime.scope('worker')
    await r.call('c1')
    await r.call('c2')
    await r.call('c2', { text: 'other' })
    await r.call('c2', { text: 'other' }, { agent: 'worker' })
    expect(asked).toEqual([
      ['c1', { text: 'hello' }, undefined],
      ['c2', { text: 'hello' }, undefined],
      ['c2', { text: 'other' }, undefined],
      ['c2', { text: 'other' }, 'worker'],
    ])
  })

  test('A-2, A-21: a call that has run is asked about anew, and the new ask says so', async () => {
    const asked: unknown[] = []
    const r = await rig({
      answerers: [callback((ask) => (asked.push([ask.attempt, ask.supersedes?.why, ask.reason]), yes), { id: 'host' })],
    })
    await r.call('c1')
    await r.call('c1')
    expect(asked[0]).toEqual([undefined, undefined, expect.not.stringContaining('before')])
    expect(asked[1]).toEqual([1, 'consumed', expect.stringContaining('approved and run before')])
    expect(r.ran).toHaveLength(2)
  })

  test('A-2, A-22: a tool that changed since the answer is asked about anew', async () => {
    const r = await rig({ answerers: [scripted([no()]), scripted([yes])] })
    await r.call('c1')
    const scope = r.runtime.scope('worker')
    await r.call('w1', {}, { agent: 'worker' })
    scope.register({ name: 'demo', description: 'Another.', input: { type: 'object' }, execute: () => 'new' })
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_REJECTED')
    const [first] = await r.store.list({ agent: 'worker' })
    const result = await r.call('w1', {}, { agent: 'worker' })
    const [, second] = await r.store.list({ agent: 'worker' })
    expect(second?.supersedes?.id).toBe(first?.id)
    expect(codeOf(result)).toBe('APPROVAL_UNAVAILABLE')
  })
})

describe('A-3: answerers that fail', () => {
  const nonsense: [string, unknown][] = [
    ['true', true],
    ['{}', {}],
    ['a string', 'approve'],
    ['null', null],
    ['an array', [{ outcome: 'approve' }]],
    ['another outcome', { outcome: 'yes' }],
    ['another scope', { outcome: 'approve', scope: 'forever' }],
    ['a bad match', { outcome: 'approve', scope: 'session', match: { rule: 7 } }],
    ['a bad reason', { outcome: 'reject', reason: 7 }],
    ['a bad expiry', { outcome: 'approve', scope: 'session', expiresAt: 'soon' }],
    ['an expiry that is over', { outcome: 'approve', scope: 'session', expiresAt: '2001-01-01T00:00:00Z' }],
    ['arguments that are no JSON', { outcome: 'approve', arguments: { text: 1n } }],
    ['an approver that is none', { outcome: 'approve', by: { id: 'me' } }],
  ]
  test.each(nonsense)('A-3: %s is no decision: unavailable, and the next answerer is not tried', async (_, value) => {
    const next: Answerer = { name: 'next', interactive: false, answer: async () => expect.fail('the next answerer was tried') }
    const r = await rig({ answerers: [callback(() => value as Decision, { id: 'host' }), next] })
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_UNAVAILABLE')
    expect(r.ran).toEqual([])
    expect((await r.approval.list())[0]?.state).toBe('unavailable')
  })

  test.each([
    ['throws', () => expect.fail('broken')],
    ['rejects', async () => Promise.reject(new Error('broken'))],
    [
      'throws what is no error',
      () => {
        throw undefined
      },
    ],
  ] as const)('A-3: an answerer that %s ends the ask as unavailable', async (_, fn) => {
    const r = await rig({ answerers: [callback(fn as () => Decision, { id: 'host' }), scripted([yes])] })
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_UNAVAILABLE')
    expect(r.ran).toEqual([])
  })

  test('A-3, A-7: an answerer that hangs past the expiry: expired', async () => {
    const ended = gate()
    const hanging: Answerer = {
      name: 'hanging',
      interactive: true,
      answer: async (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => ended.open())),
    }
    const r = await rig({ answerers: [hanging], policy: { version: 1, askExpiresMs: 200 } })
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_EXPIRED')
    await ended.promise
    expect((await r.approval.list())[0]?.state).toBe('expired')
  })

  test('A-4: none configured: unavailable at once, and nothing stays pending', async () => {
    const r = await rig()
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_UNAVAILABLE')
    expect(await r.approval.list({ state: 'pending' })).toEqual([])
    expect((await r.approval.list())[0]?.state).toBe('unavailable')
  })

  test('A-4: the first passes on, the second answers; a script that is exhausted passes on too', async () => {
    const r = await rig({ answerers: [callback(() => undefined, { id: 'first' }), scripted([]), scripted([yes])] })
    expect(codeOf(await r.call('c1'))).toBe('ok')
  })

  test('A-3: a store that fails before the decision is durable: unavailable, not run', async () => {
    const r = await rig({ answerers: [scripted([yes])] })
    const { store: inner } = r
    const failing = { ...inner, decide: async () => Promise.reject(new Error('disk full')) }
    const other = await rig({ answerers: [scripted([yes])], store: failing })
    expect(codeOf(await other.call('c1'))).toBe('APPROVAL_UNAVAILABLE')
    expect(other.ran).toEqual([])
  })
})

describe('A-5, A-6: races', () => {
  test('A-6: a signal that is aborted already: no record, no prompt', async () => {
    let asked = 0
    const r = await rig({ answerers: [callback(() => (asked++, yes), { id: 'host' })] })
    const answer = await r.approval.ask(await requestOf(r, AbortSignal.abort()))
    expect(answer).toEqual({ outcome: 'cancelled', reason: 'aborted' })
    expect(asked).toBe(0)
    expect(await r.approval.list()).toEqual([])
  })

  test('A-6: an abort while pending closes the record as cancelled; a late approval changes nothing', async () => {
    const answered = gate<Decision>()
    const r = await rig({ answerers: [callback(async () => answered.promise, { id: 'host' })] })
    const stop = new AbortController()
    const call = r.call('c1', {}, { signal: stop.signal })
    const record = await pending(r)
    const events: string[] = []
    const watching = new AbortController()
    onCleanup(() => watching.abort())
    void (async () => {
      for await (const event of r.approval.watch(undefined, { signal: watching.signal })) events.push(event.kind)
    })()
    await until(() => events.includes('current'))
    stop.abort()
    expect(codeOf(await call)).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
    await until(async () => (await r.approval.get(record.id))?.state === 'cancelled')
    answered.open(yes)
    await expectCode(r.approval.decide(record.id, yes, { by: human }), 'APPROVAL_ALREADY_DECIDED')
    // What was said too late is noted.
    await until(() => events.includes('late'))
    expect((await r.approval.get(record.id))?.state).toBe('cancelled')
    expect(r.ran).toEqual([])
  })

  test('A-6: the record is cancelled before ask settles', async () => {
    const r = await rig({ answerers: [store()] })
    const stop = new AbortController()
    const asking = r.approval.ask(await requestOf(r, stop.signal))
    const record = await pending(r)
    stop.abort()
    expect(await asking).toEqual({ outcome: 'cancelled', reason: 'aborted', recordId: record.id })
    expect((await r.store.get(record.id))?.state).toBe('cancelled')
  })

  test('A-5: a decision through the store beats the open prompt, whose signal aborts', async () => {
    const aborted = gate()
    const prompt: Answerer = {
      name: 'prompt',
      interactive: true,
      answer: async (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            aborted.open()
            resolve(undefined)
          }),
        ),
    }
    const r = await rig({ answerers: [prompt] })
    const call = r.call('c1')
    const record = await pending(r)
    const decided = await r.approval.decide(record.id, yes, { by: human, expectedRevision: record.revision })
    expect(decided).toMatchObject({ state: 'approved', decision: { by: human } })
    expect(await call).toMatchObject({ isError: false })
    await aborted.promise
  })

  test('A-5: of decision and answer the first durable one wins, the other is dropped', async () => {
    const answered = gate<Decision>()
    const r = await rig({ answerers: [callback(async () => answered.promise, { id: 'host' })] })
    const call = r.call('c1')
    const record = await pending(r)
    await r.approval.decide(record.id, no('first'), { by: human })
    answered.open(yes)
    expect(await call).toMatchObject({ error: { code: 'APPROVAL_REJECTED', details: { reason: 'first' } } })
    await expectCode(r.approval.decide(record.id, yes, { by: human }), 'APPROVAL_ALREADY_DECIDED')
  })

  test('A-5: a late approval after the expiry and after dispose is refused', async () => {
    const r = await rig({ answerers: [store()], policy: { version: 1, askExpiresMs: 150 } })
    expect(codeOf(await r.call('c1'))).toBe('APPROVAL_EXPIRED')
    const [expired] = await r.approval.list()
    await expectCode(r.approval.decide(expired?.id ?? '', yes, { by: human }), 'APPROVAL_ALREADY_DECIDED')
    const other = await rig({ answerers: [store()] })
    const asking = other.approval.ask(await requestOf(other, new AbortController().signal))
    const record = await pending(other)
    await other.runtime.dispose()
    expect(await asking).toEqual({ outcome: 'cancelled', reason: 'disposed', recordId: record.id })
    await expectCode(other.approval.decide(record.id, yes, { by: human }), 'APPROVAL_CLOSED')
  })

  test('A-7: 15 minutes with somebody there, 7 days parked, or what the policy says', async () => {
    const minutes = async (r: Rig): Promise<number> => {
      void r.call('c1')
      const record = await pending(r)
      return Math.round((Date.parse(record.expiresAt) - Date.parse(record.createdAt)) / 60_000)
    }
    expect(await minutes(await rig({ answerers: [callback(async () => new Promise(() => undefined), { id: 'host' })] }))).toBe(15)
    expect(await minutes(await rig({ answerers: [store()] }))).toBe(7 * 24 * 60)
    expect(await minutes(await rig({ answerers: [store()], policy: { version: 1, askExpiresMs: 3_600_000 } }))).toBe(60)
  })
})

/** A request as the pipeline makes it, caught from a call. */
async function requestOf(r: Rig, signal: AbortSignal): Promise<Parameters<Rig['approval']['ask']>[0]> {
  let execution: Parameters<Rig['approval']['ask']>[0]['execution'] | undefined
  const off = r.runtime.hooks.preExecute.tap('catch', (_, caught) => {
    execution = caught
    return { kind: 'deny', reason: 'only to see it' }
  })
  await r.call('direct', { text: 'direct' })
  off()
  if (execution === undefined) throw new Error('no execution')
  return {
    execution,
    call: { title: 'demo', kind: 'other' },
    by: 'preset:workspace-write',
    askers: [{ tap: 'toolseam/approval', by: 'preset:workspace-write' }],
    parents: [],
    rootCallId: execution.rootCallId,
    signal,
  }
}
