/**
 * The seam of files. Promises of every provider (held by `runFileSystemContract` in `testing.ts`):
 * F-1 a mutation that rejects has changed nothing, or has restored what it changed; F-2 a reader sees the old or the new file, whole;
 * F-3 nothing outside the roots is read, written, listed or created (providers with `raceFree`); F-4 bytes that an edit did not address
 * are unchanged; F-5 nobody's later work is overwritten unseen; F-7 refusals are `FsError`s with a code and facts.
 */
import { defineService, type ServiceToken } from '@toolseam/core-tools'
import type { ChangeKind, Edit, Hunk, MatchReport, PatchOperation } from './edits.ts'
import type { GlobQuery, GlobResult, GrepQuery, GrepStream } from './search.ts'
import type { Version } from './versions.ts'

/** A scope of core-tools: whose observations count. */
export type AgentId = string

export type FileKind = 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'device' | 'missing'

/** A resolved place. Opaque: only `key`, `path` and `absolute` mean something to callers; every operation walks again. */
export interface FileTarget {
  /** One file, one key: aliases (links, `..`, hard links) share it. Orders locks and finds observations. */
  readonly key: string
  /** Relative to the first root with `/`; absolute in further roots. */
  readonly path: string
  /** Absolute, links followed. */
  readonly absolute: string
  /** Walked again by each operation. */
  readonly given: string
  /** What was asked for, where a file of the same name after Unicode normalisation stands for it (F-15). */
  readonly asked?: string
  readonly leaf: 'follow' | 'keep'
  readonly agent?: AgentId
  /** Facts about the resolution for the caller, e.g. that a normalised name was used. */
  readonly notes: readonly string[]
}

export interface FileFacts {
  path: string
  kind: FileKind
  size: number
  /** Permission bits only. */
  mode: number
  links: number
  mtimeMs: number
  /** Absent for `missing`. Without a content hash unless it was known. */
  version?: Version
}

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'unknown-8bit'
export type LineEnds = 'lf' | 'crlf' | 'mixed' | 'none'

/** Lines wanted: from `offset` (1-based) at most `limit`, or the last `tail`. */
export interface ReadWindow {
  offset?: number
  limit?: number
  tail?: number
  /** Bytes shown in all, default 50 KiB. */
  maxBytes?: number
  /** Bytes shown per line, default 2,000. */
  maxLineBytes?: number
  signal?: AbortSignal
}

export interface TextWindow {
  path: string
  /** Lines joined with LF, without BOM; a final line end is not part of it. Lone CRs and other controls are as they are. */
  text: string
  /** 1-based. Negative (counted from the end, -1 is the last) for the tail of a file whose lines were not counted. */
  startLine: number
  /** Last line given; `startLine - 1` when none. */
  endLine: number
  /** Null when the file is large and its end was not reached. */
  totalLines: number | null
  /** The window ended before the file did. */
  truncated: boolean
  /** Line numbers that were cut at `maxLineBytes`. */
  cutLines: number[]
  eol: LineEnds
  /** The last line has no line end. False when the end was not reached. */
  noFinalEol: boolean
  bom: boolean
  encoding: TextEncoding
  size: number
  version: Version
  notes: string[]
}

export interface WriteIntent {
  agent?: AgentId
  turnId?: string
  rootCallId: string
  callId: string
  /** Groups changes for undo; default `turnId`, else `rootCallId`. */
  tag?: string
  /** What the caller believes about the file; default `observed` (F-21). */
  expect?: Version | 'absent' | 'any' | 'observed'
  signal?: AbortSignal
  /** Permission bits to set instead of those kept; for undo. */
  mode?: number
  /** `revert`: written as journalled undo; protected paths other than the state folder are open to it, and a file may be created in place of a deleted one. */
  kind?: 'change' | 'revert'
}

