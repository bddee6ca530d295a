/**
 * One call inside the pipeline: what was handed in, and the frozen execution made of it.
 */
import type { JsonValue } from './json.ts'

/** A scope; scopes form a parent chain. */
export type AgentId = string

export type CallerKind = 'agent' | 'subagent' | 'program' | 'mcp'

/** Key under which a token carries its facts; the same in every copy of this package. */
export const EXECUTION_TOKEN: unique symbol = Symbol.for('toolseam.execution-token')

/** Facts of a call that its nested calls need. `settled` and `signal` are read when asked for. */
export interface TokenFacts {
  readonly callId: string
  readonly rootCallId: string
  readonly name: string
  readonly agent?: AgentId
  readonly turnId?: string
  readonly depth: number
  readonly parent?: ToolExecutionToken
  readonly settled: boolean
  readonly signal: AbortSignal
}

/** The identity of one execution: made before any policy runs, the same over all rewrites. Opaque to callers. */
export interface ToolExecutionToken {
  readonly [EXECUTION_TOKEN]: TokenFacts
}

/** Of whichever copy of this package; what only looks like one, or cannot be read, is none. */
export function isExecutionToken(value: unknown): value is ToolExecutionToken {
  if (typeof value !== 'object' || value === null) return false
  try {
    const facts = (value as { readonly [EXECUTION_TOKEN]?: Partial<TokenFacts> | null })[EXECUTION_TOKEN]
    if (typeof facts !== 'object' || facts === null) return false
    const { callId, rootCallId, name, depth, settled } = facts
    const named = typeof callId === 'string' && typeof rootCallId === 'string' && typeof name === 'string'
    return named && Number.isInteger(depth) && Number(depth) >= 0 && typeof settled === 'boolean'
  } catch {
    return false
  }
}

export interface ToolExecutionInput {
  callId: string
  name: string
  /** Parsed JSON, or the model's JSON text. */
  arguments?: unknown
  agent?: AgentId
  /** Default 'agent', 'subagent' where the scope has a parent. */
  caller?: CallerKind
  rootCallId?: string
  parent?: ToolExecutionToken
  turnId?: string
  signal?: AbortSignal
}

export interface ToolExecution {
  readonly token: ToolExecutionToken
  readonly callId: string
  readonly rootCallId: string
  readonly name: string
  /** The JSON in force, deep frozen; null where the arguments were not JSON. */
  readonly arguments: JsonValue
  /** The typed input; undefined before validation and for unknown tools. */
  readonly input: unknown
  readonly agent?: AgentId
  readonly caller: CallerKind
  readonly parent?: ToolExecutionToken
  readonly turnId?: string
  /** Cancellation by the caller (and the runtime's end). A body's own signal is `context.signal`. */
  readonly signal: AbortSignal
}
