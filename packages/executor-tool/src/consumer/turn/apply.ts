/**
 * What a committed domain event means for the calls of the turn: each waiter is settled by the id that the event names, never "all" (E-42).
 */
import type { GivenUp, StagedRuntime, ToolResult } from '@toolseam/core-tools'
import type { AdmissionStore } from '../../definition/admissions.ts'
import type { ToolDomainEvent } from '../../definition/events.ts'
import { endAborted, endOf } from './ends.ts'
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
  const listed = event.kind === 'tool.halted' ? event.discarded : [...event.discarded, ...event.abandoned]
  for (const { dlineTid, turnId } of listed) {
    const slot = turnId === turn.turnId ? turn.find(dlineTid) : undefined
    if (slot !== undefined) turn.settle(slot, endAborted(staged, slot, abortOf(slot, { admissions, reason: event.reason })))
  }
}

/** Its admission is still there: the body never started. */
function abortOf(slot: Slot, { admissions, reason }: { admissions: AdmissionStore<ToolResult>; reason: string }): GivenUp['aborted'] {
  return { code: admissions.discard(slot.dlineTid) ? 'TOOL_ABORTED_BEFORE_DISPATCH' : 'TOOL_ABORTED', reason }
}

function failureCode(event: Event): string {
  return event.kind === 'tool.block_failed' ? event.failure.code : 'no result'
}
