/**
 * The journal on disk: one record a line, one writer, a torn end repaired on open.
 */
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createTide } from '../../checking/follow.ts'
import { jsonOf } from '../../checking/json.ts'
import { JournalError } from '../../definition/errors.ts'
import type { Journal, JournalEntry, ReadOptions } from '../../definition/journal.ts'
import { linesOf } from './lines.ts'
import { lock } from './lock.ts'
import { parseRecord } from './record.ts'
import { type Opened, repair } from './repair.ts'
import { createWriter, type FsyncPolicy } from './writer.ts'

export interface JsonlJournalOptions {
  path: string
  /**
   * `append` (default): on disk before `append` resolves. `batch`: written before it resolves, on disk at most 50 ms later. `never`: left to the
   * host.
   */
  fsync?: FsyncPolicy
  /** Milliseconds since 1970. Default `Date.now`. */
  now?(): number
}

/** Throws `JOURNAL_LOCKED`, `JOURNAL_CORRUPT`, `JOURNAL_VERSION`. Makes the folder, for its owner alone. */
export async function openJsonlJournal({ path: given, fsync = 'append', now = Date.now }: JsonlJournalOptions): Promise<Journal> {
  const path = resolve(given)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const unlock = await lock(path)
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    const opened = await repair(file, path)
    if (opened.last === 0) await syncFolder(dirname(path))
    return assemble(file, { path, fsync, now, unlock, opened })
  } catch (error) {
    await file?.close()
    await unlock()
    throw error
  }
}

/** A new file is there after a crash only if its folder says so. Hosts that cannot sync a folder do without. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // The file itself is synced all the same.
  }
}

interface Parts {
  readonly path: string
  readonly fsync: FsyncPolicy
  readonly unlock: () => Promise<void>
  readonly opened: Opened
  now(): number
}

function assemble(file: FileHandle, { path, fsync, now, unlock, opened }: Parts): Journal {
  const tide = createTide()
  const writer = createWriter(file, { path, fsync, ...opened, onWritten: () => tide.rise() })
  let closing: Promise<void> | undefined

  async function append(given: Parameters<Journal['append']>[0]): Promise<{ first: number; last: number }> {
    if (closing !== undefined) throw new JournalError('JOURNAL_CLOSED', 'the journal was closed', { path })
    return writer.write(given.map(jsonOf), now())
  }

  /** Each reader has a handle of its own: one that stops in the middle holds nobody. */
  async function* read({ from = 1, follow = false, signal }: ReadOptions = {}): AsyncGenerator<JournalEntry> {
    const own = await open(path, 'r')
    try {
      let offset = 0
      for (;;) {
        for await (const line of linesOf(own, offset, writer.size)) {
          if (signal?.aborted) return
          offset += line.bytes
          const parsed = parseRecord(line.text, false)
          if (parsed.kind !== 'entry') throw new JournalError('JOURNAL_CORRUPT', `${path} was changed while it was read`, { path, offset })
          if (parsed.entry.seq >= from) yield parsed.entry
        }
        if (writer.size > offset) continue
        if (!follow || closing !== undefined || signal?.aborted) return
        await tide.next(signal)
      }
    } finally {
      await own.close()
    }
  }

  async function shutDown(): Promise<void> {
    await writer.close()
    tide.rise()
    await file.close()
    await unlock()
  }

  return {
    append,
    read,
    close() {
      closing ??= shutDown()
      return closing
    },
    recovered: { tornBytes: opened.tornBytes },
  }
}
