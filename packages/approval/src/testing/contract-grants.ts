/**
 * The contract of stores: grants.
 */
import { describe, expect, test } from 'vitest'
import type { ApprovalStore } from '../definition/store.ts'
import { expectCode, type Contract } from './contract-context.ts'
import { testApprover, testDecision, testGrant } from './drafts.ts'

export function contractOfGrants(c: Contract): void {
  describe('grants', () => {
    const give = async (scope: 'session' | 'project' | 'user', change = {}): Promise<string> => {
      const record = await c.ask({ agent: 'a' })
      const grant = testGrant(record, scope, change)
      const decision = await testDecision(record, { grantId: grant.id })
      await c.store.decide(record.id, { expectedRevision: 1, decision, grant })
      return grant.id
    }
    const idsOf = async (filter: Parameters<ApprovalStore['grants']>[0]): Promise<string[]> =>
      (await c.other.grants(filter)).map(({ id }) => id)

    test('A-24: a grant is there with its decision, also elsewhere, and is found by agent and scope', async () => {
      const ids = [await give('session'), await give('project'), await give('user')]
      expect((await idsOf(undefined)).toSorted()).toEqual(ids.toSorted())
      expect(await idsOf({ scope: 'user' })).toEqual([ids[2]])
      expect(await idsOf({ agent: 'a', scope: 'session' })).toEqual([ids[0]])
      expect(await idsOf({ agent: 'b' })).toEqual([])
    })

    test('A-24: a decision that lost leaves no grant', async () => {
      const record = await c.ask()
      await c.decide(record, 'reject')
      const grant = testGrant(record, 'user')
      const decision = await testDecision(record, { grantId: grant.id })
      await expectCode(c.other.decide(record.id, { expectedRevision: 1, decision, grant }), 'APPROVAL_ALREADY_DECIDED')
      expect(await c.store.grants()).toEqual([])
    })

    test('A-24: of two raced decisions the grant of the winner is the one', async () => {
      for (let round = 0; round < 20; round++) {
        const record = await c.ask()
        const offers = [testGrant(record, 'session'), testGrant(record, 'user')]
        const raced = await Promise.allSettled(
          offers.map(async (grant, index) =>
            (index === 0 ? c.store : c.other).decide(record.id, {
              expectedRevision: 1,
              decision: await testDecision(record, { grantId: grant.id }),
              grant,
            }),
          ),
        )
        const winner = offers[raced.findIndex((result) => result.status === 'fulfilled')]
        const given = (await c.other.grants()).filter((grant) => offers.some((offer) => offer.id === grant.id))
        expect(given.map(({ id }) => id)).toEqual([winner?.id])
      }
    })

    test('A-27: a revocation holds at the next look-up everywhere, and is kept', async () => {
      const id = await give('project')
      expect(await idsOf({ active: true })).toEqual([id])
      const revoked = await c.store.revoke(id, { by: testApprover, reason: 'no longer' })
      expect(revoked).toMatchObject({ id, revokedBy: testApprover, revokedReason: 'no longer' })
      expect(await idsOf({ active: true })).toEqual([])
      expect(await idsOf({ active: false })).toEqual([id])
      expect((await c.other.revoke(id, { by: testApprover })).revokedAt).toBe(revoked.revokedAt)
    })

    test('A-27: an expired grant is not active', async () => {
      const id = await give('session', { expiresAt: new Date(Date.now() - 1).toISOString() })
      expect(await idsOf({ active: true })).toEqual([])
      expect(await idsOf({ active: false })).toEqual([id])
    })
  })
}
