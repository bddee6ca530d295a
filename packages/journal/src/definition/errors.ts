/**
 * Errors of the journal, told by `code`.
 */
export type JournalErrorCode =
  | 'JOURNAL_LOCKED'
  | 'JOURNAL_CORRUPT'
  | 'JOURNAL_VERSION'
  | 'JOURNAL_NOT_JSON'
  | 'JOURNAL_CLOSED'
  | 'JOURNAL_IO'
  | 'JOURNAL_REDACT'

export interface JournalErrorFacts {
  readonly path?: string
  readonly seq?: number
  readonly offset?: number
  /** JSON Pointer into the entry. */
  readonly pointer?: string
  readonly owner?: { readonly pid: number }
  readonly version?: unknown
  readonly cause?: unknown
}

export class JournalError extends Error {
  readonly code: JournalErrorCode
  readonly facts: JournalErrorFacts

  constructor(code: JournalErrorCode, message: string, facts: JournalErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : undefined)
    this.name = 'JournalError'
    this.code = code
    this.facts = facts
  }
}
