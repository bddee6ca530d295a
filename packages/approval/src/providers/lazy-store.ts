/**
 * A store that is opened when it is first used: a runtime that never asks makes no folder and needs no key. Opening that failed is tried again by
 * the next call, so that a disk that was full may be emptied.
 */
import { createFeed } from '../record/change-feed.ts'
import type { ApprovalStore, StoreChange } from '../definition/store.ts'

export interface LazyStore extends ApprovalStore {
  /** Once open, where the store has one. */
  readonly identity: string | undefined
}

export function lazyStore(open: () => Promise<ApprovalStore>): LazyStore {
  let opening: Promise<ApprovalStore> | undefined
  let opened: ApprovalStore | undefined

  const store = async (): Promise<ApprovalStore> => {
    opening ??= open().then(
      (ready) => (opened = ready),
      (error: unknown) => {
        opening = undefined
        throw error
      },
    )
    return opening
  }

  return {
    get identity() {
      return opened !== undefined && 'identity' in opened && typeof opened.identity === 'string' ? opened.identity : undefined
    },
    request: async (draft) => (await store()).request(draft),
    decide: async (id, change) => (await store()).decide(id, change),
    close: async (id, change) => (await store()).close(id, change),
    claim: async (id, options) => (await store()).claim(id, options),
    mark: async (id, change) => (await store()).mark(id, change),
    get: async (id) => (await store()).get(id),
    list: async (filter) => (await store()).list(filter),
    expire: async () => (await store()).expire(),
    grants: async (filter) => (await store()).grants(filter),
    revoke: async (id, change) => (await store()).revoke(id, change),
    watch(options) {
      if (opened !== undefined) return opened.watch(options)
      const feed = createFeed<StoreChange>(options.signal, () => undefined)
      // What changes until the store is open is told as its state then.
      const after = options.after ?? new Date().toISOString()
      void forward(after).then(feed.end, feed.fail)
      return feed.values

      async function forward(since: string): Promise<void> {
        for await (const change of (await store()).watch({ ...options, after: since })) feed.push(change)
      }
    },
    async dispose() {
      const ready = await opening?.catch(() => undefined)
      await ready?.dispose()
    },
  }
}
