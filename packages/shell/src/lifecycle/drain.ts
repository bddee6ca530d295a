/**
 * After the shell's exit its pipes are read to the end, but a process that keeps one open does not keep the call (S-20): 250 ms of quiet, or one
 * second, and the call goes on. Nobody waits for a close.
 */
import { pause, type Clock } from '../definition/clock.ts'
import { DRAIN_MAX_MS, DRAIN_QUIET_MS } from '../definition/limits.ts'

export async function drain(
  pipes: readonly Promise<void>[],
  options: { clock: Clock; lastByteAt(): number; cut: AbortSignal },
): Promise<void> {
  const { clock, lastByteAt, cut } = options
  const over = new AbortController()
  void Promise.all(pipes).then(() => over.abort())
  const stop = AbortSignal.any([over.signal, cut])
  const began = clock.now()
  while (!stop.aborted) {
    const lastByte = lastByteAt()
    const held = clock.now() - began
    const left = Math.min(DRAIN_QUIET_MS - (clock.now() - Math.max(lastByte, began)), DRAIN_MAX_MS - held)
    if (left > 0) {
      await pause(clock, left, stop)
      continue
    }
    // A loop that was busy meanwhile has not looked at its pipes: quiet counts only after it did.
    await pause(clock, 1, stop)
    if (held >= DRAIN_MAX_MS || lastByteAt() === lastByte) return
  }
}
