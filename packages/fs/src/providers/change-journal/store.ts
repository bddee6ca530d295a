/**
 * Where the change journal keeps its records: files that several processes share, or memory.
 */
import type { JournalRecord } from '../../journal/records.ts'

export interface Payload {
  before?: Uint8Array
  /** Middle of the delta to the new content. */
  middle?: Uint8Array
}

export interface JournalStore {
  /** A new id, ordered by time within this process. */
  newId(): string
  /** In order. `durable`: on disk when it resolves. @throws FsError FS_DISK_FULL, FS_PERMISSION, FS_READ_ONLY, FS_IO */
  append(record: JournalRecord, options: { durable: boolean; payload?: Payload }): Promise<void>
  /** Records of every process, those of one process in order. */
  load(): Promise<JournalRecord[]>
  /** What was appended with the `begin` of this id. */
  payload(id: string): Promise<Payload | undefined>
  /** Bytes that all of it takes. */
  size(): Promise<number>
  /** Takes away what holds nothing live. `live`: ids of entries, and tags of notes, that are still remembered. */
  sweep(live: ReadonlySet<string>): Promise<void>
  /** The process that began this entry may still end it. */
  inFlight(id: string): boolean
  close(): Promise<void>
}
