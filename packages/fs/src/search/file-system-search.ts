/**
 * `Search` over any `FileSystem`, without a host: for providers in memory. A pattern that never ends cannot be ended here.
 */
import type { Search } from '../definition/search.ts'
import { createEngineSearch, type EngineSearchOptions } from './engine-search.ts'
import { createFileSystemTree, type SearchedFileSystem } from './file-system-tree.ts'
import { createTreeEngine } from './tree-engine.ts'

export function createFileSystemSearch(fileSystem: SearchedFileSystem, options: EngineSearchOptions = {}): Search {
  return createEngineSearch(createTreeEngine(createFileSystemTree(fileSystem)), options)
}
