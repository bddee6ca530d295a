/**
 * Seeded interleavings: several scripts, each in its own order, mixed in an order that a seed decides and that can be had again.
 */
import { drainReady } from './virtual-clock.ts'

export interface Interleaving {
  /** A whole number from 0 to `below` - 1. */
  next(below: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  /** Runs the steps of all scripts; between two of them nothing, a microtask or a pass of the event loop. */
  run(...scripts: readonly (readonly (() => unknown)[])[]): Promise<void>
}

export function interleave(seed: number): Interleaving {
  let state = seed >>> 0
  // mulberry32: small, well distributed, the same everywhere.
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const next = (below: number): number => Math.floor(random() * below)

  async function pause(): Promise<void> {
    const kind = next(3)
    if (kind === 1) await Promise.resolve()
    if (kind === 2) await drainReady()
  }

  return {
    next,
    pick: (items) => items[next(items.length)] ?? items[0],
    async run(...scripts) {
      const queues = scripts.map((script) => [...script]).filter((script) => script.length > 0)
      while (queues.length > 0) {
        const chosen = next(queues.length)
        const step = queues[chosen]?.shift()
        if (queues[chosen]?.length === 0) queues.splice(chosen, 1)
        step?.()
        await pause()
      }
    },
  }
}
