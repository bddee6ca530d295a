/**
 * Vocabulary of searches: what glob and grep are asked, what they give, and what a provider offers a search engine to stand on.
 */
import type { Version } from './versions.ts'

export interface GlobQuery {
  pattern: string
  /** Directory the pattern starts from; default the first root. */
  path?: string
  /** Default 100, at most 1,000. */
  limit?: number
  /** `modified` (newest first) by default. */
  order?: 'modified' | 'path'
  includeIgnored?: boolean
  /** Whose observations learn of the named files (F-21). */
  agent?: string
  signal?: AbortSignal
}

/** What a search did not look at (F-55). `ignored` is true when ignore rules were in force. */
export interface Skipped {
  ignored: boolean
  /** Number of binary files that were not searched; null where the engine does not count them. */
  binary: number | null
  unreadable: string[]
}

export interface GlobResult {
  /** Relative to the first root, in the order asked for. */
  paths: string[]
  total: number
  truncated: boolean
  timedOut?: boolean
  engine: string
  skipped: Skipped
  notes: string[]
}

export interface GrepQuery {
  pattern: string
  path?: string
  /** Only files that match one of these glob patterns; never overrides ignore rules. */
  include?: string | readonly string[]
  fixed?: boolean
  ignoreCase?: boolean
  multiline?: boolean
  /** Context lines before and after each hit. */
  before?: number
  after?: number
  mode?: 'lines' | 'files' | 'count'
  /** Default 200, at most 1,000. */
  limit?: number
  includeIgnored?: boolean
  agent?: string
  signal?: AbortSignal
}

export interface GrepHit {
  path: string
  /** 1-based; 0 in the modes `files` and `count`. */
  line: number
  /** 1-based, in characters of the shown line's full text; 0 where there is no line. */
  column: number
  text: string
  /** The text is a part of a longer line. */
  cut?: 'left' | 'right' | 'both'
  before?: string[]
  after?: string[]
  /** Mode `count`: matching lines of this file. */
  count?: number
}

export interface GrepSummary {
  files: number
  total: number
  truncated: boolean
  timedOut?: boolean
  engine: string
  skipped: Skipped
  warnings: string[]
}

/** Hits as they are found; `summary` settles when the iteration ended (also when the consumer stops early). */
export type GrepStream = AsyncIterable<GrepHit> & { summary: Promise<GrepSummary> }

/** What a provider needs to answer `FileSystem.glob` and `FileSystem.grep`. */
export interface Search {
  glob(query: GlobQuery): Promise<GlobResult>
  grep(query: GrepQuery): GrepStream
}

/** A place that the walk has opened and holds open, for an engine that is another process. */
export interface WalkedPlace {
  readonly kind: 'directory' | 'file'
  /**
   * A path under which another process of this host reaches the opened place itself (`/proc/PID/fd/N`), whatever links do meanwhile.
   * In providers that are not race-free: the absolute path.
   */
  readonly procPath: string
  /** As shown to callers: relative to the first root (empty for the root itself), absolute in further roots. */
  readonly relative: string
  readonly absolute: string
  /**
   * Whether `below` (relative to this place, `/` separators, default the place itself) is still reached from the root without a link:
   * hits are given out only after this.
   */
  recheck(below?: string): Promise<boolean>
  close(): void
}

/** Offered by providers on the local disk; engines that run as another process need it. */
export interface SearchGround {
  /** @throws FsError as `FileSystem.resolve` and F-12: `FS_NOT_REGULAR`, `FS_OUTSIDE_ROOT`, `FS_NOT_FOUND` */
  walkPlace(path: string): Promise<WalkedPlace>
  /** As `walkPlace`, but refuses what is not a directory with `FS_NOT_DIRECTORY`. */
  walkDirectory(path: string): Promise<WalkedPlace>
  /** Called with every path that a result names, so that the agent may move or delete it (F-21). Version only where known. */
  named(agent: string | undefined, found: readonly { path: string; version?: Version }[]): void
}
