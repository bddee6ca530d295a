/**
 * Reading journals that somebody else may be writing: no lock is taken, nothing is repaired, a line still being written is not seen yet.
 */
import { open, readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { JournalError } from '../../definition/errors.ts'
import type { JournalEntry, ReadOptions } from '../../definition/journal.ts'
import { linesOf } from './lines.ts'
import { parseRecord } from './record.ts'

/** How often a followed file is looked at, in ms. */
const LOOK_MS = 200

/** Entries of one file. Damage before the last line is `JOURNAL_CORRUPT`; with `follow` it waits for more until `signal` aborts. */
export async function* readJournalFile(
  given: string,
  { from = 1, follow = false, signal }: ReadOptions = {},
): AsyncGenerator<JournalEntry> {
  const path = resolve(given)
  const file = await open(path, 'r')
  try {
    let offset = 0
    for (;;) {
      let damagedAt: number | undefined
      for await (const line of linesOf(file, offset)) {
        if (signal?.aborted) return
        if (damagedAt !== undefined)
          throw new JournalError('JOURNAL_CORRUPT', `${path} is damaged at byte ${damagedAt}`, { path, offset: damagedAt })
        if (!line.complete) break
        const parsed = parseRecord(line.text, offset === 0)
        if (parsed.kind === 'version') {
          throw new JournalError('JOURNAL_VERSION', `${path} holds records of a version that is not known here`, {
            path,
            version: parsed.version,
          })
        }
        if (parsed.kind === 'damaged') {
          damagedAt = line.offset
          continue
        }
        offset = line.offset + line.bytes
        if (parsed.entry.seq >= from) yield parsed.entry
      }
      if (!follow || signal?.aborted) return
      await pause(signal)
    }
  } finally {
    await file.close()
  }
}

export interface FolderEntry extends JournalEntry {
  /** Name of the file it is from. */
  readonly file: string
}

/** Entries of all journals of a folder by time; a folder that is not there has none. Of equal times, by file and number. */
export async function readJournalFolder(folder: string): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = []
  for (const path of await journalFiles(folder)) {
    const file = basename(path)
    for await (const entry of readJournalFile(path)) entries.push({ ...entry, file })
  }
  return entries.sort((left, right) => left.at - right.at || compareText(left.file, right.file) || left.seq - right.seq)
}

/** Paths of the journals of a folder, by name. */
export async function journalFiles(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder)
    return names
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted(compareText)
      .map((name) => join(folder, name))
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, LOOK_MS)
    signal?.addEventListener('abort', end, { once: true })
  })
}
