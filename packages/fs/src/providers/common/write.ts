/**
 * Writing a whole file (F-30 to F-36).
 */
import { FsError } from '../../definition/errors.ts'
import type { Change, FileTarget, WriteIntent } from '../../definition/file-system.ts'
import { planWrite } from '../../editing/plan-write.ts'
import { encodeGiven, viewOf } from '../../text/encoding.ts'
import { readWhole, refuseIrregular, refuseWrite, versionOf, withLocked, type Core } from './core.ts'
import { checkExpectation } from './expectations.ts'
import { publish, type Publication } from './publish.ts'
import { twinNames } from './resolve.ts'
import type { Spot } from './storage.ts'

export async function writeFile(
  core: Core,
  target: FileTarget,
  order: { content: string | Uint8Array; intent: WriteIntent },
): Promise<Change> {
  const { content, intent } = order
  const given = typeof content === 'string' ? encodeGiven(content, target.path) : viewOf(content)
  // What is put back by undo was there before, however large.
  const most = intent.kind === 'revert' ? core.limits.undoBytes : core.limits.writeBytes
  if (given.length > most) throw tooLarge(target.path, given.length, most)
  const place = { key: target.key, given: target.asked ?? target.given, leaf: target.leaf }
  return withLocked(core, [place], {
    signal: intent.signal,
    use: async ([spot]) => {
      if (spot === undefined) throw new FsError('FS_IO', { path: target.path })
      refuseWrite(core, spot)
      const before = await readForWrite(core, spot, intent)
      const { after, notes, change } = planWrite(spot.path, before?.bytes, typeof content === 'string' ? given : { literal: given })
      const published = await publish(core, { spot, before, after, intent })
      core.book.view(intent.agent).note(spot, { version: published.version, seen: 'whole' })
      return {
        path: spot.path,
        kind: before === undefined ? 'create' : 'modify',
        ...(before === undefined ? {} : { before: before.version }),
        after: published.version,
        ...change,
        bytes: after.length,
        undoable: published.undoable,
        ...(published.entry === undefined ? {} : { entry: published.entry }),
        notes: [...notes, ...published.notes],
      }
    },
  })
}

function tooLarge(path: string, size: number, limit: number): FsError {
  return new FsError('FS_TOO_LARGE', { path, size, limit })
}

/** What the write replaces, checked; undefined for a creation. Files too large to keep are not read. */
async function readForWrite(core: Core, spot: Spot, intent: WriteIntent): Promise<Publication['before']> {
  const { facts } = spot
  if (facts === undefined) {
    await refuseTwin(core, spot)
    const { expect } = intent
    if (expect !== undefined && expect !== 'observed' && expect !== 'absent' && expect !== 'any') {
      throw new FsError('FS_STALE_VERSION', { path: spot.path, expected: expect, actual: 'missing' })
    }
    return undefined
  }
  refuseIrregular(spot, facts)
  const large = facts.size > core.limits.editBytes
  const before = large ? { facts, version: versionOf(facts) } : await readWhole(core, spot, core.limits.editBytes)
  checkExpectation(core, spot, { intent, needed: 'whole', actual: before.version })
  return before
}

/** @throws FsError FS_AMBIGUOUS_NAME next to a name that only differs in normalisation */
export async function refuseTwin(core: Core, spot: Spot): Promise<void> {
  const candidates = await twinNames(core, spot)
  if (candidates.length > 0) throw new FsError('FS_AMBIGUOUS_NAME', { path: spot.path, candidates })
}
