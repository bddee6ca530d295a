/**
 * What the operations of a file system share: its storage, its settings, and the small steps that nearly all of them take.
 */
import { FsError } from '../../definition/errors.ts'
import type { ChangeRecorder } from '../../definition/change-journal.ts'
import type { FileTarget, WriteIntent } from '../../definition/file-system.ts'
import type { Search } from '../../definition/search.ts'
import { HASHED_BYTES, formatVersion, type Version } from '../../definition/versions.ts'
import { stateAccess } from '../../paths/rules.ts'
import { acquire } from './locks.ts'
import type { ObservationBook } from './observations.ts'
import type { EntryFacts, OpenFile, Spot, Storage } from './storage.ts'

export interface FileLimits {
  /** Content of a write, default 16 MiB (F-36). */
  writeBytes: number
  /** A file to edit, default 64 MiB. */
  editBytes: number
  /** A pre-image to keep, default 64 MiB (F-60). */
  undoBytes: number
}

export const DEFAULT_LIMITS: FileLimits = { writeBytes: 16 * 1024 * 1024, editBytes: 64 * 1024 * 1024, undoBytes: 64 * 1024 * 1024 }

export interface Core {
  readonly storage: Storage
  readonly book: ObservationBook
  readonly recorder: ChangeRecorder | undefined
  readonly search: Search | undefined
  readonly limits: FileLimits
  readonly observe: 'on' | 'off'
  readonly hardLinks: 'inPlace' | 'refuse'
  /** Facts that nobody waits for, e.g. that a record could not be settled. */
  diagnose(message: string, details: { [fact: string]: string }): void
}

/** A whole file in memory, with the version of exactly these bytes. */
export interface WholeFile {
  bytes: Buffer
  facts: EntryFacts
  version: Version
  /** Lower-case hex; present up to `HASHED_BYTES`. */
  sha256: string | undefined
}

export function refuseAborted(signal: AbortSignal | undefined, path: string): void {
  if (signal?.aborted === true) throw new FsError('TOOL_ABORTED', { path })
}

export function tagOf(intent: WriteIntent): string {
  return intent.tag ?? intent.turnId ?? intent.rootCallId
}

/** @throws FsError FS_PROTECTED for the state folder (F-17) */
export function refuseState(core: Core, spot: Pick<Spot, 'absolute' | 'path'>, access: 'read' | 'write'): void {
  if (stateAccess(spot.absolute, core.storage.stateFolders, access)) return
  throw new FsError('FS_PROTECTED', { path: spot.path, reason: 'state folder' })
}

/** Refusals that every change shares. */
export function refuseWrite(core: Core, spot: Spot): void {
  refuseState(core, spot, 'write')
  if (spot.readOnly) throw new FsError('FS_READ_ONLY', { path: spot.path, reason: 'root' })
}

/** @throws FsError FS_IS_DIRECTORY, FS_NOT_REGULAR with the kind (F-12) */
export function refuseIrregular(spot: { path: string }, facts: EntryFacts): void {
  if (facts.kind === 'file') return
  if (facts.kind === 'directory') throw new FsError('FS_IS_DIRECTORY', { path: spot.path })
  throw new FsError('FS_NOT_REGULAR', { path: spot.path, kind: facts.kind })
}

/** Walks, uses, closes. */
export async function withSpot<T>(core: Core, target: Pick<FileTarget, 'given' | 'leaf'>, use: (spot: Spot) => Promise<T>): Promise<T> {
  const spot = await core.storage.walk(target.given, target.leaf)
  try {
    return await use(spot)
  } finally {
    spot.close()
  }
}

type Place = Pick<FileTarget, 'key' | 'given' | 'leaf'>

/**
 * As `withSpot` for several places, under their locks. A place whose key changed while waiting (a link turned, a hard link made) is
 * waited for again under its new key.
 */
export async function withLocked<T>(
  core: Core,
  places: readonly Place[],
  order: { signal?: AbortSignal | undefined; use: (spots: Spot[]) => Promise<T> },
): Promise<T> {
  let keys = places.map((place) => place.key)
  for (;;) {
    const release = await acquire(
      keys.map((key) => `${core.storage.lockSpace}:${key}`),
      order.signal,
    )
    const spots: Spot[] = []
    try {
      for (const place of places) spots.push(await core.storage.walk(place.given, place.leaf))
      if (spots.every((spot, index) => spot.key === keys[index])) return await order.use(spots)
      keys = spots.map((spot) => spot.key)
    } finally {
      for (const spot of spots) spot.close()
      release()
    }
  }
}

export function versionOf(facts: EntryFacts, sha256?: string): Version {
  return formatVersion(sha256 === undefined ? facts.stamp : { ...facts.stamp, sha256 })
}

/** All bytes, their facts, and a version whose hash belongs to them. Re-read while the file changes under the reading. */
export async function readWhole(core: Core, spot: Spot, mostBytes: number): Promise<WholeFile> {
  const file = await core.storage.open(spot)
  try {
    return await readStable(core, spot, { file, mostBytes })
  } finally {
    await file.close()
  }
}

/** As `readWhole`, on a file that is open already. */
export async function readStable(
  core: Core,
  spot: { path: string },
  { file, mostBytes }: { file: OpenFile; mostBytes: number },
): Promise<WholeFile> {
  let facts = file.facts
  for (let attempt = 0; ; attempt += 1) {
    if (facts.size > mostBytes) throw new FsError('FS_TOO_LARGE', { path: spot.path, size: facts.size, limit: mostBytes })
    const bytes = viewOf(await file.read(0, facts.size))
    const after = await file.refresh()
    const unchanged = versionOf(after) === versionOf(facts) && bytes.length === facts.size
    if (unchanged || attempt === 3) {
      // Still growing: the version keeps the older stamp, so that it is stale where it has to be; the hash tells what was read.
      const sha256 = bytes.length <= HASHED_BYTES ? core.storage.hash(bytes) : undefined
      return { bytes, facts, version: versionOf(facts, sha256), sha256 }
    }
    facts = after
  }
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** As shown next to the first missing name: names that may have been meant (F-15). */
export function missing(path: string, candidates: readonly string[]): FsError {
  return new FsError('FS_NOT_FOUND', { path, ...(candidates.length === 0 ? {} : { candidates: [...candidates] }) })
}
