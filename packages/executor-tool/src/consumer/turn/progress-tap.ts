/**
 * Forwards `tools/progress` of calls that run as blocks to their domain (E-10).
 */
import type { ToolExecution, ToolRuntime } from '@toolseam/core-tools'
import type { BlockContext } from '../../definition/vocabulary.ts'

export interface ProgressTap {
  /** Returns the unwatch. */
  watch(execution: ToolExecution, context: BlockContext): () => void
  close(): void
}

export function createProgressTap(runtime: ToolRuntime): ProgressTap {
  const contexts = new Map<ToolExecution['token'], BlockContext>()
  const untap = runtime.hooks.progress.tap('toolseam/tool-executor', ({ token }, update) => contexts.get(token)?.progress(update))
  return {
    watch({ token }, context) {
      contexts.set(token, context)
      return () => void contexts.delete(token)
    },
    close: untap,
  }
}
