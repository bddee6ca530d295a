/**
 * Editing by search text (F-40 to F-44): one snapshot, checked before matching, changed in memory, published whole.
 */
import type { Edit, MatchReport } from '../../definition/edits.ts'
import { FsError } from '../../definition/errors.ts'
import type { Change, FileTarget, WriteIntent } from '../../definition/file-system.ts'
import { applyEdits, type Splice } from '../../editing/apply.ts'
import { countHunks, hunksOf } from '../../editing/hunks.ts'
import { decodeForChange, encodeFile, sniffEncoding } from '../../text/encoding.ts'
import { readWhole, refuseIrregular, refuseWrite, withLocked, type Core } from './core.ts'
import { checkExpectation } from './expectations.ts'
import type { ObservationRecord } from './observations.ts'
import { publish } from './publish.ts'
import { notFound } from './resolve.ts'

export function editFile(
  core: Core,
  target: FileTarget,
  order: { edits: readonly Edit[]; intent: WriteIntent },
): Promise<Change & { matches: MatchReport[] }> {
  const { edits, intent } = order
  return withLocked(core, [target], {
    signal: intent.signal,
    use: async ([spot]) => {
      if (spot?.facts === undefined) throw spot === undefined ? new FsError('FS_IO', { path: target.path }) : await notFound(core, spot)
      refuseWrite(core, spot)
      refuseIrregular(spot, spot.facts)
      const before = await readWhole(core, spot, core.limits.editBytes)
      // Told first: what is binary cannot be read as text either, so that nobody could ever have seen it.
      if (sniffEncoding(before.bytes).encoding === 'binary') throw new FsError('FS_BINARY', { path: spot.path, size: before.bytes.length })
      checkExpectation(core, spot, { intent, needed: 'part', actual: before.version })
      const decoded = decodeForChange(before.bytes, spot.path, core.storage.isUtf8)
      const edited = applyEdits(decoded.body, edits, spot.path)
      const after = encodeFile(edited.body, decoded)
      const hunks = hunksOf(decoded.body, edited.body, edited.splices)
      const record = core.book.record(intent.agent, spot)
      const published = await publish(core, { spot, before, after, intent })
      const seen = seenAfter(record, {
        splices: edited.splices,
        bomBytes: before.bytes.length - decoded.body.length,
        utf8: decoded.encoding === 'utf-8',
      })
      core.book.view(intent.agent).note(spot, { version: published.version, seen })
      return {
        path: spot.path,
        kind: 'modify',
        before: before.version,
        after: published.version,
        hunks,
        ...countHunks(hunks),
        bytes: after.length,
        undoable: published.undoable,
        ...(published.entry === undefined ? {} : { entry: published.entry }),
        notes: [...target.notes, ...published.notes],
        matches: edited.matches,
      }
    },
  })
}

/** F-23: what was seen before is still known after one's own change, moved by it; the inserted text is known too. */
export function seenAfter(
  record: ObservationRecord | undefined,
  { splices, bomBytes, utf8 }: { splices: readonly Splice[]; bomBytes: number; utf8: boolean },
): 'whole' | [number, number][] {
  if (record?.seen === 'whole') return 'whole'
  if (record?.seen === undefined || !utf8) return []
  const moved = (offset: number): number => {
    let shift = 0
    for (const part of splices) {
      if (part.end + bomBytes > offset) break
      shift += part.insert.length - (part.end - part.start)
    }
    return offset + shift
  }
  const seen = record.seen.map(([start, end]): [number, number] => [moved(start), moved(end)])
  let shift = 0
  for (const part of splices) {
    seen.push([part.start + bomBytes + shift, part.start + bomBytes + shift + part.insert.length])
    shift += part.insert.length - (part.end - part.start)
  }
  return seen.filter(([start, end]) => end > start)
}
