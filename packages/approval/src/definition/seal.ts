/**
 * The seal: hashes and authentication codes, as an interface, so that pure code and stores need no host module for them.
 */
import type { ApprovalRecord, Grant, StoredDecision } from './record.ts'

export interface Seal {
  /** `sha256:` and the hex digest of the UTF-8 text. */
  hash(text: string): string
  /** The code of a decision on this record. */
  sealDecision(record: ApprovalRecord, decision: Omit<StoredDecision, 'mac'>): Promise<string>
  /** Key, hashes and code of a record all fit its content. True for a record without a decision whose hashes fit. */
  fits(record: ApprovalRecord): Promise<boolean>
  /** `store`: the identity of the store that keeps the grant. */
  sealGrant(grant: Omit<Grant, 'mac'>, store: string | undefined): Promise<string>
  grantFits(grant: Grant, store: string | undefined): Promise<boolean>
}
