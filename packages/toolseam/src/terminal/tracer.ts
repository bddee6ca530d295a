/** `--trace`: each stage on standard error as it happens; nested calls indented under the call that made them. */
import type { ToolExecutionToken, ToolPlugin } from '@toolseam/core-tools'
import { renderStage } from './render.ts'
import { type StageEvent, stageObserver } from './stages.ts'
import type { Streams } from './streams.ts'

export interface Tracer {
  readonly plugins: readonly ToolPlugin[]
  /** The time that is shown is counted from here. */
  start(): void
}

export function tracerFor(streams: Streams, trace: boolean | undefined): Tracer {
  return trace === true ? createTracer(streams) : { plugins: [], start() {} }
}

function createTracer({ err, errColors }: Streams): Tracer {
  let started = performance.now()
  const depths = new WeakMap<ToolExecutionToken, number>()
  const depthOf = ({ execution: { token, parent } }: StageEvent): number => {
    const depth = depths.get(token) ?? (parent === undefined ? 0 : (depths.get(parent) ?? 0) + 1)
    depths.set(token, depth)
    return depth
  }
  const plugin = stageObserver((event) => {
    void err(renderStage(event, { colors: errColors, sinceMs: performance.now() - started, depth: depthOf(event) }))
  })
  return {
    plugins: [plugin],
    start() {
      started = performance.now()
    },
  }
}
