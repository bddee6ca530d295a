/**
 * One signal for both ends of a search: the caller's abort, which is an error, and the deadline, which is a partial result.
 */
import { FsError } from '../definition/errors.ts'

export interface Stop {
  readonly signal: AbortSignal
  readonly timedOut: boolean
  /** @throws FsError TOOL_ABORTED when the caller stopped the search */
  throwIfAborted(): void
  /** Frees the timer and the listener. */
  end(): void
}

export function stopAfter(deadlineMs: number, signal?: AbortSignal): Stop {
  const controller = new AbortController()
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    controller.abort()
  }, deadlineMs)
  const onAbort = (): void => controller.abort()
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted === true) onAbort()
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut
    },
    throwIfAborted: () => {
      if (signal?.aborted === true) throw new FsError('TOOL_ABORTED', {}, { cause: signal.reason })
    },
    end: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
