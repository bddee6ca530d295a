/**
 * Which calls of a lane may start now: the one rule of order that every scheduler shares.
 */
import type { ToolConcurrency } from '../contracts/tool.ts'

export interface LaneEntry {
  readonly concurrency: ToolConcurrency
  /** `asking`: waits for a human, its place given back. */
  readonly state: 'waiting' | 'asking' | 'running' | 'settled'
}

/**
 * Indices of the waiting calls that may start, in model order. An exclusive call is a barrier both ways, also while
 * it asks; a parallel one that asks holds nobody. `limit` bounds how many run at once. Pure.
 */
export function startable(lane: readonly LaneEntry[], limit: number): readonly number[] {
  const next: number[] = []
  let running = 0
  for (const entry of lane) if (entry.state === 'running') running += 1
  let earlierOpen = 0
  for (let index = 0; index < lane.length; index += 1) {
    const entry = lane[index]
    if (entry === undefined || entry.state === 'settled') continue
    if (entry.concurrency === 'exclusive') {
      if (entry.state === 'waiting' && earlierOpen === 0 && running === 0) next.push(index)
      return next
    }
    earlierOpen += 1
    if (entry.state !== 'waiting') continue
    if (running >= limit) continue
    next.push(index)
    running += 1
  }
  return next
}
