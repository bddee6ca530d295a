/**
 * What a search engine is to the rest: it opens a place, lists its files, finds lines in them. Limits, order, names and deadlines are
 * the business of `engine-search.ts`, so that every engine gives the same answers.
 */
import type { PathFilter } from './path-filter.ts'
import type { GrepSpec } from './query.ts'
import type { ScannedHit } from './scan-text.ts'

export interface EnginePlace {
  readonly kind: 'directory' | 'file'
  /** As shown to callers; empty for the first root. */
  readonly relative: string
  /** A name below the place exists, without following links. */
  exists(below: string): Promise<boolean>
  /** The place is still where the walk found it. */
  recheck(): Promise<boolean>
  close(): void
}

export interface ListWant {
  filter: PathFilter
  includeIgnored: boolean
  /** Modification times are wanted. */
  times: boolean
  /** Ends the work; what was found so far is still given. */
  stop: AbortSignal
}

export interface ListFound {
  /** Relative to the place. */
  files: { path: string; mtimeMs: number }[]
  unreadable: string[]
}

export interface FindWant {
  spec: GrepSpec
  filter: PathFilter
  stop: AbortSignal
}

/** A file with hits. Paths are relative to the place, empty for the place itself. */
export interface FileFinding {
  kind: 'file'
  path: string
  hits: ScannedHit[]
  count: number
}

export type Finding =
  | FileFinding
  | { kind: 'binary'; path: string }
  | { kind: 'unreadable'; path: string }
  | { kind: 'warning'; text: string }

export interface SearchEngine<Place extends EnginePlace = EnginePlace> {
  readonly name: string
  /** Whether `binary` findings are complete. */
  readonly countsBinary: boolean
  /** @throws FsError as the walk */
  open(path: string, options: { directory: boolean }): Promise<Place>
  /** @throws FsError FS_SEARCH_FAILED */
  list(place: Place, want: ListWant): Promise<ListFound>
  /** Of listed paths, in their order, those that the walk finds again: only these are given out. Absent where listing is the walk itself. */
  confirm?(place: Place, paths: readonly string[]): string[]
  /**
   * In batches as they come: the place is checked again once for each. Ending the iteration ends the engine.
   * @throws FsError FS_INVALID_PATTERN, FS_SEARCH_FAILED
   */
  find(place: Place, want: FindWant): AsyncIterable<readonly Finding[]>
}
