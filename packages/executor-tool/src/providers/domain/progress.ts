/**
 * Progress of one block: coalesced to the newest message, at most one in 50 ms, none after the block closes (E-10).
 */
import type { DomainClock } from '../../definition/domain.ts'

const SPACING_MS = 50

export interface ProgressLane {
  push(update: unknown): void
  close(): void
}

export function createProgressLane(clock: DomainClock, send: (update: unknown) => void): ProgressLane {
  let last = Number.NEGATIVE_INFINITY
  let pending: { readonly update: unknown } | undefined
  let cancel: (() => void) | undefined
  let open = true

  function flush(): void {
    cancel = undefined
    if (pending === undefined || !open) return
    const { update } = pending
    pending = undefined
    last = clock.now()
    send(update)
  }

  return {
    push(update) {
      if (!open) return
      pending = { update }
      if (cancel !== undefined) return
      const wait = last + SPACING_MS - clock.now()
      if (wait <= 0) flush()
      else cancel = clock.after(wait, flush)
    },
    close() {
      open = false
      pending = undefined
      cancel?.()
    },
  }
}
