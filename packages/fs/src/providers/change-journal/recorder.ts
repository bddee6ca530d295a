/**
 * The write side of the journal (F-6, F-60): a change is on disk here before it is visible in the tree.
 */
import { createHash } from 'node:crypto'
import type { ChangeRecorder, PendingChange } from '../../definition/change-journal.ts'
import { deltaOf } from '../../journal/delta.ts'
import { foldRecords, type BeginRecord, type Ledger } from '../../journal/records.ts'
import type { JournalStore, Payload } from './store.ts'

export interface RecorderOptions {
  store: JournalStore
  /** A larger pre-image is not kept; default 64 MiB. */
  undoBytes?: number | undefined
  /** What the journal may take in all, default 256 MiB: the oldest tags go whole. */
  maxBytes?: number | undefined
}

const UNDO_BYTES = 64 * 1024 * 1024
const MAX_BYTES = 256 * 1024 * 1024

/** Entries of one process have different times, so that their order is never in doubt. */
let lastTime = 0

export function createChangeRecorder({ store, undoBytes = UNDO_BYTES, maxBytes = MAX_BYTES }: RecorderOptions): ChangeRecorder {
  const cap = capKeeper(store, maxBytes)
  return {
    async begin(change) {
      const { record, payload } = begun(change, { id: store.newId(), undoBytes })
      await store.append(record, { durable: true, payload })
      cap.grew((payload.before?.length ?? 0) + (payload.middle?.length ?? 0) + 512)
      return {
        id: record.id,
        undoable: record.undoable,
        settle: ({ afterHash, after }) =>
          store.append(
            { type: 'settle', id: record.id, ...(afterHash === undefined ? {} : { afterHash }), ...(after === undefined ? {} : { after }) },
            { durable: false },
          ),
        drop: () => store.append({ type: 'drop', id: record.id }, { durable: false }),
      }
    },
  }
}

function begun(change: PendingChange, { id, undoBytes }: { id: string; undoBytes: number }): { record: BeginRecord; payload: Payload } {
  const { before, after, ...rest } = change
  const entryKind = change.entryKind ?? 'file'
  const kept = before !== undefined && before.length <= undoBytes
  const needed = (change.kind === 'modify' || change.kind === 'delete') && entryKind !== 'directory'
  const delta = kept && after !== undefined ? deltaOf(before, after) : undefined
  const beforeHash = change.beforeHash ?? (before === undefined ? undefined : sha256(before))
  lastTime = Math.max(Date.now(), lastTime + 1)
  const record: BeginRecord = {
    type: 'begin',
    id,
    time: lastTime,
    ...rest,
    entryKind,
    ...(beforeHash === undefined ? {} : { beforeHash }),
    undoable: kept || !needed,
    ...(kept ? { beforeBytes: before.length } : {}),
    ...(delta === undefined ? {} : { delta: { head: delta.head, tail: delta.tail, bytes: delta.middle.length } }),
  }
  return { record, payload: { ...(kept ? { before } : {}), ...(delta === undefined ? {} : { middle: delta.middle }) } }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

interface CapKeeper {
  grew(bytes: number): void
}

/** Looks at the whole only when what this process added could have reached the cap. */
function capKeeper(store: JournalStore, maxBytes: number): CapKeeper {
  let estimate: number | undefined
  let working: Promise<void> | undefined
  const trim = async (): Promise<void> => {
    estimate = await store.size()
    if (estimate <= maxBytes) return
    estimate = await trimTo(store, maxBytes * 0.9)
  }
  return {
    grew(bytes) {
      if (estimate !== undefined) estimate += bytes
      if (estimate !== undefined && estimate <= maxBytes) return
      // Nobody waits for the space of old tags; a failure is tried again with the next change.
      working ??= trim()
        .catch(() => undefined)
        .finally(() => {
          working = undefined
        })
    },
  }
}

/** Forgets whole tags, oldest first, never the newest; gives what is left in bytes. */
async function trimTo(store: JournalStore, bytes: number): Promise<number> {
  let ledger = foldRecords(await store.load())
  let size = await store.size()
  for (const { tag, until } of tagsByAge(ledger).slice(0, -1)) {
    if (size <= bytes) break
    await store.append({ type: 'forget', tag, until }, { durable: false })
    ledger = foldRecords(await store.load())
    await store.sweep(liveNames(ledger))
    size = await store.size()
  }
  return size
}

function liveNames({ entries, notes }: Ledger): Set<string> {
  return new Set([...entries.map(({ id }) => id), ...notes.map(({ tag }) => tag)])
}

function tagsByAge({ entries, notes }: Ledger): { tag: string; until: number }[] {
  const last = new Map<string, number>()
  for (const { tag, time } of [...notes, ...entries]) last.set(tag, Math.max(time, last.get(tag) ?? 0))
  return [...last].map(([tag, until]) => ({ tag, until })).toSorted((a, b) => a.until - b.until)
}
