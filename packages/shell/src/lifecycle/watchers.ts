/**
 * Waiting for something to happen to a command: new output, or its end. Nobody polls.
 */
import { pause, type Clock } from '../definition/clock.ts'

export interface Watchers {
  /** Wakes all who wait. */
  pulse(): void
  /** Resolves at the next pulse, when the time is over, or when the signal aborts. */
  change(wait: { clock: Clock; ms: number; signal: AbortSignal | undefined }): Promise<void>
}

export function watchers(): Watchers {
  const waiting = new Set<() => void>()
  return {
    pulse: () => {
      for (const wake of waiting) wake()
    },
    change: async ({ clock, ms, signal }) => {
      const over = new AbortController()
      const wake = (): void => over.abort()
      waiting.add(wake)
      const stop = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal])
      await pause(clock, ms, stop)
      waiting.delete(wake)
    },
  }
}
