/**
 * The legal moves of a record, pure: from a record as read and the time, to the records that follow and what the caller is
 * told. Every store runs these and adds only atomicity and durability.
 */
import { ApprovalError } from '../definition/errors.ts'
import type { ApprovalRecord, ApprovalState, StoredDecision } from '../definition/record.ts'
import type { ClaimResult } from '../definition/store.ts'

/** `next`: each the successor of the one before. `result` is called with the last durable record once all are; it may throw. */
export interface Move<T> {
  next: readonly ApprovalRecord[]
  result(record: ApprovalRecord): T
}

const FOLLOWING: { readonly [state in ApprovalState]: readonly ApprovalState[] } = {
  pending: ['approved', 'rejected', 'expired', 'cancelled', 'unavailable'],
  approved: ['claimed', 'expired'],
  claimed: ['claimed', 'consumed', 'approved', 'interrupted'],
  rejected: [],
  expired: [],
  cancelled: [],
  unavailable: [],
  consumed: [],
  interrupted: [],
}

/** Nothing follows this state any more. */
export function isTerminal(state: ApprovalState): boolean {
  return FOLLOWING[state].length === 0
}

/** Whether `after` may follow `before`: one revision on, a legal move, and nothing changed that never changes. */
export function isSuccessor(before: ApprovalRecord, after: ApprovalRecord): boolean {
  if (after.revision !== before.revision + 1 || !FOLLOWING[before.state].includes(after.state)) return false
  if (fixedPart(before) !== fixedPart(after)) return false
  if (before.state !== 'pending' && JSON.stringify(before.decision) !== JSON.stringify(after.decision)) return false
  const fence = before.claim?.fence ?? 0
  return after.state === 'claimed' && before.state === 'approved' ? after.claim?.fence === fence + 1 : (after.claim?.fence ?? 0) === fence
}

function fixedPart(record: ApprovalRecord): string {
  const { revision, state, decision, claim, settled, ...fixed } = record
  return JSON.stringify(fixed)
}

export function decideMove(
  record: ApprovalRecord,
  now: number,
  change: { expectedRevision: number; decision: StoredDecision },
): Move<ApprovalRecord> {
  if (record.state !== 'pending') return refuse(alreadyDecided(record))
  if (isOver(record, now)) {
    const expired = follow(record, { state: 'expired' })
    return { next: [expired], result: (last) => fail(alreadyDecided(last)) }
  }
  if (record.revision !== change.expectedRevision) return refuse(staleRevision(record, change.expectedRevision))
  const state = change.decision.outcome === 'approve' ? 'approved' : 'rejected'
  return to(follow(record, { state, decision: change.decision }))
}

export function closeMove(
  record: ApprovalRecord,
  change: { expectedRevision: number; state: 'expired' | 'cancelled' | 'unavailable' },
): Move<ApprovalRecord> {
  if (!FOLLOWING[record.state].includes(change.state)) return refuse(alreadyDecided(record))
  if (record.revision !== change.expectedRevision) return refuse(staleRevision(record, change.expectedRevision))
  return to(follow(record, { state: change.state }))
}

export function claimMove(record: ApprovalRecord, now: number, options: { worker: string; leaseMs: number }): Move<ClaimResult> {
  if (record.state === 'consumed' || record.state === 'interrupted') return no(record.state)
  if (record.state === 'claimed') return takeOver(record, now, options)
  if (record.state !== 'approved') return no('not-approved')
  if (isOver(record, now)) return { next: [follow(record, { state: 'expired' })], result: () => ({ ok: false, why: 'not-approved' }) }
  return granted([claimed(record, now, options)])
}

function takeOver(record: ApprovalRecord, now: number, options: { worker: string; leaseMs: number }): Move<ClaimResult> {
  const claim = record.claim
  if (claim !== undefined && Date.parse(claim.leaseUntil) > now) return no('held')
  if (claim?.dispatchedAt !== undefined) {
    return { next: [follow(record, { state: 'interrupted' })], result: () => ({ ok: false, why: 'interrupted' }) }
  }
  // The approval was given in time and its first claimer died: the lease decides, so the expiry of the ask is not looked at again.
  const released = follow(record, { state: 'approved' })
  return granted([released, claimed(released, now, options)])
}

function claimed(record: ApprovalRecord, now: number, options: { worker: string; leaseMs: number }): ApprovalRecord {
  const fence = (record.claim?.fence ?? 0) + 1
  return follow(record, { state: 'claimed', claim: { worker: options.worker, fence, leaseUntil: instant(now + options.leaseMs) } })
}

export function markMove(
  record: ApprovalRecord,
  now: number,
  change: { fence: number; at: 'renewed' | 'dispatched' | 'consumed'; leaseMs?: number; result?: { isError: boolean; code?: string } },
): Move<ApprovalRecord> {
  const claim = record.claim
  if (claim?.fence !== change.fence) return refuse(leaseLost(record, change.fence))
  if (record.state === 'consumed') return refuse(alreadyDecided(record))
  if (record.state !== 'claimed') return refuse(leaseLost(record, change.fence))
  if (change.at === 'consumed') {
    const { isError = false, code } = change.result ?? {}
    return to(follow(record, { state: 'consumed', settled: { at: instant(now), isError, ...(code === undefined ? {} : { code }) } }))
  }
  const leaseUntil = change.leaseMs === undefined ? claim.leaseUntil : instant(now + change.leaseMs)
  const dispatchedAt = claim.dispatchedAt ?? (change.at === 'dispatched' ? instant(now) : undefined)
  return to(follow(record, { state: 'claimed', claim: { ...claim, leaseUntil, ...(dispatchedAt === undefined ? {} : { dispatchedAt }) } }))
}

/** For the sweep; undefined where the time of the record is not over. */
export function expireMove(record: ApprovalRecord, now: number): Move<true> | undefined {
  if ((record.state !== 'pending' && record.state !== 'approved') || !isOver(record, now)) return undefined
  return { next: [follow(record, { state: 'expired' })], result: () => true }
}

function isOver(record: ApprovalRecord, now: number): boolean {
  return now >= Date.parse(record.expiresAt)
}

function follow(record: ApprovalRecord, change: Partial<ApprovalRecord>): ApprovalRecord {
  return { ...record, ...change, revision: record.revision + 1 }
}

const instant = (at: number): string => new Date(at).toISOString()
const to = (next: ApprovalRecord): Move<ApprovalRecord> => ({ next: [next], result: (last) => last })
const no = (why: Exclude<ClaimResult, { ok: true }>['why']): Move<ClaimResult> => ({ next: [], result: () => ({ ok: false, why }) })
const granted = (next: ApprovalRecord[]): Move<ClaimResult> => ({
  next,
  result: (record) => ({ ok: true, record, fence: record.claim?.fence ?? 0 }),
})

function refuse(error: ApprovalError): Move<never> {
  return { next: [], result: () => fail(error) }
}

function fail(error: ApprovalError): never {
  throw error
}

function alreadyDecided(record: ApprovalRecord): ApprovalError {
  return new ApprovalError('APPROVAL_ALREADY_DECIDED', { id: record.id, state: record.state, revision: record.revision })
}

function staleRevision(record: ApprovalRecord, expected: number): ApprovalError {
  return new ApprovalError('APPROVAL_STALE_REVISION', { id: record.id, expected, actual: record.revision })
}

function leaseLost(record: ApprovalRecord, fence: number): ApprovalError {
  return new ApprovalError('APPROVAL_LEASE_LOST', { id: record.id, fence, held: record.claim?.fence ?? 0, state: record.state })
}
