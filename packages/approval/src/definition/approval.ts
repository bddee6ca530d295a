/**
 * The approval service. An ask is a durable fact with one answer. Promises:
 *
 * - `ask` never rejects and settles exactly once; no error path yields `approved`.
 * - What is approved is this tool with this schema, these arguments, this agent and this call, and nothing else.
 * - The first durable decision wins, wherever it came from; later ones are dropped.
 */
import {
  Approval as ApprovalSeamToken,
  type AgentId,
  type CallView,
  type Disposer,
  type JsonValue,
  type ServiceToken,
  type ToolExecution,
  type ToolResult,
} from '@toolseam/core-tools'
import type { Answerer } from './answerer.ts'
import type { ApprovalFilter, ApprovalRecord, Approver, Decision, Grant, GrantFilter } from './record.ts'

export interface AskRequest {
  execution: ToolExecution
  /** With preview. */
  call: CallView
  reason?: string
  by: string
  /** Every tap whose ask stands, `by` first. */
  askers: { tap: string; by: string; reason?: string }[]
  /** Root first. */
  parents: { callId: string; name: string }[]
  surface?: 'user_facing' | 'denied'
  rootCallId: string
  signal: AbortSignal
}

/** `arguments` of an approval are edited ones. `code` is the code of the tool result where it is not the usual one. */
export type AskAnswer =
  | { outcome: 'approved'; recordId: string; by: Approver; arguments?: JsonValue; grantId?: string; fence?: number }
  | { outcome: 'rejected'; recordId: string; by: Approver; reason?: string }
  | { outcome: 'expired'; recordId: string; reason?: string }
  | { outcome: 'cancelled'; recordId?: string; reason: 'aborted' | 'disposed' | 'superseded' }
  | { outcome: 'unavailable'; recordId?: string; reason: string; code?: 'SURFACE_DENIED' }

/** What `watch` tells. `late`: an answer that came after the ask was over, and was dropped. */
export type ApprovalEvent =
  | { kind: 'current' | 'changed'; id: string; revision: number; record: ApprovalRecord }
  | { kind: 'forged' | 'unreadable'; id: string; revision: number }
  | { kind: 'late'; id: string; revision: number; answerer: string; outcome: string }

export interface Approval {
  ask(request: AskRequest): Promise<AskAnswer>
  /** Same order; one batch, each decided alone. */
  askAll(requests: AskRequest[]): Promise<AskAnswer[]>
  /**
   * Answers an ask, from anywhere. Throws `APPROVAL_NOT_FOUND`, `APPROVAL_ALREADY_DECIDED`, `APPROVAL_STALE_REVISION`,
   * `APPROVAL_INVALID_DECISION`, `APPROVAL_NOT_OFFERED` and, for an edit that does not fit the tool, `INVALID_TOOL_INPUT`; the ask then stays
   * as it was.
   */
  decide(id: string, decision: Decision, options: { by: Approver; expectedRevision?: number }): Promise<ApprovalRecord>
  /** Records as shown to people: sensitive arguments masked; a decision whose code does not fit reads as pending. */
  list(filter?: ApprovalFilter): Promise<ApprovalRecord[]>
  get(id: string): Promise<ApprovalRecord | undefined>
  /** Current state first, then changes, until the signal aborts. */
  watch(filter?: ApprovalFilter, options?: { signal?: AbortSignal }): AsyncIterable<ApprovalEvent>
  grants(filter?: GrantFilter): Promise<Grant[]>
  revoke(grantId: string, options: { by: Approver; reason?: string }): Promise<Grant>
  /** Runs what a dead process left, from the store alone. Ends when nothing is left or the signal aborts. */
  resume(options?: { signal?: AbortSignal; filter?: ApprovalFilter }): AsyncIterable<{ record: ApprovalRecord; result: ToolResult }>
  /** Tried before those already there. */
  addAnswerer(answerer: Answerer): Disposer
}

/** The same token as core-tools declares with `ask` alone. */
export const Approval: ServiceToken<Approval> = ApprovalSeamToken as ServiceToken<Approval>

/** Who may be asked for an agent: `forward` to an ancestor's answerers, or `refuse`. The nearest agent named wins. */
export type AskForwarding = 'forward' | 'refuse' | { readonly [agent: AgentId]: 'forward' | 'refuse' }
