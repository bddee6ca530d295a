/**
 * The contract of stores: asks and decisions.
 */
import { describe, expect, test } from 'vitest'
import { expectCode, type Contract } from './contract-context.ts'
import { testApprover, testDecision, testDraft } from './drafts.ts'

export function contractOfAsks(c: Contract): void {
  describe('asks', () => {
    test('A-19: requested twice is one record, whatever else the second draft says', async () => {
      const draft = testDraft()
      const first = await c.store.request(draft)
      const second = await c.other.request({ ...draft, reason: 'another', expiresAt: new Date().toISOString() })
      expect(first.created).toBe(true)
      expect(second.created).toBe(false)
      expect(second.record).toEqual(first.record)
      expect(first.record).toMatchObject({ ...draft, revision: 1, state: 'pending' })
    })

    test('A-19: of 20 requests of one key at once, from both openings, one creates', async () => {
      const draft = testDraft()
      const all = await Promise.all(Array.from({ length: 20 }, async (_, index) => (index % 2 === 0 ? c.store : c.other).request(draft)))
      expect(all.filter((result) => result.created)).toHaveLength(1)
      expect(new Set(all.map((result) => JSON.stringify(result.record))).size).toBe(1)
    })

    test('A-19: another key under the same id is refused', async () => {
      const draft = testDraft()
      await c.store.request(draft)
      await expectCode(c.store.request({ ...draft, key: 'sha256:other' }), 'APPROVAL_STORE_FAILED')
    })

    test('A-17: a record reads back as it was written, also elsewhere', async () => {
      const record = await c.ask({ args: { text: 'π \u0000 \u202e', list: [1, null, { deep: true }] }, agent: 'worker' })
      expect(await c.other.get(record.id)).toEqual(record)
      expect(Object.isFrozen(await c.store.get(record.id))).toBe(true)
      expect(await c.store.get('apr_unknown')).toBeUndefined()
    })
  })

  describe('decisions', () => {
    test('A-20: a decision is durable with the next revision', async () => {
      const record = await c.ask()
      const done = await c.decide(record, 'reject')
      expect(done).toMatchObject({ state: 'rejected', revision: 2, decision: { outcome: 'reject' } })
      expect(await c.other.get(record.id)).toEqual(done)
    })

    test('A-20: 100 raced decisions have one winner each', async () => {
      for (let round = 0; round < 100; round++) {
        const record = await c.ask()
        const raced = await Promise.allSettled([c.decide(record, 'approve'), c.decide(record, 'reject', c.other)])
        expect(raced.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected'])
        const winner = raced[0].status === 'fulfilled' ? 'approved' : 'rejected'
        expect((await c.other.get(record.id))?.state).toBe(winner)
        expect((await c.store.get(record.id))?.state).toBe(winner)
      }
    })

    test('A-20: a stale revision changes nothing', async () => {
      const record = await c.ask()
      await expectCode(c.store.decide(record.id, { expectedRevision: 7, decision: await testDecision(record) }), 'APPROVAL_STALE_REVISION')
      await expectCode(c.store.close(record.id, { expectedRevision: 0, state: 'cancelled' }), 'APPROVAL_STALE_REVISION')
      expect(await c.store.get(record.id)).toEqual(record)
    })

    test('A-20: an unknown id is not found', async () => {
      const record = await c.ask()
      const decision = await testDecision(record)
      await expectCode(c.store.decide('apr_none', { expectedRevision: 1, decision }), 'APPROVAL_NOT_FOUND')
      await expectCode(c.store.close('apr_none', { expectedRevision: 1, state: 'cancelled' }), 'APPROVAL_NOT_FOUND')
      await expectCode(c.store.claim('apr_none', { worker: 'one', leaseMs: 1 }), 'APPROVAL_NOT_FOUND')
      await expectCode(c.store.mark('../apr_none', { fence: 1, at: 'consumed' }), 'APPROVAL_NOT_FOUND')
      await expectCode(c.store.revoke('grt_none', { by: testApprover }), 'APPROVAL_NOT_FOUND')
    })

    test('A-7, A-20: a decision after the expiry fails, and the ask is expired', async () => {
      const record = await c.ask({ expiresInMs: -1 })
      await expectCode(c.decide(record), 'APPROVAL_ALREADY_DECIDED')
      expect((await c.other.get(record.id))?.state).toBe('expired')
    })

    test.each(['expired', 'cancelled', 'unavailable'] as const)('A-20: closed as %s, nothing follows', async (state) => {
      const record = await c.ask()
      const closed = await c.store.close(record.id, { expectedRevision: 1, state })
      expect(closed).toMatchObject({ state, revision: 2 })
      await expectCode(c.decide(closed), 'APPROVAL_ALREADY_DECIDED')
      await expectCode(c.store.close(record.id, { expectedRevision: 2, state: 'cancelled' }), 'APPROVAL_ALREADY_DECIDED')
      expect(await c.store.claim(record.id, { worker: 'one', leaseMs: 1000 })).toEqual({ ok: false, why: 'not-approved' })
      expect(await c.store.get(record.id)).toEqual(closed)
    })

    test('A-20: an approval that nobody claimed can only expire', async () => {
      const record = await c.approved()
      await expectCode(c.store.close(record.id, { expectedRevision: 2, state: 'cancelled' }), 'APPROVAL_ALREADY_DECIDED')
      expect(await c.store.close(record.id, { expectedRevision: 2, state: 'expired' })).toMatchObject({ state: 'expired' })
    })
  })
}
