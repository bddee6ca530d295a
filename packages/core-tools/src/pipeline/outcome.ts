/**
 * What a stage hands on: the call goes on, or it already has its result and where that goes next.
 */
import type { ToolResult } from '../contracts/result.ts'
import type { Call } from './call.ts'

/** Has a result: `post-result` still passes post-execute, `final-result` skips it. */
export type Outcome = OutcomeOf<'post-result'> | OutcomeOf<'final-result'>

interface OutcomeOf<Kind> {
  readonly kind: Kind
  readonly call: Call
  readonly result: ToolResult
}

/** May run. */
export interface Ready {
  readonly kind: 'dispatch'
  readonly call: Call
}

export function postResult(call: Call, result: ToolResult): Outcome {
  return { kind: 'post-result', call, result }
}

export function finalResult(call: Call, result: ToolResult): Outcome {
  return { kind: 'final-result', call, result }
}
