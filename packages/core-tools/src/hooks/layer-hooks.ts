/**
 * The six hooks of one layer. The global layer has one set, each scope has its own.
 */
import type { PostToolDecision, PreToolDecision } from '../contracts/decisions.ts'
import type { ToolExecution } from '../contracts/execution.ts'
import type { ToolHooks } from '../contracts/hooks.ts'
import type { ToolCallRecord, ToolResult } from '../contracts/result.ts'
import type { ToolLogger } from '../contracts/runtime.ts'
import type { ToolProgress } from '../contracts/tool.ts'
import { NotifyLayer } from './notify.ts'
import { WaterfallLayer, type Round } from './waterfall.ts'
import { WrapLayer } from './wrap.ts'

export const HookName = {
  preExecute: 'tools/pre-execute',
  execute: 'tools/execute',
  postExecute: 'tools/post-execute',
  result: 'tools/result',
  progress: 'tools/progress',
  change: 'tools/change',
} as const

export interface PreRound extends Round<PreToolDecision> {
  readonly execution: ToolExecution
}

export interface PostRound extends Round<PostToolDecision> {
  readonly execution: ToolExecution
  /** As earlier taps left it. */
  readonly result: ToolResult
}

export interface LayerHooks extends ToolHooks {
  readonly preExecute: WaterfallLayer<PreToolDecision, readonly [execution: ToolExecution], PreRound>
  readonly execute: WrapLayer
  readonly postExecute: WaterfallLayer<PostToolDecision, readonly [execution: ToolExecution, result: ToolResult], PostRound>
  readonly result: NotifyLayer<readonly [execution: ToolExecution, result: ToolResult, record: ToolCallRecord]>
  readonly progress: NotifyLayer<readonly [execution: ToolExecution, update: ToolProgress]>
  readonly change: NotifyLayer<readonly []>
}

export function createLayerHooks(logger: ToolLogger): LayerHooks {
  return Object.freeze({
    preExecute: new WaterfallLayer<PreToolDecision, readonly [execution: ToolExecution], PreRound>(HookName.preExecute, {
      args: ['decision', 'execution'],
      invoke: (fn, round) => fn(round.value, round.execution),
      waits: false,
    }),
    execute: new WrapLayer(HookName.execute),
    postExecute: new WaterfallLayer<PostToolDecision, readonly [execution: ToolExecution, result: ToolResult], PostRound>(
      HookName.postExecute,
      {
        args: ['decision', 'execution', 'result'],
        invoke: (fn, round) => fn(round.value, round.execution, round.result),
        waits: true,
      },
    ),
    result: new NotifyLayer<readonly [execution: ToolExecution, result: ToolResult, record: ToolCallRecord]>(HookName.result, {
      args: ['execution', 'result', 'record'],
      logger,
    }),
    progress: new NotifyLayer<readonly [execution: ToolExecution, update: ToolProgress]>(HookName.progress, {
      args: ['execution', 'update'],
      logger,
    }),
    change: new NotifyLayer<readonly []>(HookName.change, { args: [], logger }),
  })
}
