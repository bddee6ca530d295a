/**
 * What the change journal writes down, and how records of several processes fold into entries: a change begins, then it is settled or
 * dropped; a tag can be forgotten; a note names a call whose effects are not journalled.
 */
import type { JournalEntry } from '../definition/change-journal.ts'
import type { ChangeKind } from '../definition/edits.ts'
import type { Version } from '../definition/versions.ts'

export type EntryKind = 'file' | 'directory' | 'symlink'

export interface BeginRecord {
  type: 'begin'
  id: string
  time: number
  tag: string
  agent?: string
  turnId?: string
  rootCallId: string
  callId: string
  path: string
  kind: ChangeKind
  to?: string
  entryKind: EntryKind
  beforeHash?: string
  beforeMode?: number
  afterHash?: string
  /** The pre-image is in the journal, or none is needed. */
  undoable: boolean
  /** Bytes of the pre-image; absent when it is not kept. */
  beforeBytes?: number
  /** How the new content differs from the pre-image (`delta.ts`). */
  delta?: { head: number; tail: number; bytes: number }
  /** How many of the nearest parent directories were made for this change. */
  madeParents?: number
}

export interface UncoveredNote {
  tag: string
  turnId?: string
  rootCallId: string
  callId: string
  /** What was called, e.g. `bash: make install`. */
  text: string
}

export type JournalRecord =
  | BeginRecord
  | { type: 'settle'; id: string; afterHash?: string; after?: Version }
  | { type: 'drop'; id: string }
  | ({ type: 'uncovered'; time: number } & UncoveredNote)
  | { type: 'forget'; tag: string; until: number }

export interface LedgerEntry extends BeginRecord {
  settled: boolean
  after?: Version
}

export interface Ledger {
  /** Oldest first. */
  entries: LedgerEntry[]
  notes: ({ time: number } & UncoveredNote)[]
}

/** Records of one process are in order; those of different processes may come in any. */
export function foldRecords(records: Iterable<JournalRecord>): Ledger {
  const begun = new Map<string, LedgerEntry>()
  const outcomes = new Map<string, JournalRecord & { type: 'settle' | 'drop' }>()
  const forgotten = new Map<string, number>()
  const notes: Ledger['notes'] = []
  for (const record of records) {
    if (record.type === 'begin') begun.set(record.id, { ...record, settled: false })
    else if (record.type === 'uncovered') notes.push(record)
    else if (record.type === 'forget') forgotten.set(record.tag, Math.max(record.until, forgotten.get(record.tag) ?? 0))
    else if (outcomes.get(record.id)?.type !== 'settle') outcomes.set(record.id, record)
  }
  const remembered = ({ tag, time }: { tag: string; time: number }): boolean => time > (forgotten.get(tag) ?? -1)
  const entries = [...begun.values()].flatMap((entry): LedgerEntry[] => {
    const outcome = outcomes.get(entry.id)
    if (!remembered(entry) || outcome?.type === 'drop') return []
    return [outcome === undefined ? entry : withOutcome(entry, outcome)]
  })
  const byTime = (a: { time: number }, b: { time: number }): number => a.time - b.time
  return { entries: entries.toSorted((a, b) => byTime(a, b) || compare(a.id, b.id)), notes: notes.filter(remembered).toSorted(byTime) }
}

function withOutcome(entry: LedgerEntry, outcome: JournalRecord & { type: 'settle' }): LedgerEntry {
  return {
    ...entry,
    settled: true,
    ...(outcome.afterHash === undefined ? {} : { afterHash: outcome.afterHash }),
    ...(outcome.after === undefined ? {} : { after: outcome.after }),
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The entry as callers see it. */
export function publicEntry(entry: LedgerEntry): JournalEntry {
  const { id, tag, rootCallId, callId, path, kind, undoable, settled, time } = entry
  const optional = ['agent', 'turnId', 'to', 'beforeHash', 'beforeMode', 'afterHash', 'after'] as const
  const given = Object.fromEntries(optional.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])))
  return { id, tag, rootCallId, callId, path, kind, undoable, settled, time, ...given }
}

/** The directories that were made for a change, outermost first. */
export function madeDirectories({ path, to, madeParents }: Pick<BeginRecord, 'path' | 'to' | 'madeParents'>): string[] {
  const names = (to ?? path).split('/').slice(0, -1)
  const count = Math.min(madeParents ?? 0, names.length)
  return Array.from({ length: count }, (_, at) => names.slice(0, names.length - count + at + 1).join('/'))
}
