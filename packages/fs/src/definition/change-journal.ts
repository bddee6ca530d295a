/**
 * The seam of undo. `ChangeJournal` is what callers read and revert by; `ChangeRecorder` is the write side that providers of
 * `FileSystem` call around each rename (F-6, F-60): `begin` is durable before the change is visible, `settle` comes after it.
 */
import { defineService, type ServiceToken } from '@toolseam/core-tools'
import type { ChangeKind, Hunk } from './edits.ts'
import type { Version } from './versions.ts'

export interface JournalEntry {
  id: string
  tag: string
  agent?: string
  turnId?: string
  rootCallId: string
  callId: string
  path: string
  kind: ChangeKind
  /** Moves: where to; `path` is the old place. */
  to?: string
  beforeHash?: string
  beforeMode?: number
  afterHash?: string
  after?: Version
  undoable: boolean
  settled: boolean
  /** Milliseconds since 1970. */
  time: number
}

export interface TagSummary {
  tag: string
  turnIds: string[]
  paths: string[]
  changes: number
  first: number
  last: number
}

export interface RevertOrder {
  tag?: string
  turnId?: string
  rootCallIds?: readonly string[]
  paths?: readonly string[]
  /** Report the same actions, touch nothing. */
  dryRun?: boolean
  /** One conflict applies nothing (`FS_UNDO_CONFLICT`). */
  strict?: boolean
  signal?: AbortSignal
}

export type RevertAction = 'restore' | 'merge' | 'delete' | 'recreate' | 'move-back' | 'none'

export interface RevertReport {
  /** Of the revert itself: revert it to undo the undo. */
  tag: string
  applied: boolean
  reverted: string[]
  kept: { path: string; why: string }[]
  notCovered: string[]
  files: { path: string; action: RevertAction; conflict?: string; hunks: Hunk[] }[]
}

/** Service token `ChangeJournal` (`toolseam/change-journal`). */
export interface ChangeJournal {
  entries(filter?: { tag?: string; agent?: string; path?: string; since?: number }): Promise<JournalEntry[]>
  tags(): Promise<TagSummary[]>
  diff(tag: string): Promise<Hunk[][]>
  /** All given conditions hold together. */
  revert(order: RevertOrder): Promise<RevertReport>
}

export const ChangeJournal: ServiceToken<ChangeJournal> = defineService<ChangeJournal>('toolseam/change-journal', {
  package: '@toolseam/fs',
})

/** A change that is about to happen. */
export interface PendingChange {
  tag: string
  agent?: string
  turnId?: string
  rootCallId: string
  callId: string
  /** As shown: relative to the first root, absolute in further roots. */
  path: string
  kind: ChangeKind
  /** Pre-image. Absent for a creation, and where it is too large to be kept (then `beforeHash`, if known, still says what it was). */
  before?: Uint8Array
  /** New content of a modified file: kept as its difference from the pre-image, so that it can be merged back later. */
  after?: Uint8Array
  /** How many of the nearest parent directories (of `to`, where given) are made for this change. */
  madeParents?: number
  /** Known hash of the pre-image, so that it is not computed twice. */
  beforeHash?: string
  beforeMode?: number
  /** Links: where the removed or moved link pointed. Directories: `directory`. Default `file`. */
  entryKind?: 'file' | 'directory' | 'symlink'
  to?: string
  afterHash?: string
}

export interface RecordedChange {
  readonly id: string
  readonly undoable: boolean
  /** The change is visible. */
  settle(outcome: { afterHash?: string; after?: Version }): Promise<void>
  /** The change did not happen. */
  drop(): Promise<void>
}

export interface ChangeRecorder {
  /** Durable when it resolves. @throws FsError FS_DISK_FULL, FS_IO: then the change must not happen. */
  begin(entry: PendingChange): Promise<RecordedChange>
}
