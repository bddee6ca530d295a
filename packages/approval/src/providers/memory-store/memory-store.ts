/**
 * The store in memory: the contract twin for tests and for runtimes that need no memory of their asks. Every method runs in one turn of the
 * event loop, which is its atomicity.
 */
import { ApprovalError } from '../../definition/errors.ts'
import type { ApprovalRecord, Grant } from '../../definition/record.ts'
import type { Seal } from '../../definition/seal.ts'
import type { ApprovalStore, StoreChange } from '../../definition/store.ts'
import { createFeed, type Feed } from '../../record/change-feed.ts'
import { byCreation, matchesFilter, matchesGrantFilter } from '../../record/filter.ts'
import { claimMove, closeMove, decideMove, expireMove, isTerminal, markMove, type Move } from '../../record/moves.ts'
import { deepFreeze } from '../../record/shape.ts'

interface Row {
  record: ApprovalRecord
  changedAt: number
}

/** With a seal, a decision whose code does not fit is refused. */
export function memoryStore(options: { seal?: Seal } = {}): ApprovalStore {
  const { seal } = options
  const rows = new Map<string, Row>()
  const grants = new Map<string, Grant>()
  const feeds = new Set<Feed<StoreChange>>()
  let closed = false

  return {
    async request(draft) {
      requireOpen()
      const there = rows.get(draft.id)
      if (there !== undefined) {
        if (there.record.key !== draft.key)
          throw new ApprovalError('APPROVAL_STORE_FAILED', { id: draft.id, why: 'another ask has this id' })
        return { record: there.record, created: false }
      }
      return { record: put({ ...structuredClone(draft), revision: 1, state: 'pending' }), created: true }
    },
    async decide(id, change) {
      requireOpen()
      const decision = structuredClone(change.decision)
      const grant = change.grant === undefined ? undefined : structuredClone(change.grant)
      if (seal !== undefined && !(await seal.fits({ ...rowOf(id).record, decision }))) throw new ApprovalError('APPROVAL_FORGED', { id })
      return apply(id, (record, now) => {
        const move = decideMove(record, now, { ...change, decision })
        return {
          next: move.next,
          result(last) {
            const result = move.result(last)
            if (grant !== undefined) grants.set(grant.id, deepFreeze(grant))
            return result
          },
        }
      })
    },
    close: async (id, change) => apply(id, (record) => closeMove(record, change)),
    claim: async (id, claim) => apply(id, (record, now) => claimMove(record, now, claim)),
    mark: async (id, change) => apply(id, (record, now) => markMove(record, now, change)),
    async get(id) {
      requireOpen()
      return rows.get(id)?.record
    },
    async list(filter) {
      requireOpen()
      return [...rows.values()]
        .map((row) => row.record)
        .filter((record) => matchesFilter(record, filter))
        .toSorted(byCreation)
    },
    async expire() {
      requireOpen()
      const now = Date.now()
      return [...rows.values()].flatMap(({ record }) => {
        const move = expireMove(record, now)
        if (move === undefined) return []
        move.next.forEach(put)
        return [record.id]
      })
    },
    async grants(filter) {
      requireOpen()
      return [...grants.values()].filter((grant) => matchesGrantFilter(grant, Date.now(), filter)).toSorted(byCreation)
    },
    async revoke(id, change) {
      requireOpen()
      const grant = grants.get(id)
      if (grant === undefined) throw new ApprovalError('APPROVAL_NOT_FOUND', { id })
      if (grant.revokedAt !== undefined) return grant
      const revoked: Grant = { ...grant, revokedAt: new Date().toISOString(), revokedBy: structuredClone(change.by) }
      if (change.reason !== undefined) revoked.revokedReason = change.reason
      grants.set(id, deepFreeze(revoked))
      return revoked
    },
    watch({ signal, after }) {
      requireOpen()
      const feed: Feed<StoreChange> = createFeed<StoreChange>(signal, () => feeds.delete(feed))
      feeds.add(feed)
      const since = after === undefined ? Infinity : Date.parse(after)
      for (const { record, changedAt } of rows.values()) {
        if (!isTerminal(record.state) || changedAt >= since) feed.push({ id: record.id, revision: record.revision })
      }
      return feed.values
    },
    async dispose() {
      closed = true
      for (const feed of feeds) feed.end()
    },
  }

  function apply<T>(id: string, mover: (record: ApprovalRecord, now: number) => Move<T>): T {
    requireOpen()
    const { record } = rowOf(id)
    const move = mover(record, Date.now())
    move.next.forEach(put)
    return move.result(rowOf(id).record)
  }

  function put(record: ApprovalRecord): ApprovalRecord {
    rows.set(record.id, { record: deepFreeze(record), changedAt: Date.now() })
    for (const feed of feeds) feed.push({ id: record.id, revision: record.revision })
    return record
  }

  function rowOf(id: string): Row {
    const row = rows.get(id)
    if (row === undefined) throw new ApprovalError('APPROVAL_NOT_FOUND', { id })
    return row
  }

  function requireOpen(): void {
    if (closed) throw new ApprovalError('APPROVAL_CLOSED')
  }
}
