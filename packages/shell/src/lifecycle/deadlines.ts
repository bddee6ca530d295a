/**
 * The deadlines of one command (S-26): its time, and the silence it may keep. What runs in the background has neither.
 */
import type { Clock } from '../definition/clock.ts'
import type { ShellSpec } from '../definition/command.ts'

export interface DeadlineParts {
  readonly clock: Clock
  /** When the command last printed, on that clock. */
  lastByteAt(): number
  onDeadline(): void
  onSilence(idleTimeoutMs: number): void
}

/** Gives the function that takes them back; it may be called twice. */
export function armDeadlines(spec: Pick<ShellSpec, 'timeoutMs' | 'idleTimeoutMs'>, parts: DeadlineParts): () => void {
  const { clock, lastByteAt, onDeadline, onSilence } = parts
  const { timeoutMs, idleTimeoutMs } = spec
  const timers: (() => void)[] = []
  if (timeoutMs !== null) timers.push(clock.after(timeoutMs, onDeadline))
  if (idleTimeoutMs !== null) {
    const look = (): void => {
      const left = lastByteAt() + idleTimeoutMs - clock.now()
      if (left <= 0) onSilence(idleTimeoutMs)
      else timers.push(clock.after(left, look))
    }
    timers.push(clock.after(idleTimeoutMs, look))
  }
  return () => {
    for (const cancel of timers.splice(0)) cancel()
  }
}
