/**
 * The extension points, seen as properties. Each lives in Tapable's own class; this is the typed face of it.
 */
import type { PostToolDecision, PreToolDecision } from './decisions.ts'
import type { Disposer } from './disposer.ts'
import type { ToolExecution } from './execution.ts'
import type { ToolCallRecord, ToolResult } from './result.ts'
import type { ToolProgress } from './tool.ts'

/** `stage` and `before` mean what they mean in Tapable. `timeoutMs` holds for this tap alone. */
export interface TapOptions {
  name: string
  stage?: number
  before?: string | readonly string[]
  timeoutMs?: number
}

/** Tapable's interceptor: `call`, `tap`, `loop`, `error`, `result`, `done`, `register`. */
export interface HookInterceptor {
  name?: string
  // Tapable calls these with the hook's own arguments.
  call?: (...args: never[]) => void
  tap?: (tap: { name: string; stage?: number; type: string }) => void
  error?: (error: Error) => void
  result?: (result: unknown) => void
  done?: () => void
  register?: (tap: never) => unknown
}

/** The value passes from tap to tap. A tap returns a value; returning nothing is an error blamed on it by name. */
export interface ToolWaterfall<Value, Args extends readonly unknown[]> {
  tap(options: string | TapOptions, fn: (value: Value, ...args: Args) => Value): Disposer
  tapPromise(options: string | TapOptions, fn: (value: Value, ...args: Args) => Value | Promise<Value>): Disposer
  intercept(interceptor: HookInterceptor): Disposer
}

/** A tap wraps the value it gets and returns the wrapped one; the last tap is outermost. */
export interface ToolWrap<Value, Args extends readonly unknown[]> {
  tap(options: string | Omit<TapOptions, 'timeoutMs'>, fn: (value: Value, ...args: Args) => Value): Disposer
  intercept(interceptor: HookInterceptor): Disposer
}

/** Observers: they can change and delay nothing; a throw is logged with the tap's name. */
export interface ToolNotify<Args extends readonly unknown[]> {
  tap(options: string | Omit<TapOptions, 'timeoutMs'>, fn: (...args: Args) => unknown): Disposer
  intercept(interceptor: HookInterceptor): Disposer
}

/** Runs the inner chain and the body. A wrapper may only add a signal; may call it again. */
export type ToolDispatch = (options?: { signal?: AbortSignal }) => Promise<ToolResult>

export interface ToolHooks {
  readonly preExecute: ToolWaterfall<PreToolDecision, readonly [execution: ToolExecution]>
  readonly execute: ToolWrap<ToolDispatch, readonly [execution: ToolExecution]>
  readonly postExecute: ToolWaterfall<PostToolDecision, readonly [execution: ToolExecution, result: ToolResult]>
  readonly result: ToolNotify<readonly [execution: ToolExecution, result: ToolResult, record: ToolCallRecord]>
  readonly progress: ToolNotify<readonly [execution: ToolExecution, update: ToolProgress]>
  readonly change: ToolNotify<readonly []>
}