export interface Change {
  path: string
  kind: ChangeKind
  before?: Version
  after?: Version
  /** 3 lines of context. Empty where the content is not text or the diff budget was spent (then only `added` and `removed` are known). */
  hunks: Hunk[]
  added: number
  removed: number
  /** Bytes of the file afterwards. */
  bytes?: number
  /** Moves: where from. `path` is the new place. */
  from?: string
  /** Moves: the target existed and was replaced. */
  replaced?: true
  undoable: boolean
  /** Id in the change journal. */
  entry?: string
  notes: string[]
}

export interface ListOptions {
  /** Default 1, at most 5. */
  depth?: number
  /** Default 500. */
  limit?: number
  agent?: AgentId
  signal?: AbortSignal
}

export interface ListEntry {
  path: string
  name: string
  kind: Exclude<FileKind, 'missing'>
  size?: number
  /** Links: where they point, as written. */
  target?: string
  /** Matched by an ignore file. */
  ignored?: true
  /** The name is not UTF-8: its bytes in base64. Such an entry cannot be addressed. */
  raw?: string
  mtimeMs?: number
}

export interface Listing {
  path: string
  entries: ListEntry[]
  truncated: boolean
}

/** What one agent has seen of one file. */
export interface Observation {
  /** Absent only for `named`, where a search did not tell it. */
  version?: Version
  /** Seen byte ranges `[start, end)`, merged and sorted; `whole` when they cover the file. `named`: only the name was shown. */
  seen: 'whole' | 'named' | readonly (readonly [start: number, end: number])[]
}

export interface Observations {
  /** Own observation, else the nearest ancestor's. */
  get(target: { key: string; absolute: string }): Observation | undefined
  /** Adds to what was seen of the same version; another version replaces it. */
  note(target: { key: string; absolute: string }, observation: Observation): void
  forget(target: { key: string; absolute: string }): void
}

/** What undo makes again that no tool makes: an empty directory, or a link. */
export type RemadeEntry = { kind: 'directory'; mode?: number } | { kind: 'symlink'; target: string }

/** Service token `FileSystem` (`toolseam/file-system`). */
export interface FileSystem {
  readonly roots: readonly string[]
  /** False where a swap of links during an operation cannot be excluded (F-13). */
  readonly raceFree: boolean
  /** @throws FsError FS_BAD_PATH, FS_OUTSIDE_ROOT, FS_LOOP, FS_NOT_DIRECTORY. A missing leaf is a target whose kind is `missing`. */
  resolve(path: string, options?: { agent?: AgentId; leaf?: 'follow' | 'keep' }): Promise<FileTarget>
  stat(target: FileTarget): Promise<FileFacts>
  /** Fewer bytes only at the end of the file. */
  readBytes(target: FileTarget, range: { offset: number; length: number; signal?: AbortSignal }): Promise<Uint8Array>
  readText(target: FileTarget, window: ReadWindow): Promise<TextWindow>
  /** Whole file. A directory or special file is refused. */
  write(target: FileTarget, content: string | Uint8Array, intent: WriteIntent): Promise<Change>
  edit(target: FileTarget, edits: readonly Edit[], intent: WriteIntent): Promise<Change & { matches: MatchReport[] }>
  /** All or nothing. */
  patch(operations: readonly PatchOperation[], intent: WriteIntent): Promise<Change[]>
  move(from: FileTarget, to: FileTarget, intent: WriteIntent & { overwrite?: boolean }): Promise<Change>
  /** Acts on a link itself. A full directory needs `recursive`. */
  remove(target: FileTarget, intent: WriteIntent & { recursive?: boolean }): Promise<Change[]>
  list(target: FileTarget, options?: ListOptions): Promise<Listing>
  /** For undo, where nothing is: an empty directory or a link. Absent where a provider cannot. @throws FsError FS_ALREADY_EXISTS */
  remake?(target: FileTarget, entry: RemadeEntry, intent: WriteIntent): Promise<Change>
  glob(query: GlobQuery): Promise<GlobResult>
  grep(query: GrepQuery): GrepStream
  /** What this agent has seen; without an agent: what calls without one have seen. */
  observations(agent?: AgentId): Observations
}

export const FileSystem: ServiceToken<FileSystem> = defineService<FileSystem>('toolseam/file-system', { package: '@toolseam/fs' })
