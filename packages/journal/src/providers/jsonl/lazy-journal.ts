/**
 * A journal that is opened with its first entry: who only looks leaves no file behind.
 */
import { JournalError } from '../../definition/errors.ts'
import type { Journal, JournalEntry, ReadOptions } from '../../definition/journal.ts'

export function lazyJournal(open: () => Promise<Journal>): Journal {
  let opening: Promise<Journal> | undefined
  let opened: Journal | undefined
  let closed = false

  function toOpen(): Promise<Journal> {
    if (closed) return Promise.reject(new JournalError('JOURNAL_CLOSED', 'the journal was closed'))
    opening ??= open().then(
      (journal) => (opened = journal),
      (error: unknown) => {
        opening = undefined
        throw error
      },
    )
    return opening
  }

  async function* read(options: ReadOptions = {}): AsyncGenerator<JournalEntry> {
    if (opening === undefined && options.follow !== true) return
    yield* (await toOpen()).read(options)
  }

  return {
    append: async (entries) => (await toOpen()).append(entries),
    read,
    async close() {
      closed = true
      await (await opening?.catch(() => undefined))?.close()
    },
    get recovered() {
      return opened?.recovered ?? { tornBytes: 0 }
    },
  }
}
