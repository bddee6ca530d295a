/**
 * The files store between real processes: races, kills at every stage, resuming.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ToolResult } from '@toolseam/core-tools'
import type { ApprovalRecord } from '../../src/index.ts'
import { callback, openStore, scripted, store, storeFolder } from '../../src/index.ts'
import { testDecision, testDraft, testGrant } from '../../src/testing.ts'
import { codeOf, human, onCleanup, rig, scratch, until, yes, type RigOptions } from '../support.ts'
import { runProcess } from './fixture/spawn.ts'
import type { Stage } from './fixture/process.ts'

async function open(path: string) {
  const opened = await openStore({ kind: 'files', path })
  onCleanup(async () => opened.dispose())
  return opened
}

describe('races of two processes', () => {
  test('A-19, A-29: two processes that request the same keys create each once', async () => {
    const path = storeFolder((await scratch()).root)
    const callIds = Array.from({ length: 100 }, (_, index) => `race-${index}`)
    const [one, two] = await Promise.all([runProcess({ kind: 'request', path, callIds }), runProcess({ kind: 'request', path, callIds })])
    expect([...(one.said as string[]), ...(two.said as string[])].toSorted()).toEqual(callIds.toSorted())
    expect(await (await open(path)).list()).toHaveLength(100)
  })

  test('A-20, A-29: of 100 decisions raced by two processes each has one winner; of claims too', async () => {
    const path = storeFolder((await scratch()).root)
    const opened = await open(path)
    const records = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => (await opened.request(testDraft({ callId: `race-${index}` }))).record),
    )
    const ids = records.map(({ id }) => id)
    const [approves, rejects] = await Promise.all(
      (['approve', 'reject'] as const).map(async (outcome) => (await runProcess({ kind: 'decide', path, ids, outcome })).said as string[]),
    )
    expect([...(approves ?? []), ...(rejects ?? [])].toSorted()).toEqual(ids.toSorted())
    const approved = (await opened.list({ state: 'approved' })).map(({ id }) => id)
    expect(approved.toSorted()).toEqual((approves ?? []).toSorted())
    const claims = await Promise.all([0, 1].map(async () => (await runProcess({ kind: 'claim', path, ids: approved })).said as string[]))
    expect(claims.flat().toSorted()).toEqual(approved.toSorted())
  })

  test('A-29: a watch sees another process within a second', async () => {
    const path = storeFolder((await scratch()).root)
    const opened = await open(path)
    const { record } = await opened.request(testDraft())
    const stop = new AbortController()
    onCleanup(() => stop.abort())
    const changes = opened.watch({ signal: stop.signal })
    let seenAt = 0
    const reading = (async () => {
      for await (const change of changes) {
        if (change.id === record.id && change.revision === 2) {
          seenAt = Date.now()
          return
        }
      }
    })()
    await runProcess({ kind: 'decide', path, ids: [record.id], outcome: 'approve' })
    await reading
    const decidedAt = Date.parse((await opened.get(record.id))?.decision?.at ?? '')
    // A second is promised; the rest is the slack of a busy machine.
    expect(seenAt - decidedAt).toBeLessThan(3000)
  })

  test('A-27: a grant revoked in another process is gone at the next look-up', async () => {
    const { root } = await scratch()
    const opened = await open(storeFolder(root))
    const { record } = await opened.request(testDraft())
    const grant = testGrant(record, 'project')
    await opened.decide(record.id, { expectedRevision: 1, decision: await testDecision(record, { grantId: grant.id }), grant })
    expect(await opened.grants({ active: true })).toHaveLength(1)
    await runProcess({ kind: 'revoke', path: storeFolder(root), id: grant.id })
    expect(await opened.grants({ active: true })).toEqual([])
    expect((await opened.grants())[0]?.revokedBy?.id).toBe('other')
  })
})

describe('killed with kill -9, resumed in a new process', () => {
  async function kill(at: Stage, idempotent = false): Promise<{ root: string; effects: () => Promise<string[]> }> {
    const { root, config } = await scratch()
    const effects = join(config, '..', 'effects.log')
    const ended = await runProcess({ kind: 'die', root, at, effects, idempotent })
    expect(ended).toEqual({ code: null, signal: 'SIGKILL', said: undefined })
    return {
      root,
      effects: async () => (await readFile(effects, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    }
  }

  async function resumed(root: string, options: RigOptions = {}) {
    const store_ = await openStore({ kind: 'files', path: storeFolder(root), secret: 'a secret for tests' })
    onCleanup(async () => store_.dispose())
    const r = await rig({ root, store: store_, ...options })
    const all = async (): Promise<{ record: ApprovalRecord; result: ToolResult }[]> => {
      const done: { record: ApprovalRecord; result: ToolResult }[] = []
      for await (const one of r.approval.resume()) done.push(one)
      return done
    }
    return { ...r, all }
  }

  test('A-22: killed when requested: the ask is still pending; answered, it runs once', async () => {
    const { root } = await kill('requested')
    const r = await resumed(root)
    const [record] = await r.approval.list()
    expect(record).toMatchObject({ state: 'pending', call: { session: 'first', callId: 'left' } })
    const running = r.all()
    await r.approval.decide(record?.id ?? '', yes, { by: human })
    const done = await running
    expect(done.map(({ result }) => codeOf(result))).toEqual(['ok'])
    expect(r.ran).toEqual([{ text: 'hello' }])
    expect(await r.all()).toEqual([])
  })

  test('A-22: killed when requested, then rejected: the result says so, and it stays rejected after a restart', async () => {
    const { root } = await kill('requested')
    const r = await resumed(root, { answerers: [scripted([{ outcome: 'reject', reason: 'no' }])] })
    expect((await r.all()).map(({ result }) => codeOf(result))).toEqual(['APPROVAL_REJECTED'])
    const again = await resumed(root, { answerers: [scripted([yes])], session: 'first' })
    expect(codeOf(await again.call('left'))).toBe('APPROVAL_REJECTED')
    expect(again.ran).toEqual([])
  })

  test('A-19: killed when decided: the same call asked by a new process of the session runs without a second prompt', async () => {
    const { root } = await kill('decided')
    const r = await resumed(root, { session: 'first', answerers: [callback(() => expect.fail('asked'), { id: 'host' })] })
    expect(codeOf(await r.call('left'))).toBe('ok')
    expect(r.ran).toEqual([{ text: 'hello' }])
  })

  test('A-22: killed when decided: resumed, it runs once, also when two resume', async () => {
    const { root, effects } = await kill('decided')
    const [one, two] = [await resumed(root), await resumed(root)]
    await Promise.all([one.all(), two.all()])
    expect([...one.ran, ...two.ran]).toEqual([{ text: 'hello' }])
    expect(await effects()).toEqual([])
    expect((await one.store.list())[0]?.state).toBe('consumed')
  })

  test('A-21, A-22: killed when claimed: after its lease it runs once', async () => {
    const { root } = await kill('claimed')
    const r = await resumed(root)
    expect((await r.all()).map(({ result }) => codeOf(result))).toEqual(['ok'])
    expect(r.ran).toHaveLength(1)
    expect((await r.store.list())[0]?.claim?.fence).toBe(2)
  })

  test('A-21: killed when dispatched: never run again without a new answer, and the new ask says why', async () => {
    const { root, effects } = await kill('dispatched')
    const asked: unknown[] = []
    const r = await resumed(root, {
      answerers: [callback((ask) => (asked.push(ask.supersedes?.why, ask.reason), { outcome: 'reject' }), { id: 'host' })],
    })
    expect((await r.all()).map(({ result }) => codeOf(result))).toEqual(['APPROVAL_REJECTED'])
    expect(asked).toEqual(['interrupted', expect.stringContaining('interrupted after it had started')])
    expect(r.ran).toEqual([])
    expect(await effects()).toEqual(['first hello'])
    expect((await r.store.list()).map(({ state }) => state)).toEqual(['interrupted', 'rejected'])
  })

  test('A-21: a trusted idempotent tool runs again without a new answer', async () => {
    const { root } = await kill('dispatched', true)
    const r = await resumed(root, {
      tool: { annotations: { idempotentHint: true } },
      answerers: [callback(() => expect.fail('asked'), { id: 'host' })],
    })
    expect((await r.all()).map(({ result }) => codeOf(result))).toEqual(['ok'])
    expect(r.ran).toHaveLength(1)
  })

  test('A-22: policy tightened meanwhile: a new deny wins over the old approval, which cannot be used later', async () => {
    const { root } = await kill('decided')
    const r = await resumed(root, { policy: { version: 1, deny: ['demo'] } })
    expect((await r.all()).map(({ result }) => codeOf(result))).toEqual(['TOOL_DENIED'])
    expect(r.ran).toEqual([])
    const later = await resumed(root)
    expect(await later.all()).toEqual([])
    expect(later.ran).toEqual([])
  })

  test('A-22: policy tightened while pending: it is denied without being shown', async () => {
    const { root } = await kill('requested')
    const r = await resumed(root, {
      policy: { version: 1, deny: ['demo'] },
      answerers: [callback(() => expect.fail('asked'), { id: 'host' })],
    })
    expect((await r.all()).map(({ result }) => codeOf(result))).toEqual(['TOOL_DENIED'])
    expect((await r.store.list())[0]?.state).toBe('cancelled')
  })

  test('A-22: policy loosened meanwhile: it runs without an answer, once, also when two resume', async () => {
    const { root } = await kill('requested')
    const allowed: RigOptions = { policy: { version: 1, allow: ['demo'] } }
    const [one, two] = [await resumed(root, allowed), await resumed(root, allowed)]
    await Promise.all([one.all(), two.all()])
    expect([...one.ran, ...two.ran]).toHaveLength(1)
  })

  test('A-22: the schema changed while pending or approved: APPROVAL_STALE inside, a new ask outside', async () => {
    const { root } = await kill('decided')
    const asked: unknown[] = []
    const r = await resumed(root, {
      tool: { input: { type: 'object', properties: { text: { type: 'string' }, more: { type: 'string' } } } },
      answerers: [callback((ask) => (asked.push(ask.supersedes?.why), yes), { id: 'host' })],
    })
    expect((await r.all()).map(({ result }) => codeOf(result))).toEqual(['ok'])
    expect(asked).toEqual(['stale'])
    expect((await r.store.list()).map(({ state }) => state).toSorted()).toEqual(['consumed', 'expired'])
  })

  test('A-22: what a living process still waits for is left to it', async () => {
    const { root } = await scratch()
    const alive = await resumed(root, { answerers: [store()] })
    const call = alive.call('own')
    await until(async () => (await alive.approval.list({ state: 'pending' })).length === 1)
    const done: unknown[] = []
    for await (const one of alive.approval.resume()) done.push(one)
    expect(done).toEqual([])
    await alive.approval.decide((await alive.approval.list())[0]?.id ?? '', yes, { by: human })
    expect(codeOf(await call)).toBe('ok')
  })

  test('A-22: a resume that is aborted leaves the pending asks as they are', async () => {
    const { root } = await kill('requested')
    const r = await resumed(root, { answerers: [store()] })
    const stop = new AbortController()
    const running = (async () => {
      for await (const one of r.approval.resume({ signal: stop.signal })) expect.fail(`ran ${one.record.id}`)
    })()
    stop.abort()
    await running
    expect((await r.approval.list())[0]?.state).toBe('pending')
  })
})
