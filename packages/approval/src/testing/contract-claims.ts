/**
 * The contract of stores: claims and their marks.
 */
import { describe, expect, test } from 'vitest'
import { expectCode, until, type Contract } from './contract-context.ts'

export function contractOfClaims(c: Contract): void {
  describe('claims', () => {
    test('A-21: nothing is claimed before it is approved', async () => {
      const record = await c.ask()
      expect(await c.store.claim(record.id, { worker: 'one', leaseMs: 1000 })).toEqual({ ok: false, why: 'not-approved' })
      expect(await c.store.get(record.id)).toEqual(record)
    })

    test('A-21: of many claims one wins', async () => {
      const record = await c.approved()
      const claims = await Promise.all(
        Array.from({ length: 8 }, async (_, index) =>
          (index % 2 === 0 ? c.store : c.other).claim(record.id, { worker: `w${index}`, leaseMs: 60_000 }),
        ),
      )
      expect(claims.filter((claim) => claim.ok)).toHaveLength(1)
      expect(claims.filter((claim) => !claim.ok && claim.why === 'held')).toHaveLength(7)
    })

    test('A-7: an approval is not claimed after its expiry', async () => {
      const record = await c.ask({ expiresInMs: 150 })
      await c.decide(record)
      await until(() => Date.now() > Date.parse(record.expiresAt))
      expect(await c.store.claim(record.id, { worker: 'one', leaseMs: 1000 })).toEqual({ ok: false, why: 'not-approved' })
      expect((await c.other.get(record.id))?.state).toBe('expired')
    })

    test('A-21: lease over and not dispatched is claimed anew, with a fence one higher; the old fence is refused', async () => {
      const first = await c.claimed(1)
      await until(() => Date.now() > Date.parse(first.record.claim?.leaseUntil ?? ''))
      const second = await c.other.claim(first.record.id, { worker: 'two', leaseMs: 60_000 })
      expect(second).toMatchObject({ ok: true, fence: first.fence + 1, record: { state: 'claimed', claim: { worker: 'two' } } })
      for (const at of ['renewed', 'dispatched', 'consumed'] as const) {
        await expectCode(c.store.mark(first.record.id, { fence: first.fence, at }), 'APPROVAL_LEASE_LOST')
      }
      expect((await c.store.get(first.record.id))?.claim).toMatchObject({ worker: 'two', fence: first.fence + 1 })
    })

    test('A-21: lease over and dispatched is interrupted, and never runs again', async () => {
      const { record, fence } = await c.claimed(1)
      await c.store.mark(record.id, { fence, at: 'dispatched', leaseMs: 1 })
      await until(async () => Date.now() > Date.parse((await c.store.get(record.id))?.claim?.leaseUntil ?? ''))
      expect(await c.other.claim(record.id, { worker: 'two', leaseMs: 1000 })).toEqual({ ok: false, why: 'interrupted' })
      expect((await c.store.get(record.id))?.state).toBe('interrupted')
      await expectCode(c.store.mark(record.id, { fence, at: 'consumed' }), 'APPROVAL_LEASE_LOST')
      expect(await c.store.claim(record.id, { worker: 'one', leaseMs: 1000 })).toEqual({ ok: false, why: 'interrupted' })
    })

    test('A-21: a renewed lease is held', async () => {
      const { record, fence } = await c.claimed(1)
      await c.store.mark(record.id, { fence, at: 'renewed', leaseMs: 60_000 })
      expect(await c.other.claim(record.id, { worker: 'two', leaseMs: 1000 })).toEqual({ ok: false, why: 'held' })
    })

    test('A-21: dispatched is marked once, then consumed, and consumed never runs again', async () => {
      const { record, fence } = await c.claimed()
      const first = await c.store.mark(record.id, { fence, at: 'dispatched' })
      const again = await c.store.mark(record.id, { fence, at: 'dispatched' })
      expect(again.claim?.dispatchedAt).toBe(first.claim?.dispatchedAt)
      const done = await c.store.mark(record.id, { fence, at: 'consumed', result: { isError: true, code: 'TOOL_FAILED' } })
      expect(done).toMatchObject({ state: 'consumed', settled: { isError: true, code: 'TOOL_FAILED' } })
      expect(await c.other.claim(record.id, { worker: 'two', leaseMs: 1000 })).toEqual({ ok: false, why: 'consumed' })
      await expectCode(c.store.mark(record.id, { fence, at: 'consumed' }), 'APPROVAL_ALREADY_DECIDED')
    })
  })
}
