/**
 * What every provider of `Journal` keeps. Run it in a vitest file: `journalContract({ open })`.
 */
import type { JsonValue } from '@toolseam/core-tools'
import { afterEach, describe, expect, test } from 'vitest'
import type { Journal, JournalEntry, ReadOptions } from '../definition/journal.ts'

export interface JournalSubject {
  name: string
  /** A fresh, empty journal. */
  open(): Promise<Journal>
}

async function collect(journal: Journal, options?: ReadOptions): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for await (const entry of journal.read(options)) entries.push(entry)
  return entries
}

export function journalContract({ name, open }: JournalSubject): void {
  describe(`journal contract: ${name}`, () => {
    const journals: Journal[] = []
    const fresh = async (): Promise<Journal> => {
      const journal = await open()
      journals.push(journal)
      return journal
    }
    afterEach(async () => {
      for (const journal of journals.splice(0)) await journal.close()
    })

    test('E-47: appends are numbered from 1, gapless, in the order of the calls', async () => {
      const journal = await fresh()
      const ranges = await Promise.all([journal.append([1, 2]), journal.append([3]), journal.append([4, 5, 6])])
      expect(ranges).toEqual([
        { first: 1, last: 2 },
        { first: 3, last: 3 },
        { first: 4, last: 6 },
      ])
      const entries = await collect(journal)
      expect(entries.map(({ seq, data }) => [seq, data])).toEqual([1, 2, 3, 4, 5, 6].map((n) => [n, n]))
    })

    test('E-47: what was appended is read back as it was, and shares nothing with the caller', async () => {
      const journal = await fresh()
      const value = { text: 'ä\n"\u2028', list: [null, true, 1.5, { deep: [] }], ['__proto__x']: 1 }
      await journal.append([value])
      value.list.push(2)
      const [entry] = await collect(journal)
      expect(entry?.data).toEqual({ text: 'ä\n"\u2028', list: [null, true, 1.5, { deep: [] }], ['__proto__x']: 1 })
      expect(entry?.at).toBeGreaterThan(0)
    })

    test.each([
      ['undefined in an array', [undefined]],
      ['NaN', { n: Number.NaN }],
      ['a bigint', { n: 1n }],
      ['a class instance', { at: new Date(0) }],
      ['a function', { run() {} }],
    ])('E-47: %s is refused, and nothing of its append is written', async (_name, value) => {
      const journal = await fresh()
      await expect(journal.append([{ good: true }, value as JsonValue])).rejects.toMatchObject({ code: 'JOURNAL_NOT_JSON' })
      await journal.append(['next'])
      expect((await collect(journal)).map(({ seq, data }) => [seq, data])).toEqual([[1, 'next']])
    })

    test('E-47: a cycle is refused', async () => {
      const journal = await fresh()
      const cycle: { self?: JsonValue } = {}
      cycle.self = cycle as JsonValue
      await expect(journal.append([cycle as JsonValue])).rejects.toMatchObject({ code: 'JOURNAL_NOT_JSON' })
    })

    test('reading begins where it is told', async () => {
      const journal = await fresh()
      await journal.append(['a', 'b', 'c'])
      expect((await collect(journal, { from: 3 })).map((entry) => entry.data)).toEqual(['c'])
      expect(await collect(journal, { from: 9 })).toEqual([])
    })

    test('a follower sees every entry once and in order, and ends with its signal', async () => {
      const journal = await fresh()
      await journal.append([1])
      const control = new AbortController()
      const seen: JsonValue[] = []
      const following = (async () => {
        for await (const entry of journal.read({ follow: true, signal: control.signal })) {
          seen.push(entry.data)
          if (entry.data === 20) control.abort()
        }
      })()
      for (let n = 2; n <= 20; n += 1) await journal.append([n])
      await following
      expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    })

    test('a follower ends when the journal is closed; a closed journal takes nothing', async () => {
      const journal = await fresh()
      await journal.append([1])
      const following = collect(journal, { follow: true })
      await journal.append([2])
      await journal.close()
      await journal.close()
      expect((await following).map((entry) => entry.data)).toEqual([1, 2])
      await expect(journal.append([3])).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' })
    })

    test('a reader that stops in the middle holds nobody', async () => {
      const journal = await fresh()
      await journal.append([1, 2, 3])
      const abandoned = journal.read()[Symbol.asyncIterator]()
      expect((await abandoned.next()).value).toMatchObject({ data: 1 })
      await journal.close()
      await abandoned.return?.()
    })
  })
}
