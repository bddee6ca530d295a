/**
 * One watch on the store for all open asks of a runtime; it runs while there are some, and a little longer: a new watch looks at every ask of
 * the store first.
 */
import type { ToolLogger } from '@toolseam/core-tools'
import type { ApprovalStore, StoreChange } from '../definition/store.ts'

export interface ChangeHub {
  /** Calls `onChange` whenever the record may have changed, beginning with this moment. Returns the end of it. */
  follow(id: string, onChange: (change: StoreChange) => void): () => void
}

/** How long a watch outlasts the last ask. */
const LINGER_MS = 2000
/** Before a watch that failed is tried again. */
const RETRY_MS = 1000

export function createHub({ store, logger, closing }: { store: ApprovalStore; logger: ToolLogger; closing: AbortSignal }): ChangeHub {
  const followers = new Map<string, Set<(change: StoreChange) => void>>()
  let running: AbortController | undefined
  let lingering: ReturnType<typeof setTimeout> | undefined
  closing.addEventListener('abort', stop, { once: true })

  return {
    follow(id, onChange) {
      const own = followers.get(id) ?? new Set()
      followers.set(id, own.add(onChange))
      clearTimeout(lingering)
      if (running === undefined) {
        running = new AbortController()
        void run(running.signal)
      }
      return () => {
        own.delete(onChange)
        if (own.size === 0 && followers.get(id) === own) followers.delete(id)
        if (followers.size > 0) return
        if (closing.aborted) return stop()
        clearTimeout(lingering)
        lingering = setTimeout(stop, LINGER_MS)
        // Nobody waits for the end of it.
        lingering.unref()
      }
    },
  }

  function stop(): void {
    clearTimeout(lingering)
    running?.abort()
    running = undefined
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const change of store.watch({ signal })) {
          for (const onChange of followers.get(change.id) ?? []) onChange(change)
        }
        // A watch that ends by itself: the store is closed.
        if (!signal.aborted) await pause(signal)
      } catch (error) {
        logger.warn('the watch on the approval store failed; it is tried again', { error })
        await pause(signal)
      }
      for (const [id, own] of followers) for (const onChange of own) onChange({ id, revision: 0 })
    }
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, RETRY_MS)
    signal.addEventListener('abort', done, { once: true })
  })
}
