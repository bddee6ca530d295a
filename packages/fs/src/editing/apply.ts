/**
 * Several edits of one snapshot (F-41 to F-43): all places are found first, none may overlap, then the new body is put together from
 * copies of what was not addressed and the inserted text.
 */
import type { Edit, MatchReport } from '../definition/edits.ts'
import { FsError, type FsErrorDetails } from '../definition/errors.ts'
import { encodeGiven } from '../text/encoding.ts'
import { lineEndNear, lineOf, withLineEnds } from '../text/lines.ts'
import { findText } from './find.ts'
import { shiftLines } from './indent.ts'
import { nearestLine } from './nearest.ts'
import { searchedBody, type Found, type Place, type SearchedBody } from './searched-body.ts'

/** Bytes `[start, end)` of the old body are replaced by `insert`. */
export interface Splice {
  start: number
  end: number
  insert: Buffer
}

export interface EditedBody {
  body: Buffer
  splices: Splice[]
  matches: MatchReport[]
}

/** @throws FsError FS_EMPTY_MATCH, FS_NO_CHANGE, FS_NO_MATCH, FS_AMBIGUOUS_MATCH, FS_OVERLAPPING_EDITS */
export function applyEdits(body: Buffer, edits: readonly Edit[], path: string): EditedBody {
  const searched = searchedBody(body)
  const splices: Splice[] = []
  const matches: MatchReport[] = []
  for (const [index, edit] of edits.entries()) {
    const where: FsErrorDetails = edits.length === 1 ? { path } : { path, edit: index + 1, of: edits.length }
    refuseEmptyAndSame(edit, where)
    const found = findPlaces(searched, edit, where)
    for (const place of found.places) splices.push({ ...place, insert: insertion(searched, { edit, found, place, path }) })
    matches.push({ how: found.how, count: found.places.length, lines: linesOf(body, found.places, 100) })
  }
  splices.sort((a, b) => a.start - b.start)
  refuseOverlap(splices, { body, path })
  const edited = splice(body, splices)
  if (edited.equals(body)) throw new FsError('FS_NO_CHANGE', { path })
  return { body: edited, splices, matches }
}

/** The old body with sorted, disjoint splices applied; everything else is copied. */
export function splice(body: Buffer, splices: readonly Splice[]): Buffer {
  const parts: Buffer[] = []
  let copied = 0
  for (const part of splices) {
    parts.push(body.subarray(copied, part.start), part.insert)
    copied = part.end
  }
  parts.push(body.subarray(copied))
  return Buffer.concat(parts)
}

function refuseEmptyAndSame(edit: Edit, where: FsErrorDetails): void {
  if (edit.old === '' || edit.old === '\uFEFF') throw new FsError('FS_EMPTY_MATCH', where)
  if (edit.old === edit.new) throw new FsError('FS_NO_CHANGE', where)
}

function findPlaces(searched: SearchedBody, edit: Edit, where: FsErrorDetails): Found {
  // Content is shown without its BOM; a search text that carries one means the start of the file.
  const old = edit.old.startsWith('\uFEFF') ? edit.old.slice(1) : edit.old
  const found = findText(searched, old, edit.all === true)
  if (found.places.length === 0) throw new FsError('FS_NO_MATCH', { ...where, ...nearestLine(searched, old) })
  if (found.places.length > 1 && edit.all !== true) {
    const lines = linesOf(searched.body, found.places, 10)
    throw new FsError('FS_AMBIGUOUS_MATCH', { ...where, count: found.places.length, lines, how: found.how })
  }
  return found
}

/** The bytes to put at one place. */
function insertion(searched: SearchedBody, { edit, found, place, path }: { edit: Edit; found: Found; place: Place; path: string }): Buffer {
  const { old } = edit
  const given = edit.new.startsWith('\uFEFF') ? edit.new.slice(1) : edit.new
  const shifted = found.shift === undefined ? given : shiftLines(given.replaceAll('\r\n', '\n'), found.shift)
  if (shifted === undefined)
    throw new FsError('FS_NO_MATCH', { path, reason: 'the new lines are indented less than the shift of the match' })
  // A caller whose search text holds CRs and was found as it stands addresses bytes, and means those it inserts.
  const literal = encodeGiven(shifted, path)
  if (!shifted.includes('\n') || (found.how === 'exact' && old.includes('\r'))) return literal
  const adapted = encodeGiven(withLineEnds(shifted, lineEndNear(searched.body, place.start, place.end)), path)
  return adapted.equals(searched.body.subarray(place.start, place.end)) ? literal : adapted
}

function refuseOverlap(splices: readonly Splice[], { body, path }: { body: Buffer; path: string }): void {
  for (const [index, next] of splices.entries()) {
    const before = splices[index - 1]
    if (before === undefined || before.end <= next.start) continue
    throw new FsError('FS_OVERLAPPING_EDITS', { path, lines: [lineOf(body, before.start), lineOf(body, next.start)] })
  }
}

function linesOf(body: Buffer, places: readonly Place[], limit: number): number[] {
  const lines: number[] = []
  let line = 1
  let counted = 0
  for (const place of places.slice(0, limit)) {
    for (let at = body.indexOf(10, counted); at !== -1 && at < place.start; at = body.indexOf(10, at + 1)) line += 1
    counted = place.start
    lines.push(line)
  }
  return lines
}
