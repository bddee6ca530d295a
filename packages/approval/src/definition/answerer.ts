/**
 * An answerer: one way to a human (or to what stands in for one). Promises of the service towards it:
 *
 * - Answerers are asked in order until one does not return undefined; one that throws or talks nonsense ends the ask, unanswered.
 * - The signal aborts as soon as the ask is over; what is said later is dropped.
 * - Sensitive arguments arrive masked. Edited arguments that keep the mask keep the value behind it.
 */
import type { AgentId, JsonIssue } from '@toolseam/core-tools'
import type { ApprovalRecord, Approver, Decision } from './record.ts'

/** The record as shown to a human, and what was wrong with the last edit, if there was one. */
export type AskView = Readonly<ApprovalRecord> & { readonly problems?: readonly JsonIssue[] }

export type Answer = Decision & { by: Approver }

export interface Answerer {
  name: string
  /** A human sits there now: asks end after 15 minutes; else they are parked for 7 days. */
  interactive: boolean
  /** Serves this agent and those below it; without it, all. */
  agent?: AgentId
  /** Undefined: not mine, ask the next one. */
  answer(ask: AskView, options: { signal: AbortSignal }): Promise<Answer | undefined>
  /** Asks of one turn that came together, by id. One that is missing in the map is 'not mine'. */
  answerBatch?(asks: AskView[], options: { signal: AbortSignal }): Promise<Map<string, Answer>>
}
