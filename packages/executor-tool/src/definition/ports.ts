/**
 * Ports of neighbours, as structural types under the token ids of their owners, so that neither package imports the other.
 */
import { defineService, type JsonValue, type ServiceToken } from '@toolseam/core-tools'

/** What the kernel and the recovery need of a journal. */
export interface JournalPort {
  append(entries: readonly JsonValue[]): Promise<{ first: number; last: number }>
  read(options?: { from?: number; follow?: boolean; signal?: AbortSignal }): AsyncIterable<JournalRecord>
}

export interface JournalRecord {
  readonly seq: number
  readonly at: number
  readonly data: JsonValue
}

/** The answer of an undo, as far as it is read here. */
export interface RevertReport {
  readonly files?: readonly { readonly path: string; readonly conflict?: string }[]
}

/** Undoes what was written under a tag, three-way, never over later work of others. */
export interface ChangePort {
  revert(request: { tag: string; rootCallIds?: readonly string[]; signal?: AbortSignal }): Promise<RevertReport>
}

export const JournalToken: ServiceToken<JournalPort> = defineService<JournalPort>('toolseam/journal', { package: '@toolseam/journal' })

export const ChangeJournalToken: ServiceToken<ChangePort> = defineService<ChangePort>('toolseam/change-journal', {
  package: '@toolseam/fs',
})
