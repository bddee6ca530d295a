/**
 * The contract suite of `ApprovalStore`: every provider runs it. Durable providers also run it over two openings of one truth.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { errorCode } from '@toolseam/core-tools'
import type { ApprovalRecord } from '../definition/record.ts'
import type { ApprovalStore, StoreChange } from '../definition/store.ts'
import { testApprover, testDecision, testDraft, testGrant, type DraftOptions } from './drafts.ts'

export interface StoreContractOptions {
  /** Another opening of the same truth, as another process would have it. Without it, one opening is used for both sides. */
  again?(store: ApprovalStore): Promise<ApprovalStore>
}

/** `open`: a fresh, empty store, opened without a secret. */
export function runStoreContract(open: () => Promise<ApprovalStore>, options: StoreContractOptions = {}): void {
  let store: ApprovalStore
  let other: ApprovalStore

  beforeEach(async () => {
    store = await open()
    other = (await options.again?.(store)) ?? store
  })
  afterEach(async () => {
    await store.dispose()
    await other.dispose()
  })

  const ask = async (draft: DraftOptions = {}): Promise<ApprovalRecord> => (await store.request(testDraft(draft))).record
  const decide = async (record: ApprovalRecord, outcome: 'approve' | 'reject' = 'approve', by = store): Promise<ApprovalRecord> =>
    by.decide(record.id, { expectedRevision: record.revision, decision: await testDecision(record, { outcome }) })
  const approved = async (draft: DraftOptions = {}): Promise<ApprovalRecord> => decide(await ask(draft))
  const claimed = async (leaseMs = 60_000): Promise<{ record: ApprovalRecord; fence: number }> => {
    const claim = await store.claim((await approved()).id, { worker: 'one', leaseMs })
    if (!claim.ok) throw new Error(claim.why)
    return claim
  }

  describe('asks', () => {
    test('A-19: requested twice is one record, whatever else the second draft says', async () => {
      const draft = testDraft()
      const first = await store.request(draft)
      const second = await other.request({ ...draft, reason: 'another', expiresAt: new Date().toISOString() })
      expect(first.created).toBe(true)
      expect(second.created).toBe(false)
      expect(second.record).toEqual(first.record)
      expect(first.record).toMatchObject({ ...draft, revision: 1, state: 'pending' })
    })

    test('A-19: of 20 requests of one key at once, from both openings, one creates', async () => {
      const draft = testDraft()
      const all = await Promise.all(Array.from({ length: 20 }, async (_, index) => (index % 2 === 0 ? store : other).request(draft)))
      expect(all.filter((result) => result.created)).toHaveLength(1)
      expect(new Set(all.map((result) => JSON.stringify(result.record))).size).toBe(1)
    })

    test('A-19: another key under the same id is refused', async () => {
      const draft = testDraft()
      await store.request(draft)
      await expectCode(store.request({ ...draft, key: 'sha256:other' }), 'APPROVAL_STORE_FAILED')
    })

    test('A-17: a record reads back as it was written, also elsewhere', async () => {
      const record = await ask({ args: { text: 'π \u0000 \u202e', list: [1, null, { deep: true }] }, agent: 'worker' })
      expect(await other.get(record.id)).toEqual(record)
      expect(Object.isFrozen(await store.get(record.id))).toBe(true)
      expect(await store.get('apr_unknown')).toBeUndefined()
    })
  })

  describe('decisions', () => {
    test('A-20: a decision is durable with the next revision', async () => {
      const record = await ask()
      const done = await decide(record, 'reject')
      expect(done).toMatchObject({ state: 'rejected', revision: 2, decision: { outcome: 'reject' } })
      expect(await other.get(record.id)).toEqual(done)
    })

    test('A-20: 100 raced decisions have one winner each', async () => {
      for (let round = 0; round < 100; round++) {
        const record = await ask()
        const raced = await Promise.allSettled([decide(record, 'approve'), decide(record, 'reject', other)])
        expect(raced.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected'])
        const winner = raced[0].status === 'fulfilled' ? 'approved' : 'rejected'
        expect((await other.get(record.id))?.state).toBe(winner)
        expect((await store.get(record.id))?.state).toBe(winner)
      }
    })

    test('A-20: a stale revision changes nothing', async () => {
      const record = await ask()
      await expectCode(store.decide(record.id, { expectedRevision: 7, decision: await testDecision(record) }), 'APPROVAL_STALE_REVISION')
      await expectCode(store.close(record.id, { expectedRevision: 0, state: 'cancelled' }), 'APPROVAL_STALE_REVISION')
      expect(await store.get(record.id)).toEqual(record)
    })

    test('A-20: an unknown id is not found', async () => {
      const record = await ask()
      const decision = await testDecision(record)
      await expectCode(store.decide('apr_none', { expectedRevision: 1, decision }), 'APPROVAL_NOT_FOUND')
      await expectCode(store.close('apr_none', { expectedRevision: 1, state: 'cancelled' }), 'APPROVAL_NOT_FOUND')
      await expectCode(store.claim('apr_none', { worker: 'one', leaseMs: 1 }), 'APPROVAL_NOT_FOUND')
      await expectCode(store.mark('../apr_none', { fence: 1, at: 'consumed' }), 'APPROVAL_NOT_FOUND')
      await expectCode(store.revoke('grt_none', { by: testApprover }), 'APPROVAL_NOT_FOUND')
    })

    test('A-7, A-20: a decision after the expiry fails, and the ask is expired', async () => {
      const record = await ask({ expiresInMs: -1 })
      await expectCode(decide(record), 'APPROVAL_ALREADY_DECIDED')
      expect((await other.get(record.id))?.state).toBe('expired')
    })

    test.each(['expired', 'cancelled', 'unavailable'] as const)('A-20: closed as %s, nothing follows', async (state) => {
      const record = await ask()
      const closed = await store.close(record.id, { expectedRevision: 1, state })
      expect(closed).toMatchObject({ state, revision: 2 })
      await expectCode(decide(closed), 'APPROVAL_ALREADY_DECIDED')
      await expectCode(store.close(record.id, { expectedRevision: 2, state: 'cancelled' }), 'APPROVAL_ALREADY_DECIDED')
      expect(await store.claim(record.id, { worker: 'one', leaseMs: 1000 })).toEqual({ ok: false, why: 'not-approved' })
      expect(await store.get(record.id)).toEqual(closed)
    })

    test('A-20: an approval that nobody claimed can only expire', async () => {
      const record = await approved()
      await expectCode(store.close(record.id, { expectedRevision: 2, state: 'cancelled' }), 'APPROVAL_ALREADY_DECIDED')
      expect(await store.close(record.id, { expectedRevision: 2, state: 'expired' })).toMatchObject({ state: 'expired' })
    })
  })

  describe('claims', () => {
    test('A-21: nothing is claimed before it is approved', async () => {
      const record = await ask()
      expect(await store.claim(record.id, { worker: 'one', leaseMs: 1000 })).toEqual({ ok: false, why: 'not-approved' })
      expect(await store.get(record.id)).toEqual(record)
    })

    test('A-21: of many claims one wins', async () => {
      const record = await approved()
      const claims = await Promise.all(
        Array.from({ length: 8 }, async (_, index) =>
          (index % 2 === 0 ? store : other).claim(record.id, { worker: `w${index}`, leaseMs: 60_000 }),
        ),
      )
      expect(claims.filter((claim) => claim.ok)).toHaveLength(1)
      expect(claims.filter((claim) => !claim.ok && claim.why === 'held')).toHaveLength(7)
    })

    test('A-7: an approval is not claimed after its expiry', async () => {
      const record = await ask({ expiresInMs: 150 })
      await decide(record)
      await until(() => Date.now() > Date.parse(record.expiresAt))
      expect(await store.claim(record.id, { worker: 'one', leaseMs: 1000 })).toEqual({ ok: false, why: 'not-approved' })
      expect((await other.get(record.id))?.state).toBe('expired')
    })

    test('A-21: lease over and not dispatched is claimed anew, with a fence one higher; the old fence is refused', async () => {
      const first = await claimed(1)
      await until(() => Date.now() > Date.parse(first.record.claim?.leaseUntil ?? ''))
      const second = await other.claim(first.record.id, { worker: 'two', leaseMs: 60_000 })
      expect(second).toMatchObject({ ok: true, fence: first.fence + 1, record: { state: 'claimed', claim: { worker: 'two' } } })
      for (const at of ['renewed', 'dispatched', 'consumed'] as const) {
        await expectCode(store.mark(first.record.id, { fence: first.fence, at }), 'APPROVAL_LEASE_LOST')
      }
      expect((await store.get(first.record.id))?.claim).toMatchObject({ worker: 'two', fence: first.fence + 1 })
    })

    test('A-21: lease over and dispatched is interrupted, and never runs again', async () => {
      const { record, fence } = await claimed(1)
      await store.mark(record.id, { fence, at: 'dispatched', leaseMs: 1 })
      await until(async () => Date.now() > Date.parse((await store.get(record.id))?.claim?.leaseUntil ?? ''))
      expect(await other.claim(record.id, { worker: 'two', leaseMs: 1000 })).toEqual({ ok: false, why: 'interrupted' })
      expect((await store.get(record.id))?.state).toBe('interrupted')
      await expectCode(store.mark(record.id, { fence, at: 'consumed' }), 'APPROVAL_LEASE_LOST')
      expect(await store.claim(record.id, { worker: 'one', leaseMs: 1000 })).toEqual({ ok: false, why: 'interrupted' })
    })

    test('A-21: a renewed lease is held', async () => {
      const { record, fence } = await claimed(1)
      await store.mark(record.id, { fence, at: 'renewed', leaseMs: 60_000 })
      expect(await other.claim(record.id, { worker: 'two', leaseMs: 1000 })).toEqual({ ok: false, why: 'held' })
    })

    test('A-21: dispatched is marked once, then consumed, and consumed never runs again', async () => {
      const { record, fence } = await claimed()
      const first = await store.mark(record.id, { fence, at: 'dispatched' })
      const again = await store.mark(record.id, { fence, at: 'dispatched' })
      expect(again.claim?.dispatchedAt).toBe(first.claim?.dispatchedAt)
      const done = await store.mark(record.id, { fence, at: 'consumed', result: { isError: true, code: 'TOOL_FAILED' } })
      expect(done).toMatchObject({ state: 'consumed', settled: { isError: true, code: 'TOOL_FAILED' } })
      expect(await other.claim(record.id, { worker: 'two', leaseMs: 1000 })).toEqual({ ok: false, why: 'consumed' })
      await expectCode(store.mark(record.id, { fence, at: 'consumed' }), 'APPROVAL_ALREADY_DECIDED')
    })
  })

  describe('looking', () => {
    test('A-30: lists by id, state, agent, session and tool, in order of creation', async () => {
      const one = await ask({ agent: 'a', session: 's1' })
      const two = await ask({ agent: 'b', session: 's1', tool: 'other' })
      const three = await decide(await ask({ agent: 'a', session: 's2' }))
      const ids = async (filter: Parameters<ApprovalStore['list']>[0]): Promise<string[]> => (await other.list(filter)).map(({ id }) => id)
      expect((await ids(undefined)).toSorted()).toEqual([one.id, two.id, three.id].toSorted())
      expect((await ids({ state: 'pending' })).toSorted()).toEqual([one.id, two.id].toSorted())
      expect(await ids({ state: ['approved', 'rejected'] })).toEqual([three.id])
      expect((await ids({ agent: 'a' })).toSorted()).toEqual([one.id, three.id].toSorted())
      expect(await ids({ session: 's2' })).toEqual([three.id])
      expect(await ids({ tool: 'other' })).toEqual([two.id])
      expect(await ids({ ids: [two.id], state: 'approved' })).toEqual([])
      const listed = await other.list()
      expect(listed.map((record) => record.createdAt)).toEqual(listed.map((record) => record.createdAt).toSorted())
    })

    test('A-7: the sweep ends what is over and gives the ids', async () => {
      const over = await ask({ expiresInMs: -1 })
      const open = await ask()
      const late = await ask({ expiresInMs: 150 })
      await decide(late)
      await until(() => Date.now() > Date.parse(late.expiresAt))
      expect((await store.expire()).toSorted()).toEqual([over.id, late.id].toSorted())
      expect((await other.list({ state: 'expired' })).map(({ id }) => id).toSorted()).toEqual([over.id, late.id].toSorted())
      expect(await store.get(open.id)).toEqual(open)
      expect(await store.expire()).toEqual([])
    })

    test('A-29: a watch tells the open asks, then each change, also of another process, within a second', async () => {
      const before = await ask()
      const stop = new AbortController()
      const seen: StoreChange[] = []
      const reading = read(other.watch({ signal: stop.signal }), seen)
      await until(() => seen.some((change) => change.id === before.id))
      const started = performance.now()
      const later = await ask()
      await decide(later)
      await until(() => seen.some((change) => change.id === later.id && change.revision === 2))
      // The bound of the contract is a second; the rest is the slack of a busy machine.
      expect(performance.now() - started).toBeLessThan(3000)
      stop.abort()
      await reading
    })

    test('A-29: a watch begins when it is called, and misses nothing since `after`', async () => {
      const after = new Date().toISOString()
      const settled = await decide(await ask(), 'reject')
      const stop = new AbortController()
      const changes = other.watch({ signal: stop.signal, after })
      const next = await ask()
      const seen: StoreChange[] = []
      const reading = read(changes, seen)
      await until(() => [settled.id, next.id].every((id) => seen.some((change) => change.id === id)))
      stop.abort()
      await reading
    })

    test('A-30: a closed store ends its watches and refuses everything', async () => {
      const reading = read(store.watch({ signal: new AbortController().signal }), [])
      await store.dispose()
      await reading
      await expectCode(store.request(testDraft()), 'APPROVAL_CLOSED')
      await expectCode(store.list(), 'APPROVAL_CLOSED')
    })
  })

  describe('grants', () => {
    const give = async (scope: 'session' | 'project' | 'user', change = {}): Promise<string> => {
      const record = await ask({ agent: 'a' })
      const grant = testGrant(record, scope, change)
      const decision = await testDecision(record, { grantId: grant.id })
      await store.decide(record.id, { expectedRevision: 1, decision, grant })
      return grant.id
    }
    const idsOf = async (filter: Parameters<ApprovalStore['grants']>[0]): Promise<string[]> =>
      (await other.grants(filter)).map(({ id }) => id)

    test('A-24: a grant is there with its decision, also elsewhere, and is found by agent and scope', async () => {
      const ids = [await give('session'), await give('project'), await give('user')]
      expect((await idsOf(undefined)).toSorted()).toEqual(ids.toSorted())
      expect(await idsOf({ scope: 'user' })).toEqual([ids[2]])
      expect(await idsOf({ agent: 'a', scope: 'session' })).toEqual([ids[0]])
      expect(await idsOf({ agent: 'b' })).toEqual([])
    })

    test('A-24: a decision that lost leaves no grant', async () => {
      const record = await ask()
      await decide(record, 'reject')
      const grant = testGrant(record, 'user')
      const decision = await testDecision(record, { grantId: grant.id })
      await expectCode(other.decide(record.id, { expectedRevision: 1, decision, grant }), 'APPROVAL_ALREADY_DECIDED')
      expect(await store.grants()).toEqual([])
    })

    test('A-24: of two raced decisions the grant of the winner is the one', async () => {
      for (let round = 0; round < 20; round++) {
        const record = await ask()
        const offers = [testGrant(record, 'session'), testGrant(record, 'user')]
        const raced = await Promise.allSettled(
          offers.map(async (grant, index) =>
            (index === 0 ? store : other).decide(record.id, {
              expectedRevision: 1,
              decision: await testDecision(record, { grantId: grant.id }),
              grant,
            }),
          ),
        )
        const winner = offers[raced.findIndex((result) => result.status === 'fulfilled')]
        const given = (await other.grants()).filter((grant) => offers.some((offer) => offer.id === grant.id))
        expect(given.map(({ id }) => id)).toEqual([winner?.id])
      }
    })

    test('A-27: a revocation holds at the next look-up everywhere, and is kept', async () => {
      const id = await give('project')
      expect(await idsOf({ active: true })).toEqual([id])
      const revoked = await store.revoke(id, { by: testApprover, reason: 'no longer' })
      expect(revoked).toMatchObject({ id, revokedBy: testApprover, revokedReason: 'no longer' })
      expect(await idsOf({ active: true })).toEqual([])
      expect(await idsOf({ active: false })).toEqual([id])
      expect((await other.revoke(id, { by: testApprover })).revokedAt).toBe(revoked.revokedAt)
    })

    test('A-27: an expired grant is not active', async () => {
      const id = await give('session', { expiresAt: new Date(Date.now() - 1).toISOString() })
      expect(await idsOf({ active: true })).toEqual([])
      expect(await idsOf({ active: false })).toEqual([id])
    })
  })
}

async function read(changes: AsyncIterable<StoreChange>, into: StoreChange[]): Promise<void> {
  for await (const change of changes) into.push(change)
}

/** Waits for a condition, looking every few ms; fails with the test's own time limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function expectCode(promise: Promise<unknown>, code: string): Promise<void> {
  const thrown: unknown = await promise.then(
    () => 'resolved',
    (error: unknown) => error,
  )
  expect(errorCode(thrown)).toBe(code)
}
