/**
 * The staged view of the pipeline, for schedulers: `execute` is just the composition of these four. Not for plugins.
 */
import type { ToolExecution, ToolExecutionInput } from './execution.ts'
import type { ToolResult } from './result.ts'
import type { ToolDomainSurface } from './surface.ts'
import type { ToolConcurrency } from './tool.ts'

export const TOOL_RUNTIME_SCHEDULER: unique symbol = Symbol.for('toolseam.tool-runtime.scheduler')

/** May run. `concurrency` is asked on the arguments in force. */
export interface PreparedDispatch {
  readonly kind: 'dispatch'
  readonly execution: ToolExecution
  readonly concurrency: ToolConcurrency
}

/** Judged or run, still to pass post-execute: give it to `finalize`. */
export interface PostResult {
  readonly kind: 'post-result'
  readonly execution: ToolExecution
  readonly result: ToolResult
}

/** Skips post-execute: give it to `finish`. */
export interface FinalResult {
  readonly kind: 'final-result'
  readonly execution: ToolExecution
  readonly result: ToolResult
}

export type Prepared = PreparedDispatch | PostResult | FinalResult
export type Dispatched = PostResult | FinalResult

export interface PrepareOptions {
  /** Called when only a human's answer is outstanding; once for each ask that a human gets. */
  onAsk?(): void
  /** Called with the answer in hand and awaited before judging goes on, so that a scheduler can keep stages apart (P-76). */
  onAnswer?(): Promise<void> | void
  surface?: ToolDomainSurface
}

export interface GivenUp {
  readonly aborted: { readonly code: 'TOOL_ABORTED' | 'TOOL_ABORTED_BEFORE_DISPATCH'; readonly reason: string }
}

export interface DispatchOptions {
  signal?: AbortSignal
  surface?: ToolDomainSurface
  /** Runs the body of each nested call in `dispatch`'s stead. */
  call?(prepared: PreparedDispatch, dispatch: (options?: DispatchOptions) => Promise<Dispatched>): Promise<Dispatched | GivenUp>
  /** Told of a body that outran its deadline or its abort. */
  outlived?(work: Promise<unknown>): void
}

/** Each value is good for one use. Meaning: P-32. */
export interface StagedRuntime {
  classify(input: ToolExecutionInput): Promise<ToolConcurrency>
  prepare(input: ToolExecutionInput, options?: PrepareOptions): Promise<Prepared>
  dispatch(prepared: PreparedDispatch, options?: DispatchOptions): Promise<Dispatched>
  finalize(value: PostResult): Promise<ToolResult>
  finish(value: Prepared | ToolExecutionInput, options?: GivenUp): Promise<ToolResult>
}
