/**
 * An append-only log of JSON entries. Promises: `append` gives consecutive numbers, in the order of the calls; an entry that was acknowledged is
 * read back as it was; entries of one `append` are written together; what is not JSON is refused before anything is written; a reader that
 * follows sees every entry once, in order.
 */
import { defineService, type JsonValue, type ServiceToken } from '@toolseam/core-tools'

export interface JournalEntry {
  /** From 1, gapless. */
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly data: JsonValue
}

export interface ReadOptions {
  /** First number to give. Default 1. */
  from?: number
  /** Wait for more at the end, until `signal` aborts or the journal is closed. Default false. */
  follow?: boolean
  signal?: AbortSignal
}

export interface Journal {
  /** Rejects with `JOURNAL_NOT_JSON`, `JOURNAL_CLOSED` or `JOURNAL_IO`. Nothing of a rejected append is ever read back. */
  append(entries: readonly JsonValue[]): Promise<{ first: number; last: number }>
  read(options?: ReadOptions): AsyncIterable<JournalEntry>
  /** Writes what waits, ends followers. A second call is the same promise. */
  close(): Promise<void>
  /** What was cut off a torn end when the journal was opened. */
  readonly recovered: { readonly tornBytes: number }
}

export const Journal: ServiceToken<Journal> = defineService<Journal>('toolseam/journal', { package: '@toolseam/journal' })
