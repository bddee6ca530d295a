/** The change journal of this host: files below `.toolseam/undo/`, or memory. */
export { createChangeJournal, type ChangeJournalOptions, type OpenChangeJournal } from './journal.ts'
export { createMemoryStore } from './memory-store.ts'
export { createChangeRecorder, trimTo, type RecorderOptions } from './recorder.ts'
export { createSegmentStore } from './segment-store.ts'
export type { TempSweep } from './settle.ts'
export type { JournalStore } from './store.ts'
export { createTempSweep } from './temp-sweep.ts'
export { createUncoveredTap, type UncoveredTap, type UncoveredTapOptions } from './uncovered.ts'
