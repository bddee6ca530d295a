/**
 * Public entry point of `@toolseam/fs`.
 */

// the plugin
export { fs, type FsOptions } from './plugin.ts'

// the seams, their vocabulary and errors
export * from './definition/index.ts'

// providers
export { createRootedFileSystem, type RootedFileSystem, type RootedOptions } from './providers/rooted/index.ts'
export {
  createMemoryFileSystem,
  type Fault,
  type FaultPoint,
  type MemoryFileSystem,
  type MemoryHands,
  type MemoryOptions,
  type VirtualClock,
} from './providers/memory/index.ts'
export { createOverlayFileSystem, type OverlayChange, type OverlayFileSystem, type OverlayOptions } from './providers/overlay/index.ts'
export {
  createChangeJournal,
  createChangeRecorder,
  createMemoryStore,
  createSegmentStore,
  type JournalStore,
} from './providers/change-journal/index.ts'
export { createSearch, type SearchOptions } from './providers/search/create-search.ts'
export type { EngineCommand, EngineProcess, EngineSpawn } from './providers/search/spawn.ts'
export { createFileSystemSearch } from './search/file-system-search.ts'
export { prepareStateFolder } from './providers/rooted/state-folder.ts'
export type { FileLimits } from './providers/common/core.ts'

// the tools' inputs and values
export type * from './consumer/values.ts'
export type { GlobInput, GlobValue, GrepInput, GrepValue } from './consumer/search-values.ts'
export type { ShownChange } from './consumer/show-change.ts'
