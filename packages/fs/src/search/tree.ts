/**
 * A tree that the fallback engine can search: the local disk through descriptors, or any `FileSystem` in memory.
 */
import type { EnginePlace } from './engine.ts'
import type { DirectoryRules } from './ignore-rules.ts'
import type { ScanRequest, ScannedHit } from './scan-text.ts'

export interface TreeEntry {
  name: string
  /** Links and special files are `other`: they are neither entered nor searched. */
  kind: 'file' | 'directory' | 'other'
}

export type FileScan =
  | { name: string; kind: 'text'; hits: ScannedHit[]; count: number }
  | { name: string; kind: 'binary' | 'unreadable' | 'gone' }

/** One directory, held open until `close`. */
export interface TreeDirectory {
  entries(): Promise<TreeEntry[]>
  /** A small file below, such as an ignore file; undefined when there is none. */
  readSmall(path: string): Promise<string | undefined>
  modified(names: readonly string[]): Promise<(number | undefined)[]>
  /** In the order of the names. Resolves early, with less, when `stop` aborts. */
  scan(names: readonly string[], request: ScanRequest, stop: AbortSignal): Promise<FileScan[]>
  close(): void
}

export interface TreePlace extends EnginePlace {
  /** Names from the root to this place. */
  readonly way: readonly string[]
  /** Rules of the root and of every directory on the way, this place not included: as many as `way` has names. */
  outerRules(): Promise<DirectoryRules[]>
  /** A directory below; empty for the place itself. For a file: something that scans the one name it has. Rejects when unreadable. */
  directory(below: string): Promise<TreeDirectory>
}

export interface SearchTree {
  place(path: string, options: { directory: boolean }): Promise<TreePlace>
}
