/**
 * A tool: its words, its schemas, its body; and what the body is handed.
 */
import type { CallView } from './call-view.ts'
import type { ContentBlock } from './content.ts'
import type { AgentId, ToolExecution } from './execution.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { ToolResult } from './result.ts'
import type { ToolSchema } from './schema.ts'
import type { ServiceToken } from './services.ts'
import type { ToolDomainSurface } from './surface.ts'

/** MCP's names and meaning. Hints, trusted by policy only where the tool's source is. */
export interface ToolAnnotations {
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

export type ToolConcurrency = 'exclusive' | 'parallel'

/** A function type whose parameter is bivariant, so that tools of any input fit one registry. */
type Per<Input, Result> = { of(input: Input): Result }['of']

export interface ToolProgress {
  message?: string
  progress?: number
  total?: number
  content?: ContentBlock[]
}

export interface NestedCallOptions {
  signal?: AbortSignal
  /** Goes into the nested callId: `<parent>:<label>:<n>`. */
  label?: string
  /** Width of the parent's lane of nested calls, fixed by the first call. Default 16. */
  maxParallel?: number
  /** True when only a human's answer is outstanding, false when that wait is over. */
  onAsk?(asking: boolean): void
}

export interface ToolRunContext {
  readonly execution: ToolExecution
  /** Fused from caller, wrappers and deadline. */
  readonly signal: AbortSignal
  /** Never absent: denied with a reason where there is no user. */
  readonly surface: ToolDomainSurface
  /** Handed on with the result, in call order. */
  deferContext(context: ContentBlock[]): void
  /** Asks to end the turn after this call, if it succeeds. */
  concludeTurn(): void
  progress(update: ToolProgress): void
  /** A nested call through the whole pipeline. Settles to a result, never throws. */
  call(name: string, args: unknown, options?: NestedCallOptions): Promise<ToolResult>
}

export interface ToolDefinition<Input = unknown, Output = JsonValue> {
  /** `/^[A-Za-z0-9_-]{1,64}$/`, refused otherwise at registration. */
  name: string
  description: string
  title?: string
  /** Always validated before the body runs. */
  input: ToolSchema<Input>
  /** Validated on every success. */
  output?: ToolSchema<Output>
  annotations?: ToolAnnotations
  /** Default exclusive; anything odd is exclusive. */
  concurrency?: ToolConcurrency | Per<Input, ToolConcurrency>
  /** Wall time of the body in ms, 1..2147483647; the largest value means none. */
  timeoutMs?: number
  /** A missing one is an error at registration naming tool and service. */
  requires?: readonly ServiceToken[]
  execute(input: Input, context: ToolRunContext): Promise<Output> | Output
  /** Default: a string as text, anything else as JSON text. */
  render?(output: Output, input: Input): ContentBlock[]
  meta?(output: Output, input: Input): JsonObject
  /** Facts for policy, approval and user interfaces. Changes nothing. */
  describeCall?(input: Input, options: { agent?: AgentId; preview: boolean; signal: AbortSignal }): CallView | Promise<CallView>
  /** Set by an importer (original names); absent = registered by code here. */
  source?: { server: string; tool: string; trusted?: boolean }
  /** Last word on content only; synchronous. */
  finalizeContent?(execution: ToolExecution, result: ToolResult): ContentBlock[] | undefined
}

/** Returns the definition as it is; its use is that input and output types are inferred from the schemas. */
export function defineTool<Input, Output = JsonValue>(definition: ToolDefinition<Input, Output>): ToolDefinition<Input, Output> {
  return definition
}
