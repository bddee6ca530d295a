/**
 * The approval store: where asks and grants live. Promises, kept by every provider and proved by `runStoreContract`:
 *
 * - Every method is one atomic step, and what it changed is durable when its promise resolves (`memory`: as long as the process lives).
 * - Of any number of processes that change the same revision, exactly one wins; the others fail and change nothing.
 * - Only the moves of A-20 exist. All else fails `APPROVAL_ALREADY_DECIDED`, `APPROVAL_STALE_REVISION` or `APPROVAL_NOT_FOUND`.
 * - Time is the store's own clock; nothing is decided or claimed after `expiresAt`.
 * - A row of an unknown version or state, and a row whose decision carries a code that does not fit (where the store was opened with a
 *   secret), is left alone: the record reads as it was before it, and `watch` names it.
 */
import { defineService, type ServiceToken } from '@toolseam/core-tools'
import type { ApprovalDraft, ApprovalFilter, ApprovalRecord, Approver, Grant, GrantFilter, StoredDecision } from './record.ts'

export type ClaimResult =
  | { ok: true; record: ApprovalRecord; fence: number }
  | { ok: false; why: 'not-approved' | 'held' | 'consumed' | 'interrupted' }

/** A record reached `revision`. `problem`: a row was found that is no change and was left alone. */
export interface StoreChange {
  id: string
  revision: number
  problem?: 'forged' | 'unreadable'
}

export interface ApprovalStore {
  /** Idempotent by `draft.key`: the record that is there is returned as it stands, whatever else the draft says. */
  request(draft: ApprovalDraft): Promise<{ record: ApprovalRecord; created: boolean }>
  /** Compare-and-set from `pending`. A grant becomes valid with the decision or not at all. */
  decide(id: string, change: { expectedRevision: number; decision: StoredDecision; grant?: Grant }): Promise<ApprovalRecord>
  /** Ends an ask without an answer. `expired` also ends an approval that nobody claimed. */
  close(id: string, change: { expectedRevision: number; state: 'expired' | 'cancelled' | 'unavailable' }): Promise<ApprovalRecord>
  /** Takes the right to run an approved call, for `leaseMs`. Takes over a claim whose lease is over and that was never dispatched. */
  claim(id: string, options: { worker: string; leaseMs: number }): Promise<ClaimResult>
  /** What the claimer did. An older fence, or a claim that is no more: `APPROVAL_LEASE_LOST`. */
  mark(
    id: string,
    change: {
      fence: number
      at: 'renewed' | 'dispatched' | 'consumed'
      leaseMs?: number
      result?: { isError: boolean; code?: string }
    },
  ): Promise<ApprovalRecord>
  get(id: string): Promise<ApprovalRecord | undefined>
  /** In order of creation. */
  list(filter?: ApprovalFilter): Promise<ApprovalRecord[]>
  /** Ends every open ask and unclaimed approval whose time is over; gives their ids. */
  expire(): Promise<string[]>
  grants(filter?: GrantFilter): Promise<Grant[]>
  /** Durable and effective at the next look-up of every process. Revoking twice keeps the first revocation. */
  revoke(id: string, change: { by: Approver; reason?: string }): Promise<Grant>
  /**
   * Begins when called, not when first read: the open records as they are, then every change, of this and of other processes (within 1 s).
   * `after`, an instant (RFC 3339): also what was written at or since then, so that nothing is missed; something may come twice.
   */
  watch(options: { signal: AbortSignal; after?: string }): AsyncIterable<StoreChange>
  /** Ends the watches. Further calls fail `APPROVAL_CLOSED`. */
  dispose(): Promise<void>
}

export const ApprovalStore: ServiceToken<ApprovalStore> = defineService<ApprovalStore>('toolseam/approval-store', {
  package: '@toolseam/approval',
})
