/**
 * An async iterable that is pushed to: what a store's `watch` returns. It takes values from the moment it is made, whether or not
 * anybody reads yet.
 */
export interface Feed<T> {
  push(value: T): void
  /** Nothing more comes; what was pushed is still read. */
  end(): void
  /** The reader is told, once it has read what was pushed. */
  fail(error: unknown): void
  readonly values: AsyncIterable<T>
}

export function createFeed<T>(signal: AbortSignal, onEnd: () => void): Feed<T> {
  const waiting: T[] = []
  let ended = false
  let failure: { error: unknown } | undefined
  let wake: (() => void) | undefined
  const end = (): void => {
    if (ended) return
    ended = true
    signal.removeEventListener('abort', end)
    onEnd()
    wake?.()
  }
  signal.addEventListener('abort', end, { once: true })
  // Not at once: the caller has not got the feed yet that `onEnd` is about.
  if (signal.aborted) queueMicrotask(end)
  return {
    push(value) {
      if (ended) return
      waiting.push(value)
      wake?.()
    },
    end,
    fail(error) {
      failure ??= { error }
      end()
    },
    values: { [Symbol.asyncIterator]: read },
  }

  async function* read(): AsyncGenerator<T> {
    try {
      for (;;) {
        if (signal.aborted) return
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (failure !== undefined) throw failure.error
        else if (ended) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      end()
    }
  }
}
