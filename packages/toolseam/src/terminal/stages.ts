/**
 * The stages of a call as they happen, seen through the public hooks alone: what `--trace` and the demo show, any plugin could.
 */
import type {
  Disposer,
  PostToolDecision,
  PreToolDecision,
  ToolCallRecord,
  ToolExecution,
  ToolPlugin,
  ToolProgress,
  ToolResult,
} from '@toolseam/core-tools'

export type StageEvent = { readonly execution: ToolExecution } & (
  | { readonly stage: 'authorize'; readonly round: number }
  | { readonly stage: 'decided'; readonly decision: PreToolDecision }
  | { readonly stage: 'dispatch'; readonly attempt: number }
  | { readonly stage: 'returned'; readonly result: ToolResult; readonly durationMs: number }
  | { readonly stage: 'post'; readonly decision: PostToolDecision }
  | { readonly stage: 'progress'; readonly update: ToolProgress }
  | { readonly stage: 'settled'; readonly result: ToolResult; readonly record: ToolCallRecord }
)

const FIRST = Number.MIN_SAFE_INTEGER
const LAST = Number.MAX_SAFE_INTEGER

/** A plugin that only watches: it abstains everywhere and tells `onStage` what it saw. */
export function stageObserver(onStage: (event: StageEvent) => void): ToolPlugin {
  return {
    name: 'toolseam/stages',
    apply({ hooks }) {
      const rounds = new Map<string, number>()
      const attempts = new Map<string, number>()
      const next = (counts: Map<string, number>, { callId }: ToolExecution): number => {
        const count = (counts.get(callId) ?? 0) + 1
        counts.set(callId, count)
        return count
      }
      const taps: Disposer[] = [
        hooks.preExecute.tap({ name: 'stages-first', stage: FIRST }, (decision, execution) => {
          onStage({ stage: 'authorize', execution, round: next(rounds, execution) })
          return decision
        }),
        hooks.preExecute.tap({ name: 'stages-last', stage: LAST }, (decision, execution) => {
          onStage({ stage: 'decided', execution, decision })
          return decision
        }),
        // The innermost wrapper: what it sees is the body's own attempt, whatever others do around it.
        hooks.execute.tap({ name: 'stages', stage: FIRST }, (dispatch, execution) => async (options) => {
          onStage({ stage: 'dispatch', execution, attempt: next(attempts, execution) })
          const started = performance.now()
          const result = await dispatch(options)
          onStage({ stage: 'returned', execution, result, durationMs: performance.now() - started })
          return result
        }),
        hooks.postExecute.tap({ name: 'stages', stage: LAST }, (decision, execution) => {
          onStage({ stage: 'post', execution, decision })
          return decision
        }),
        hooks.progress.tap('stages', (execution, update) => onStage({ stage: 'progress', execution, update })),
        hooks.result.tap('stages', (execution, result, record) => {
          rounds.delete(execution.callId)
          attempts.delete(execution.callId)
          onStage({ stage: 'settled', execution, result, record })
        }),
      ]
      return () => {
        for (const dispose of taps) dispose()
      }
    },
  }
}
