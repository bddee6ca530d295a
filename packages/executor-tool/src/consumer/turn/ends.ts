/**
 * How a call of a turn ends: through `finalize` or `finish` of the staged view, each value once (E-36, E-41).
 */
import type { Dispatched, GivenUp, StagedRuntime, ToolResult } from '@toolseam/core-tools'
import { abortedResult } from './render-results.ts'
import type { Slot } from './slot.ts'

export type End = () => Promise<ToolResult>

export function endOf(staged: StagedRuntime, value: Dispatched): End {
  const lost = { code: 'TOOL_ABORTED', reason: 'the pipeline gave no result' } as const
  return () => orAborted(value.kind === 'post-result' ? staged.finalize(value) : staged.finish(value), lost)
}

/** For a call that was prepared and did not run, or was given up; a call that was never prepared ends as the bare input it is. */
export function endAborted(staged: StagedRuntime, slot: Slot, aborted: GivenUp['aborted']): End {
  return () => orAborted(staged.finish(slot.prepared ?? slot.input, { aborted }), aborted)
}

export function endBare(staged: StagedRuntime, slot: Slot, reason: string): End {
  return endAborted(staged, slot, { code: 'TOOL_ABORTED_BEFORE_DISPATCH', reason })
}

/** There is one result for every call, also where the pipeline has none to give. */
async function orAborted(result: Promise<ToolResult>, aborted: GivenUp['aborted']): Promise<ToolResult> {
  try {
    return await result
  } catch {
    return abortedResult(aborted.code, { reason: aborted.reason })
  }
}
