/**
 * What a journal says after a crash.
 */
import type { ToolResult } from '@toolseam/core-tools'
import type { ToolTurnState } from './turn.ts'
import type { Ident } from './vocabulary.ts'

export interface Recovery {
  readonly state: ToolTurnState
  /** A `run` on record without outcome: the work may be done, half done or not begun. Ids as recorded. */
  readonly unknown: readonly Ident[]
  /** The unknown ones that were declared idempotent, with the command id of their next attempt. Nothing is re-run unless the caller asks. */
  readonly rerunnable: readonly Ident[]
  /** One for each block of the turn that was open: what is on record, else what there is to say. */
  readonly results: readonly { readonly dlineTid: string; readonly callId: string; readonly result: ToolResult }[]
}
