/**
 * What a provider has to bring: walking, opening, staging, renaming. The rules of `FileSystem` (observations, versions, locks, edits,
 * journal) stand above it once, in this folder, so that every provider keeps the same promises.
 */
import type { FileKind } from '../../definition/file-system.ts'
import type { VersionFacts } from '../../definition/versions.ts'

export interface EntryFacts {
  kind: Exclude<FileKind, 'missing'>
  size: number
  /** Permission bits, set-id and sticky included. */
  mode: number
  links: number
  mtimeMs: number
  stamp: VersionFacts
  /** Links: where they point, as written. */
  target?: string
}

/** A walked place: its directory is held open, its last name is known. Closed by whoever walked. */
export interface Spot {
  /** Same file, same key. */
  readonly key: string
  readonly absolute: string
  /** As shown. */
  readonly path: string
  readonly name: string
  /** Undefined when nothing is there. */
  readonly facts: EntryFacts | undefined
  /** Directories that would have to be made first, outermost first. */
  readonly missingParents: readonly string[]
  /** The place is a root itself. */
  readonly isRoot: boolean
  /** The root that holds it is read-only. */
  readonly readOnly: boolean
  close(): void
}

export interface OpenFile {
  readonly facts: EntryFacts
  /** Fewer bytes only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>
  /** Facts as they are now. */
  refresh(): Promise<EntryFacts>
  close(): Promise<void>
}

export interface DirectoryEntry {
  name: string
  /** The bytes of a name that is not UTF-8, in base64. */
  raw?: string
  facts: EntryFacts
}

export interface StageOptions {
  /** Permission bits; undefined: a new file by umask. */
  mode: number | undefined
  signal?: AbortSignal | undefined
}

export interface CommitOrder {
  /** False publishes only where nothing is. @throws FsError FS_ALREADY_EXISTS */
  replace: boolean
  /** Called at the last moment before the change is visible; a throw stops it. */
  verify(): Promise<void>
  /** Keep what is replaced until `release`, so that `restore` can bring it back without space or copying. */
  keep?: boolean
}

/** A visible change that can still be taken back. */
export interface Reversible {
  restore(): Promise<void>
  release(): Promise<void>
}

export interface Committed extends Reversible {
  facts: EntryFacts
}

/** Content that waits, complete and durable, beside its final name. */
export interface Staged {
  commit(order: CommitOrder): Promise<Committed>
  /** Leaves nothing behind. Harmless after a commit. */
  discard(): Promise<void>
}

export interface Storage {
  readonly roots: readonly string[]
  readonly raceFree: boolean
  /** Folders that belong to the runtime itself, absolute (F-17). */
  readonly stateFolders: readonly string[]
  /** Locks of storages with the same name exclude each other. */
  readonly lockSpace: string
  /** @throws FsError FS_BAD_PATH, FS_OUTSIDE_ROOT, FS_LOOP, FS_NOT_DIRECTORY, FS_PERMISSION */
  walk(path: string, leaf: 'follow' | 'keep'): Promise<Spot>
  /** Regular files only; checked by the caller on `facts`, by the storage on what was opened. */
  open(spot: Spot): Promise<OpenFile>
  /** Facts of the place as they are now. */
  refresh(spot: Spot): Promise<EntryFacts | undefined>
  /** Names beside the first missing component. */
  siblings(spot: Spot): Promise<string[]>
  stage(spot: Spot, content: Uint8Array, options: StageOptions): Promise<Staged>
  /** F-33. Restores `before` when it fails. */
  overwrite(spot: Spot, content: Uint8Array, before: Uint8Array): Promise<EntryFacts>
  setMode(spot: Spot, mode: number): Promise<void>
  /** An empty directory only. @throws FsError FS_NOT_EMPTY */
  removeEmpty(spot: Spot): Promise<void>
  /** Takes the entry out of sight in one step. */
  setAside(spot: Spot): Promise<Reversible>
  /** Atomic within one file system; parents of `to` are made. @throws FsError FS_ALREADY_EXISTS without `replace` */
  rename(from: Spot, to: Spot, order: { replace: boolean; verify(): Promise<void> }): Promise<EntryFacts>
  readDirectory(spot: Spot): Promise<DirectoryEntry[]>
  makeDirectory(spot: Spot): Promise<void>
  /** A link with this text, where nothing is. Absent where the storage has none. */
  makeLink?(spot: Spot, target: string): Promise<void>
  /** SHA-256, lower-case hex. */
  hash(bytes: Uint8Array): string
  isUtf8(bytes: Uint8Array): boolean
}
