/**
 * Output as it comes, for progress: coalesced to 50 ms or 16 KiB, at most 64 KiB a second, cleaned (S-33). It reads the ring like any other
 * reader; what the limit skips is counted in the event and still there for offset readers.
 */
import type { OutputEvent } from '../definition/command.ts'
import type { Clock } from '../definition/clock.ts'
import { EVENT_BYTES, EVENT_BYTES_PER_SECOND, EVENT_INTERVAL_MS } from '../definition/limits.ts'
import type { OutputRing } from './ring.ts'
import { sliceOutput } from './slice.ts'

export interface EventStream {
  /** Bytes have arrived in the ring. */
  touch(): void
  /** Emits what is left and stops. */
  finish(): void
}

export function eventStream(
  ring: OutputRing,
  options: { clock: Clock; stream: OutputEvent['stream']; onOutput(event: OutputEvent): void },
): EventStream {
  const { clock, stream, onOutput } = options
  let sent = 0
  let cancel: (() => void) | undefined
  let allowance = EVENT_BYTES_PER_SECOND
  let refilledAt = clock.now()

  const flush = (final: boolean): void => {
    cancel?.()
    cancel = undefined
    allowance = Math.min(EVENT_BYTES_PER_SECOND, allowance + ((clock.now() - refilledAt) * EVENT_BYTES_PER_SECOND) / 1000)
    refilledAt = clock.now()
    const size = Math.min(EVENT_BYTES, Math.floor(allowance))
    if (ring.total === sent) return
    if (size < 1024 && !final) return schedule(final)
    const from = Math.max(sent, ring.total - Math.max(size, 1024))
    const slice = sliceOutput(ring, { from, final })
    const skippedBytes = from - sent + slice.omittedBytes
    allowance -= slice.bytes.length
    sent = slice.next
    if (slice.text !== '' || skippedBytes > 0) onOutput({ stream, text: slice.text, from, next: slice.next, skippedBytes })
  }
  const schedule = (final: boolean): void => {
    cancel ??= clock.after(EVENT_INTERVAL_MS, () => flush(final))
  }
  return {
    touch: () => {
      if (ring.total - sent >= EVENT_BYTES && allowance >= EVENT_BYTES) flush(false)
      else schedule(false)
    },
    finish: () => flush(true),
  }
}
