/**
 * Contents that the journal knows: pre-images as they were kept, new contents put together from them. Each is checked against its hash.
 */
import { applyDelta } from '../../journal/delta.ts'
import type { Content } from '../../journal/net-change.ts'
import type { LedgerEntry } from '../../journal/records.ts'
import { sha256 } from './recorder.ts'
import type { JournalStore } from './store.ts'

export interface Contents {
  /** Undefined: not in the journal. */
  bytes(content: Content): Promise<Buffer | undefined>
}

/** `all`: every entry that is remembered, since a later pre-image may be an earlier change's outcome. */
export function journalContents(store: JournalStore, all: readonly LedgerEntry[]): Contents {
  return {
    async bytes(content) {
      if (content.kind === 'absent') return undefined
      const own = content.side === 'before' ? await pre(store, content.of) : await outcome(store, content.of)
      if (own !== undefined && (content.hash === undefined || sha256(own) === content.hash)) return own
      if (content.hash === undefined) return undefined
      const twin = all.find((entry) => entry.beforeHash === content.hash && entry.beforeBytes !== undefined)
      const found = twin === undefined ? undefined : await pre(store, twin)
      return found !== undefined && sha256(found) === content.hash ? found : undefined
    },
  }
}

async function pre(store: JournalStore, { id, beforeBytes }: LedgerEntry): Promise<Buffer | undefined> {
  if (beforeBytes === undefined) return undefined
  const payload = await store.payload(id)
  return payload?.before === undefined ? undefined : Buffer.from(payload.before)
}

async function outcome(store: JournalStore, { id, delta }: LedgerEntry): Promise<Buffer | undefined> {
  if (delta === undefined) return undefined
  const payload = await store.payload(id)
  if (payload?.before === undefined || payload.middle === undefined) return undefined
  return Buffer.from(applyDelta(payload.before, { head: delta.head, tail: delta.tail, middle: payload.middle }))
}
