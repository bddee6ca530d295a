/**
 * A journal in memory, with the same promises as the one on disk but durability.
 */
import type { JsonValue } from '@toolseam/core-tools'
import { createTide } from '../../checking/follow.ts'
import { jsonOf } from '../../checking/json.ts'
import { JournalError } from '../../definition/errors.ts'
import type { Journal, JournalEntry, ReadOptions } from '../../definition/journal.ts'

export interface MemoryJournalOptions {
  /** Milliseconds since 1970. Default `Date.now`. */
  now?(): number
}

export function memoryJournal({ now = Date.now }: MemoryJournalOptions = {}): Journal {
  const entries: JournalEntry[] = []
  const tide = createTide()
  let closed = false

  async function* read({ from = 1, follow = false, signal }: ReadOptions = {}): AsyncGenerator<JournalEntry> {
    let next = Math.max(1, from)
    for (;;) {
      if (signal?.aborted) return
      const entry = entries[next - 1]
      if (entry !== undefined) {
        next += 1
        yield entry
      } else if (follow && !closed) await tide.next(signal)
      else return
    }
  }

  return {
    async append(given) {
      if (closed) throw new JournalError('JOURNAL_CLOSED', 'the journal was closed')
      const data = given.map((entry): JsonValue => jsonOf(entry))
      const first = entries.length + 1
      const at = now()
      for (const value of data) entries.push({ seq: entries.length + 1, at, data: value })
      tide.rise()
      return { first, last: entries.length }
    },
    read,
    async close() {
      closed = true
      tide.rise()
    },
    recovered: { tornBytes: 0 },
  }
}
