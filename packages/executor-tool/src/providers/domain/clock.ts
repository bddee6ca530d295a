/**
 * The clock of the host: monotonic, and able to wait longer than one timer can.
 */
import type { DomainClock } from '../../definition/domain.ts'

/** Longest wait of one timer; above it `setTimeout` would fire at once. */
const LONGEST = 2 ** 31 - 1

export const hostClock: DomainClock = {
  now: () => performance.now(),
  after(ms, run) {
    if (ms === Number.POSITIVE_INFINITY) return () => {}
    return ms <= 0 ? nextPass(run) : wait(ms, run)
  },
}

function nextPass(run: () => void): () => void {
  const immediate = setImmediate(run)
  return () => clearImmediate(immediate)
}

function wait(ms: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const arm = (left: number): void => {
    timer = setTimeout(() => (left > LONGEST ? arm(left - LONGEST) : run()), Math.min(left, LONGEST))
  }
  arm(ms)
  return () => clearTimeout(timer)
}
