/**
 * Read before write (F-21, F-22): what a caller believes about a file against what is there.
 */
import { FsError } from '../../definition/errors.ts'
import type { WriteIntent } from '../../definition/file-system.ts'
import { isStale, type Version } from '../../definition/versions.ts'
import { versionOf, type Core } from './core.ts'
import type { EntryFacts, Spot } from './storage.ts'

/** How much of the file must have been seen. */
export type Needed = 'whole' | 'part' | 'name'

/** @throws FsError FS_NOT_OBSERVED, FS_STALE_VERSION, FS_ALREADY_EXISTS */
export function checkExpectation(core: Core, spot: Spot, order: { intent: WriteIntent; needed: Needed; actual: Version }): void {
  const { intent, needed, actual } = order
  const expect = intent.expect ?? 'observed'
  if (expect === 'any') return
  if (expect === 'absent') throw new FsError('FS_ALREADY_EXISTS', { path: spot.path })
  if (expect !== 'observed') {
    if (isStale(expect, actual)) throw stale(spot.path, expect, actual)
    return
  }
  if (core.observe === 'off') return
  const record = core.book.record(intent.agent, spot)
  if (record === undefined) throw new FsError('FS_NOT_OBSERVED', { path: spot.path, needed })
  const fresh = record.version !== undefined && !isStale(record.version, actual)
  if (needed === 'name') {
    const named = record.named === true || (record.named !== undefined && !isStale(record.named, actual))
    if (!fresh && !named) throw stale(spot.path, record.version ?? (record.named === true ? undefined : record.named), actual)
    return
  }
  if (record.version === undefined || record.seen === undefined)
    throw new FsError('FS_NOT_OBSERVED', { path: spot.path, needed, seen: 'named' })
  if (!fresh) throw stale(spot.path, record.version, actual)
  if (needed === 'whole' && record.seen !== 'whole') {
    const bytes = record.seen.reduce((sum, [start, end]) => sum + end - start, 0)
    throw new FsError('FS_NOT_OBSERVED', { path: spot.path, needed, seen: { bytes, of: spot.facts?.size ?? 0 } })
  }
}

/**
 * Right before the rename: the place still holds what was read. A touched file of the same content passes.
 * @throws FsError FS_STALE_VERSION, FS_ALREADY_EXISTS
 */
export async function verifyUnchanged(
  core: Core,
  spot: Spot,
  order: { read: { version: Version; facts: EntryFacts } | undefined; intent: WriteIntent },
): Promise<void> {
  const { read, intent } = order
  if (intent.signal?.aborted === true) throw new FsError('TOOL_ABORTED', { path: spot.path })
  if (intent.expect === 'any') return
  const now = await core.storage.refresh(spot)
  if (read === undefined) {
    if (now !== undefined) throw new FsError('FS_ALREADY_EXISTS', { path: spot.path })
    return
  }
  if (now === undefined) throw stale(spot.path, read.version, 'missing')
  if (versionOf(now) === versionOf(read.facts)) return
  const actual = await hashedVersion(core, spot, now)
  if (isStale(read.version, actual)) throw stale(spot.path, read.version, actual)
}

/** The version of a place with its hash, where its content can still be what was read. */
async function hashedVersion(core: Core, spot: Spot, now: EntryFacts): Promise<Version> {
  if (now.kind !== 'file' || now.size !== spot.facts?.size) return versionOf(now)
  const again = await core.storage.walk(spot.absolute, 'keep')
  try {
    if (again.facts?.kind !== 'file') return versionOf(now)
    const file = await core.storage.open(again)
    try {
      if (file.facts.size > 8 * 1024 * 1024) return versionOf(file.facts)
      return versionOf(file.facts, core.storage.hash(await file.read(0, file.facts.size)))
    } finally {
      await file.close()
    }
  } finally {
    again.close()
  }
}

function stale(path: string, expected: Version | undefined, actual: Version | 'missing'): FsError {
  return new FsError('FS_STALE_VERSION', { path, expected: expected ?? 'unknown', actual })
}
