/**
 * A clock that stands still until it is advanced. Timers run in the order of their time; between two of them everything that has become
 * ready runs, as it would between two passes of a real event loop.
 */
import type { DomainClock } from '../definition/domain.ts'

export interface VirtualClock extends DomainClock {
  /** Moves the time on; resolves when everything that is due has run. */
  advance(ms: number): Promise<void>
  /** Lets everything that is ready run, without moving the time. Zero-delay timers run too. */
  settle(): Promise<void>
  /** Moves the time at once, without running anything: the event loop was blocked. */
  jump(ms: number): void
  /** Timers that wait. */
  readonly pending: number
}

interface Timer {
  readonly due: number
  readonly order: number
  readonly run: () => void
}

export function virtualClock(startMs = 0): VirtualClock {
  const timers = new Set<Timer>()
  let now = startMs
  let made = 0

  function nextDue(limit: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers) {
      if (timer.due > limit) continue
      if (next === undefined || timer.due < next.due || (timer.due === next.due && timer.order < next.order)) next = timer
    }
    return next
  }

  async function advance(ms: number): Promise<void> {
    const end = now + ms
    await drainReady()
    for (let timer = nextDue(end); timer !== undefined; timer = nextDue(end)) {
      timers.delete(timer)
      now = Math.max(now, timer.due)
      timer.run()
      await drainReady()
    }
    now = Math.max(now, end)
  }

  return {
    now: () => now,
    after(ms, run) {
      if (ms === Number.POSITIVE_INFINITY) return () => {}
      made += 1
      const timer: Timer = { due: now + Math.max(0, ms), order: made, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance,
    settle: () => advance(0),
    jump(ms) {
      now += ms
    },
    get pending() {
      return timers.size
    },
  }
}

/** One pass of the real event loop: every microtask that is ready has run afterwards. */
export function drainReady(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
