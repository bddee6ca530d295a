/**
 * Time that a test owns: nothing happens until it is moved on.
 */
import type { Clock } from '../../definition/clock.ts'

export interface VirtualClock extends Clock {
  /** Runs everything that falls due, in order, letting promises settle in between. */
  advance(ms: number): Promise<void>
}

export function virtualClock(start = 0): VirtualClock {
  let now = start
  let issued = 0
  const timers = new Map<number, { at: number; run: () => void }>()
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
  }
  const due = (until: number): [number, { at: number; run: () => void }] | undefined =>
    [...timers].filter(([, timer]) => timer.at <= until).sort(([a, left], [b, right]) => left.at - right.at || a - b)[0]
  return {
    now: () => now,
    after: (ms, run) => {
      const id = (issued += 1)
      timers.set(id, { at: now + Math.max(0, ms), run })
      return () => timers.delete(id)
    },
    advance: async (ms) => {
      const until = now + ms
      await settle()
      for (let next = due(until); next !== undefined; next = due(until)) {
        const [id, timer] = next
        timers.delete(id)
        now = Math.max(now, timer.at)
        timer.run()
        await settle()
      }
      now = until
      await settle()
    },
  }
}
