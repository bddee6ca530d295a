/**
 * Waiting for the end of a log to move: readers sleep until something was written, the log is closed, or their signal aborts.
 */
export interface Tide {
  /** Something was written, or the log was closed. */
  rise(): void
  /** Resolves at the next rise, at once where the signal has aborted. */
  next(signal?: AbortSignal): Promise<void>
}

export function createTide(): Tide {
  const sleepers = new Set<() => void>()
  return {
    rise() {
      const woken = [...sleepers]
      sleepers.clear()
      for (const wake of woken) wake()
    },
    next(signal) {
      return new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(wake)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        if (signal?.aborted) {
          resolve()
          return
        }
        sleepers.add(wake)
        signal?.addEventListener('abort', wake, { once: true })
      })
    },
  }
}
