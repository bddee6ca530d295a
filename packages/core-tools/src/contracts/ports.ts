/**
 * Ports that several packages share: asking for approval, and releasing what a turn owns.
 */
import type { CallView } from './call-view.ts'
import type { AgentId, ToolExecution } from './execution.ts'
import { defineService, type ServiceToken } from './services.ts'

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
  /** The kind of surface the call was prepared with. */
  surface?: 'user_facing' | 'denied'
  rootCallId: string
  signal: AbortSignal
}

/** Closed: any other answer is no answer, and the call does not run. `arguments` on an approval are an edit. */
export type AskAnswer =
  | { outcome: 'approved'; by?: unknown; arguments?: unknown }
  | { outcome: 'rejected' | 'expired' | 'cancelled' | 'unavailable'; by?: unknown; reason?: string; code?: 'SURFACE_DENIED' }

export interface ApprovalSeam {
  ask(request: AskRequest): Promise<AskAnswer>
}

/** The ask service. Without a provider every ask is `APPROVAL_UNAVAILABLE`. */
export const Approval: ServiceToken<ApprovalSeam> = defineService<ApprovalSeam>('toolseam/approval', { package: '@toolseam/approval' })

export interface ReleaseOrder {
  reason: 'cancel' | 'terminate' | 'detach'
  turnId?: string
  agent?: AgentId
  rootCallIds?: readonly string[]
  deadlineMs?: number
}

export interface ReleaseReport {
  ended: string[]
  kept: string[]
  /** Process ids still alive. */
  stuck: number[]
}

/** Releases what calls of a turn own outside the runtime, such as processes. Always resolves. */
export interface OwnedWork {
  release(order: ReleaseOrder): Promise<ReleaseReport>
}

export const OwnedWork: ServiceToken<OwnedWork> = defineService<OwnedWork>('toolseam/owned-work', { package: '@toolseam/shell' })
