/** The change journal of this host: files below `.toolseam/undo/`, or memory. */
export { createChangeJournal, type OpenChangeJournal } from './journal.ts'
export { createMemoryStore } from './memory-store.ts'
export { createChangeRecorder, type RecorderOptions } from './recorder.ts'
export { createSegmentStore } from './segment-store.ts'
export type { JournalStore } from './store.ts'
export { createTempSweep } from './temp-sweep.ts'
export { createUncoveredTap } from './uncovered.ts'
