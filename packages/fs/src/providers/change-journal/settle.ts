/**
 * After a crash (F-65): entries that a process left open are settled by what is there now, and its temp files are removed.
 */
import type { FileSystem } from '../../definition/file-system.ts'
import { isFsError } from '../../definition/errors.ts'
import type { Content } from '../../journal/net-change.ts'
import { foldRecords, madeDirectories, type LedgerEntry } from '../../journal/records.ts'
import { currentAt, isContent } from './current.ts'
import type { JournalStore } from './store.ts'

/** Removes temp files of ours beside `path`, and those of the `made` directories that are empty. */
export type TempSweep = (path: string, made: readonly string[]) => Promise<void>

export async function settleUnfinished({
  store,
  fileSystem,
  sweepTemp,
}: {
  store: JournalStore
  fileSystem: FileSystem
  sweepTemp: TempSweep | undefined
}): Promise<void> {
  const { entries } = foldRecords(await store.load())
  for (const entry of entries) {
    if (entry.settled || store.inFlight(entry.id)) continue
    try {
      const happened = await hasHappened(fileSystem, entry)
      await store.append(happened ? { type: 'settle', id: entry.id } : { type: 'drop', id: entry.id }, { durable: false })
      for (const path of entry.to === undefined ? [entry.path] : [entry.path, entry.to])
        await sweepTemp?.(path, happened ? [] : madeDirectories(entry))
    } catch (error) {
      // A place that cannot be looked at now is looked at again at the next start.
      if (!isFsError(error)) throw error
    }
  }
}

/** Where neither side is there any more, the entry stays: a revert compares again before it touches anything. */
async function hasHappened(fileSystem: FileSystem, entry: LedgerEntry): Promise<boolean> {
  if (entry.kind === 'move') {
    const [from, to] = await Promise.all([currentAt(fileSystem, entry.path), currentAt(fileSystem, entry.to ?? entry.path)])
    return !(from.kind !== 'absent' && to.kind === 'absent')
  }
  const current = await currentAt(fileSystem, entry.path)
  if (await isContent(current, side(entry, 'after'))) return true
  return !(await isContent(current, side(entry, 'before')))
}

function side(entry: LedgerEntry, which: 'before' | 'after'): Content {
  const absent = which === 'before' ? entry.kind === 'create' : entry.kind === 'delete'
  if (absent) return { kind: 'absent' }
  const hash = which === 'before' ? entry.beforeHash : entry.afterHash
  return { kind: 'present', entryKind: entry.entryKind, hash, mode: undefined, of: entry, side: which }
}
