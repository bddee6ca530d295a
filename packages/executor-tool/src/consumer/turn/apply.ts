/**
 * What a committed domain event means for the calls of the turn: each waiter is settled by the id that the event names, never "all" (E-42).
 */
import type { GivenUp, StagedRuntime, ToolResult } from '@toolseam/core-tools'
import type { AdmissionStore } from '../../definition/admissions.ts'
import type { ToolDomainEvent } from '../../definition/events.ts'
import type { Ident } from '../../definition/vocabulary.ts'
import { read } from '../../guarding/thrown.ts'
import { type End, endAborted, endOf } from './ends.ts'
import type { Slot } from './slot.ts'
import type { TurnRun } from './turn-run.ts'

export interface ApplyParts {
  readonly turn: TurnRun
  readonly staged: StagedRuntime
  readonly admissions: AdmissionStore<ToolResult>
}

type Event = ToolDomainEvent<ToolResult>

export function applyOutcome({ turn, staged, admissions }: ApplyParts, event: Event): void {
  if (event.kind === 'tool.halted' || event.kind === 'tool.halt_failed') return
  const slot = turn.find(event.dlineTid)
  if (slot === undefined) return
  if (event.kind === 'tool.rejected') {
    admissions.discard(event.dlineTid)
    turn.settle(slot, endAborted(staged, slot, { code: 'TOOL_ABORTED_BEFORE_DISPATCH', reason: event.reason }))
    return
  }
  const { dispatched } = slot
  // A block that failed outside the pipeline has no value of it.
  if (dispatched === undefined) turn.settle(slot, endAborted(staged, slot, { code: 'TOOL_ABORTED', reason: failureCode(event) }))
  else turn.settle(slot, endOf(staged, dispatched))
}

export function applyClosing({ turn, staged, admissions }: ApplyParts, event: Event): void {
  if (event.kind !== 'tool.halted' && event.kind !== 'tool.halt_failed') return
  const { reason } = event
  const slotOf = ({ dlineTid, turnId }: Ident): Slot | undefined => (turnId === turn.turnId ? turn.find(dlineTid) : undefined)
  for (const ident of event.discarded) {
    const slot = slotOf(ident)
    if (slot === undefined) continue
    turn.settle(slot, endOfItsStop(staged, slot, reason) ?? endAborted(staged, slot, abortOf(slot, { admissions, reason })))
  }
  for (const ident of event.kind === 'tool.halt_failed' ? event.abandoned : []) {
    const slot = slotOf(ident)
    if (slot !== undefined) turn.settle(slot, endAborted(staged, slot, abortOf(slot, { admissions, reason })))
  }
}

/**
 * A cut body that ended by this very stop tells how far it came: the same `TOOL_ABORTED`, with what the tool left in its details (S-40, P-55).
 * Whatever else came after the cut, success or failure, stays discarded (E-11).
 */
function endOfItsStop(staged: StagedRuntime, { dispatched }: Slot, reason: string): End | undefined {
  if (dispatched?.kind !== 'final-result') return undefined
  const { result } = dispatched
  if (!result.isError || result.error.code !== 'TOOL_ABORTED' || read(result.error.details, 'reason') !== reason) return undefined
  return endOf(staged, dispatched)
}

/** Its admission is still there: the body never started. */
function abortOf(slot: Slot, { admissions, reason }: { admissions: AdmissionStore<ToolResult>; reason: string }): GivenUp['aborted'] {
  return { code: admissions.discard(slot.dlineTid) ? 'TOOL_ABORTED_BEFORE_DISPATCH' : 'TOOL_ABORTED', reason }
}

function failureCode(event: Event): string {
  return event.kind === 'tool.block_failed' ? event.failure.code : 'no result'
}
