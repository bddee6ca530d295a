/**
 * @toolseam/journal: an append-only log of tool calls and results.
 */

// the definition
export { Journal } from './definition/journal.ts'
export type { JournalEntry, ReadOptions } from './definition/journal.ts'
export { JournalError } from './definition/errors.ts'
export type { JournalErrorCode, JournalErrorFacts } from './definition/errors.ts'
export type { RecorderEntry, ToolCallEntry, ToolResultEntry } from './definition/entries.ts'

// providers
export { memoryJournal, type MemoryJournalOptions } from './providers/memory/memory-journal.ts'
export { openJsonlJournal, type JsonlJournalOptions } from './providers/jsonl/jsonl-journal.ts'
export type { FsyncPolicy } from './providers/jsonl/writer.ts'
export { journalFiles, readJournalFile, readJournalFolder, type FolderEntry } from './providers/jsonl/read-files.ts'

// the recorder
export { journal, type JournalOptions } from './plugin.ts'
export { MASK } from './checking/redaction.ts'
