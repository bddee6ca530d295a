/**
 * The single final outcome of a call, and the record of how it came about.
 */
import type { ContentBlock } from './content.ts'
import type { JsonObject, JsonValue } from './json.ts'

export interface ToolErrorInfo {
  code: string
  message: string
  details?: JsonValue
}

export interface ToolSuccess {
  isError: false
  value: JsonValue
  content: ContentBlock[]
  /** Known keys: `truncatedBy`, `spill { id, path, bytes, complete }`. */
  meta?: JsonObject
  /** One entry a deferred context, in call order. */
  additionalContexts?: ContentBlock[][]
  concludesTurn?: true
}

export interface ToolFailure {
  isError: true
  error: ToolErrorInfo
  content: ContentBlock[]
  meta?: JsonObject
  additionalContexts?: ContentBlock[][]
}

export type ToolResult = ToolSuccess | ToolFailure

export interface TrailEntry {
  stage: 'pre-execute' | 'guard' | 'ask' | 'execute' | 'post-execute'
  by: string
  kind: string
  effect: 'applied' | 'kept-out' | 'rewrite' | 'failed'
  round?: number
  reason?: string
}

/** How a call came to its result. Times: `startedAt` in ms since the epoch, `durationMs` monotonic. */
export interface ToolCallRecord {
  callId: string
  rootCallId: string
  name: string
  agent?: string
  originalArguments: JsonValue
  effectiveArguments: JsonValue
  /** Absent where policy never ran; `by` is 'default' where nobody spoke. */
  decision?: { kind: 'allow' | 'ask' | 'deny'; by: string; reason?: string }
  approval?: { outcome: 'approved' | 'rejected' | 'expired' | 'cancelled' | 'unavailable'; by?: JsonValue; reason?: string }
  trail: TrailEntry[]
  bodyStarted: boolean
  attempts: number
  detached: boolean
  startedAt: number
  durationMs: number
}
