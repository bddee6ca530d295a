/**
 * What the pipeline is built from. The runtime composes it; no stage reaches for anything else.
 */
import type { ServiceContainer } from '../contracts/services.ts'
import type { ToolLogger } from '../contracts/runtime.ts'
import type { DispatchOptions, StagedRuntime } from '../contracts/staged.ts'
import type { ToolExecutionInput } from '../contracts/execution.ts'
import type { ToolResult } from '../contracts/result.ts'
import type { LayerHooks } from '../hooks/layer-hooks.ts'
import type { LayerRecord, Registry } from '../registry/registry.ts'
import type { GuardList } from './guard-list.ts'

export interface LayerExtras {
  readonly hooks: LayerHooks
  readonly guards: GuardList
}

export type Layer = LayerRecord<LayerExtras>

export interface PipelineLimits {
  readonly hookTimeoutMs: number
  readonly defaultTimeoutMs: number | undefined
  readonly abortGraceMs: number
  readonly maxDepth: number
  readonly maxParallel: number
}

/** A call between create and settle; the runtime knows what it is. */
export interface RunningCall {
  readonly facts: { readonly callId: string }
}

/** Takes calls at create and lets go of them at settle. After a closing runtime's word, calls come in aborted. */
export interface RunningCalls {
  add(call: RunningCall): void
  delete(call: RunningCall): void
}

/** One lane of calls in model order; the scheduler's, handed in so that nested calls use the same one. */
export interface CallLane {
  add(input: ToolExecutionInput, options?: LaneCallOptions): Promise<ToolResult>
}

export interface LaneCallOptions {
  onAsk?(asking: boolean): void
  surface?: DispatchOptions['surface']
  call?: DispatchOptions['call']
  outlived?: DispatchOptions['outlived']
}

export interface PipelineParts {
  readonly registry: Registry<LayerExtras>
  readonly services: ServiceContainer
  readonly logger: ToolLogger
  readonly limits: PipelineLimits
  readonly running: RunningCalls
  createLane(limit: number): CallLane
  readonly staged: StagedRuntime
}
