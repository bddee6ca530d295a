/**
 * The journal in memory: for tests, and for file systems that are gone with the process.
 */
import type { JournalRecord } from '../../journal/records.ts'
import type { JournalStore, Payload } from './store.ts'

export function createMemoryStore(): JournalStore {
  const records: JournalRecord[] = []
  const payloads = new Map<string, Payload>()
  let count = 0
  return {
    newId: () => `m${String((count += 1)).padStart(9, '0')}`,
    append(record, { payload }) {
      records.push(record)
      if (record.type === 'begin' && payload !== undefined) payloads.set(record.id, copyOf(payload))
      return Promise.resolve()
    },
    load: () => Promise.resolve([...records]),
    payload: (id) => Promise.resolve(payloads.get(id)),
    size: () =>
      Promise.resolve([...payloads.values()].reduce((sum, { before, middle }) => sum + (before?.length ?? 0) + (middle?.length ?? 0), 0)),
    sweep(live) {
      for (const id of payloads.keys()) if (!live.has(id)) payloads.delete(id)
      return Promise.resolve()
    },
    inFlight: () => false,
    close: () => Promise.resolve(),
  }
}

/** Callers may reuse their buffers. */
function copyOf({ before, middle }: Payload): Payload {
  return {
    ...(before === undefined ? {} : { before: Uint8Array.from(before) }),
    ...(middle === undefined ? {} : { middle: Uint8Array.from(middle) }),
  }
}
