/**
 * Admissions: the prepared record of one block, put by the side that decides and taken once by the side that executes (E-6).
 */
import type { AdmissionMiss } from './events.ts'
import type { BlockContext, StopPolicy } from './vocabulary.ts'

export interface AdmittedBlock<R> {
  run(context: BlockContext): Promise<R> | R
  readonly turnId?: string
  readonly callId?: string
  readonly stop?: StopPolicy
  readonly idempotent?: boolean
}

/**
 * Promises: `take` gives a block at most once; a block taken cannot be put again under its id (`ADMISSION_CONSUMED`);
 * `put` over a live one replaces it; memory of ids that are gone is bounded by `retain`.
 */
export interface AdmissionStore<R> {
  put(dlineTid: string, block: AdmittedBlock<R>): void
  peek(dlineTid: string): AdmittedBlock<R> | undefined
  /** Throws `ADMISSION_MISSING` with `why` when there is none. */
  take(dlineTid: string): AdmittedBlock<R>
  /** True if a live one was there. */
  discard(dlineTid: string): boolean
  /** Live admissions. */
  readonly size: number
}

export interface AdmissionOptions {
  /** How many ids of taken and discarded blocks are remembered. Default 10 000. */
  retain?: number
}

export type { AdmissionMiss }
