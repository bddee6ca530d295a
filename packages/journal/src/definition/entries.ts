/**
 * What the recorder writes (E-52): a `tool/call` before the body of a call starts, a `tool/result` when it has settled.
 */
import type { ContentBlock, JsonValue, ToolCallRecord } from '@toolseam/core-tools'

export interface ToolCallEntry {
  readonly kind: 'tool/call'
  readonly callId: string
  readonly rootCallId: string
  readonly turnId?: string
  readonly agent?: string
  readonly name: string
  readonly arguments: JsonValue
}

export interface ToolResultEntry {
  readonly kind: 'tool/result'
  readonly callId: string
  readonly rootCallId: string
  readonly turnId?: string
  readonly name: string
  readonly isError: boolean
  /** The code of an error. */
  readonly code?: string
  readonly content: readonly ContentBlock[]
  readonly record: ToolCallRecord
}

export type RecorderEntry = ToolCallEntry | ToolResultEntry
