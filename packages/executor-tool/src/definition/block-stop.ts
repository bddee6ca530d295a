/**
 * How the stop of a block reaches the pipeline without a native signal of the block's own. A domain that knows nothing of it has its
 * `signal`.
 */
import type { BlockContext } from './vocabulary.ts'

export const BLOCK_STOP: unique symbol = Symbol.for('toolseam.executor-tool.block-stop')

export interface StoppableContext extends BlockContext {
  readonly [BLOCK_STOP]?: AbortSignal
}

export function stopOf(context: StoppableContext): AbortSignal {
  return context[BLOCK_STOP] ?? context.signal
}
