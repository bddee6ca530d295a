/**
 * The runtime: where tools, hooks, services and plugins meet, and calls are executed.
 */
import type { CallView } from './call-view.ts'
import type { ToolGuard } from './decisions.ts'
import type { Disposer } from './disposer.ts'
import type { AgentId, ToolExecution, ToolExecutionInput } from './execution.ts'
import type { ToolHooks } from './hooks.ts'
import type { JsonIssue } from './json.ts'
import type { ToolMode, ToolSchemaView, ToolScope, ToolView } from './registry.ts'
import type { ToolResult } from './result.ts'
import type { ServiceContainer, ServiceToken } from './services.ts'
import type { StagedRuntime, TOOL_RUNTIME_SCHEDULER } from './staged.ts'
import type { ToolDefinition } from './tool.ts'

export interface ToolLogger {
  debug(message: string, details?: object): void
  info(message: string, details?: object): void
  warn(message: string, details?: object): void
  error(message: string, details?: object): void
}

export interface ToolPlugin {
  name: string
  /** Services that must be there before `apply`; other plugins given together are ordered by it. */
  requires?: readonly ServiceToken[]
  /** Services this plugin promises to provide in `apply`. */
  provides?: readonly ServiceToken[]
  apply(runtime: ToolRuntime): void | Disposer | (() => void | Promise<void>) | Promise<void | Disposer | (() => void | Promise<void>)>
}

export interface ToolRuntimeOptions {
  plugins?: readonly ToolPlugin[]
  /** Default native. */
  mode?: ToolMode
  /** Width of `executeAll`, a whole number >= 1. Default 10. */
  maxParallel?: number
  /** Longest wait for an asynchronous tap or `describeCall`, in ms. Default 30 000. */
  hookTimeoutMs?: number
  /** Deadline of bodies without a `timeoutMs` of their own, in ms. Unset: none. */
  defaultTimeoutMs?: number
  /** How long a body that ignores its abort is awaited, in ms. Default 5000. */
  abortGraceMs?: number
  /** Deepest nesting of calls. Default 16. */
  maxDepth?: number
  /** Default: warn and error of console. */
  logger?: ToolLogger
}

export interface CallDescription {
  name: string
  arguments?: unknown
  agent?: AgentId
}

export interface ToolRuntime {
  /** Global hooks. */
  readonly hooks: ToolHooks
  /** The same object each time. A parent is bound once by `extends`. */
  scope(agent: AgentId, options?: { extends?: AgentId }): ToolScope
  register<Input, Output>(tool: ToolDefinition<Input, Output>): Disposer
  guard(guard: ToolGuard, options?: { name?: string }): Disposer
  get(name: string, agent?: AgentId): ToolDefinition | undefined
  view(agent?: AgentId): ToolView
  /** The presented tools, as a model may see them. */
  schemas(agent?: AgentId): readonly ToolSchemaView[]
  /** Validates arguments; runs no hook. */
  validate(call: CallDescription): Promise<{ ok: true } | { ok: false; issues: readonly JsonIssue[] }>
  describe(call: CallDescription | ToolExecution, options?: { preview?: boolean }): Promise<CallView>
  readonly services: ServiceContainer
  readonly logger: ToolLogger
  readonly [TOOL_RUNTIME_SCHEDULER]: StagedRuntime
  use(plugin: ToolPlugin): Promise<AsyncDisposer>
  /** Settles to a result. Rejects only where no call exists (P-26). */
  execute(input: ToolExecutionInput): Promise<ToolResult>
  /** Results in model order, one for each input. */
  executeAll(inputs: readonly ToolExecutionInput[], options?: { maxParallel?: number; signal?: AbortSignal }): Promise<ToolResult[]>
  dispose(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What `use` returns: takes the plugin out again; the promise resolves when its own disposer has run. */
export interface AsyncDisposer {
  (): Promise<void>
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}
