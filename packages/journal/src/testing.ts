/**
 * Public test helpers: the contract suite that every journal passes, and the journal in memory.
 */
export { journalContract, type JournalSubject } from './testing/contract.ts'
export { memoryJournal } from './providers/memory/memory-journal.ts'
