/**
 * The contract of stores: lists, the sweep, watching.
 */
import { describe, expect, test } from 'vitest'
import type { ApprovalStore, StoreChange } from '../definition/store.ts'
import { expectCode, read, until, type Contract } from './contract-context.ts'
import { testDraft } from './drafts.ts'

export function contractOfLooking(c: Contract): void {
  describe('looking', () => {
    test('A-30: lists by id, state, agent, session and tool, in order of creation', async () => {
      const one = await c.ask({ agent: 'a', session: 's1' })
      const two = await c.ask({ agent: 'b', session: 's1', tool: 'other' })
      const three = await c.decide(await c.ask({ agent: 'a', session: 's2' }))
      const ids = async (filter: Parameters<ApprovalStore['list']>[0]): Promise<string[]> =>
        (await c.other.list(filter)).map(({ id }) => id)
      expect((await ids(undefined)).toSorted()).toEqual([one.id, two.id, three.id].toSorted())
      expect((await ids({ state: 'pending' })).toSorted()).toEqual([one.id, two.id].toSorted())
      expect(await ids({ state: ['approved', 'rejected'] })).toEqual([three.id])
      expect((await ids({ agent: 'a' })).toSorted()).toEqual([one.id, three.id].toSorted())
      expect(await ids({ session: 's2' })).toEqual([three.id])
      expect(await ids({ tool: 'other' })).toEqual([two.id])
      expect(await ids({ ids: [two.id], state: 'approved' })).toEqual([])
      const listed = await c.other.list()
      expect(listed.map((record) => record.createdAt)).toEqual(listed.map((record) => record.createdAt).toSorted())
    })

    test('A-7: the sweep ends what is over and gives the ids', async () => {
      const over = await c.ask({ expiresInMs: -1 })
      const open = await c.ask()
      const late = await c.ask({ expiresInMs: 150 })
      await c.decide(late)
      await until(() => Date.now() > Date.parse(late.expiresAt))
      expect((await c.store.expire()).toSorted()).toEqual([over.id, late.id].toSorted())
      expect((await c.other.list({ state: 'expired' })).map(({ id }) => id).toSorted()).toEqual([over.id, late.id].toSorted())
      expect(await c.store.get(open.id)).toEqual(open)
      expect(await c.store.expire()).toEqual([])
    })

    test('A-29: a watch tells the open asks, then each change, also of another process, within a second', async () => {
      const before = await c.ask()
      const stop = new AbortController()
      const seen: StoreChange[] = []
      const reading = read(c.other.watch({ signal: stop.signal }), seen)
      await until(() => seen.some((change) => change.id === before.id))
      const started = performance.now()
      const later = await c.ask()
      await c.decide(later)
      await until(() => seen.some((change) => change.id === later.id && change.revision === 2))
      // The bound of the contract is a second; the rest is the slack of a busy machine.
      expect(performance.now() - started).toBeLessThan(3000)
      stop.abort()
      await reading
    })

    test('A-29: a watch begins when it is called, and misses nothing since `after`', async () => {
      const after = new Date().toISOString()
      const settled = await c.decide(await c.ask(), 'reject')
      const stop = new AbortController()
      const changes = c.other.watch({ signal: stop.signal, after })
      const next = await c.ask()
      const seen: StoreChange[] = []
      const reading = read(changes, seen)
      await until(() => [settled.id, next.id].every((id) => seen.some((change) => change.id === id)))
      stop.abort()
      await reading
    })

    test('A-30: a closed c.store ends its watches and refuses everything', async () => {
      const reading = read(c.store.watch({ signal: new AbortController().signal }), [])
      await c.store.dispose()
      await reading
      await expectCode(c.store.request(testDraft()), 'APPROVAL_CLOSED')
      await expectCode(c.store.list(), 'APPROVAL_CLOSED')
    })
  })
}
