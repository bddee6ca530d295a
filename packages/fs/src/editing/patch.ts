/**
 * Hunks of a patch put on a body (F-45). A hunk is whole lines: its context must stand in the file (found as F-40 finds text, in file
 * order), only the lines that differ between its two sides are replaced, so that context keeps its very bytes. Line numbers break ties.
 */
import type { PatchHunk } from '../definition/edits.ts'
import { FsError } from '../definition/errors.ts'
import { encodeGiven } from '../text/encoding.ts'
import { lineEndNear, lineStarts } from '../text/lines.ts'
import { splice, type Splice } from './apply.ts'
import { commonLines } from './common-lines.ts'

export interface PatchedBody {
  body: Buffer
  splices: Splice[]
}

interface Lines {
  body: Buffer
  starts: number[]
  texts: string[]
}

type Compare = (line: string, want: string) => boolean

/** From strict to tolerant; the indent shift comes after them. */
const STEPS: readonly Compare[] = [
  (line, want) => line === want,
  (line, want) => withoutCr(line) === withoutCr(want),
  (line, want) => line.trimEnd() === want.trimEnd(),
]

/** @throws FsError FS_PATCH_REJECTED naming file, hunk and reason */
export function applyHunks(body: Buffer, hunks: readonly PatchHunk[], path: string): PatchedBody {
  const starts = lineStarts(body)
  const lines: Lines = { body, starts, texts: starts.map((start, index) => lineText(body, start, starts[index + 1] ?? body.length)) }
  const splices: Splice[] = []
  let from = 0
  for (const [index, hunk] of hunks.entries()) {
    const placed = placeHunk(lines, hunk, { from, hunk: index + 1, path })
    splices.push(...spliceHunk(lines, placed, path))
    from = placed.line + hunk.old.length
  }
  return { body: splice(body, splices), splices }
}

interface PlacedHunk {
  hunk: PatchHunk
  /** 0-based line of the file. */
  line: number
  shift: (line: string) => string | undefined
}

function placeHunk(lines: Lines, hunk: PatchHunk, at: { from: number; hunk: number; path: string }): PlacedHunk {
  const reject = (reason: string, facts: { lines?: number[] } = {}): FsError =>
    new FsError('FS_PATCH_REJECTED', { path: at.path, hunk: at.hunk, reason, ...facts })
  if (hunk.old.length === 0 && hunk.new.length === 0) throw reject('empty hunk')
  if (hunk.old.length === 0) {
    const line = lines.texts.length === 0 ? 0 : hunk.line === undefined ? undefined : hunk.line - 1
    if (line === undefined) throw reject('a hunk without context needs a line number')
    if (line < at.from || line > lines.texts.length) throw reject('line number out of range')
    return { hunk, line, shift: (text) => text }
  }
  for (const compare of STEPS) {
    const places = placesOf(lines, hunk.old, { from: at.from, compare })
    if (places.length > 0) return { hunk, line: pick(places, hunk, reject), shift: (text) => text }
  }
  const shifted = shiftedPlaces(lines, hunk.old, at.from)
  if (shifted.length === 0) throw reject('context not found')
  const line = pick(
    shifted.map((place) => place.line),
    hunk,
    reject,
  )
  const { indent, kind } = shifted.find((place) => place.line === line) ?? { indent: '', kind: 'add' as const }
  return {
    hunk,
    line,
    shift: (text) =>
      text.trim() === '' ? text : kind === 'add' ? indent + text : text.startsWith(indent) ? text.slice(indent.length) : undefined,
  }
}

function placesOf(lines: Lines, old: readonly string[], { from, compare }: { from: number; compare: Compare }): number[] {
  const places: number[] = []
  for (let line = from; line + old.length <= lines.texts.length; line += 1) {
    if (old.every((want, offset) => compare(lines.texts[line + offset] ?? '', want))) places.push(line)
  }
  return places
}

function shiftedPlaces(lines: Lines, old: readonly string[], from: number): { line: number; indent: string; kind: 'add' | 'remove' }[] {
  const anchor = old.findIndex((line) => line.trim() !== '')
  if (anchor === -1) return []
  const places: { line: number; indent: string; kind: 'add' | 'remove' }[] = []
  for (let line = from; line + old.length <= lines.texts.length; line += 1) {
    const first = (lines.texts[line + anchor] ?? '').trimEnd()
    const want = (old[anchor] ?? '').trimEnd()
    const kind = first.length >= want.length ? 'add' : 'remove'
    const [longer, shorter] = kind === 'add' ? [first, want] : [want, first]
    const indent = longer.slice(0, longer.length - shorter.length)
    if (shorter === '' || !longer.endsWith(shorter) || indent.trim() !== '') continue
    const moved = (text: string): string => (text.trim() === '' ? '' : kind === 'add' ? indent + text.trimEnd() : text.trimEnd())
    const stands = (text: string): string => (text.trim() === '' ? '' : kind === 'remove' ? indent + text.trimEnd() : text.trimEnd())
    if (old.every((text, offset) => stands(lines.texts[line + offset] ?? '') === moved(text))) places.push({ line, indent, kind })
  }
  return places
}

/** One place, or the one nearest to the hint. */
function pick(places: readonly number[], hunk: PatchHunk, reject: (reason: string, facts?: { lines?: number[] }) => FsError): number {
  const [only] = places
  if (places.length === 1 && only !== undefined) return only
  const hint = hunk.line
  const ambiguous = (): FsError => reject('context found several times', { lines: places.slice(0, 10).map((line) => line + 1) })
  if (hint === undefined) throw ambiguous()
  const near = [...places].sort((a, b) => Math.abs(a + 1 - hint) - Math.abs(b + 1 - hint))
  const [best, next] = near
  if (best === undefined || (next !== undefined && Math.abs(best + 1 - hint) === Math.abs(next + 1 - hint))) throw ambiguous()
  return best
}

/** Replaces only what differs between the sides; common lines keep their bytes. */
function spliceHunk(lines: Lines, { hunk, line, shift }: PlacedHunk, path: string): Splice[] {
  const runs = commonLines(hunk.old, hunk.new)
  const lastRun = runs.at(-1)
  const reachesEnd = lastRun !== undefined && lastRun.oldEnd === hunk.old.length && lastRun.newEnd === hunk.new.length
  const splices = runs.map((run) => {
    const start = lines.starts[line + run.oldStart] ?? lines.body.length
    const end = lines.starts[line + run.oldEnd] ?? lines.body.length
    const touchesEnd = end === lines.body.length
    const inserted = hunk.new.slice(run.newStart, run.newEnd).map((text) => {
      const moved = shift(withoutCr(text))
      if (moved === undefined)
        throw new FsError('FS_PATCH_REJECTED', { path, reason: 'the new lines are indented less than the shift of the match' })
      return moved
    })
    const eol = lineEndNear(lines.body, start, end)
    const ends = touchesEnd ? endOfFile(lines, hunk, run) : { lead: false, last: true }
    const text = inserted.map((each, index) => each + (index < inserted.length - 1 || ends.last ? eol : '')).join('')
    const lead = ends.lead && inserted.length > 0 ? eol : ''
    return { start, end, insert: encodeGiven(lead + text, path) }
  })
  return reachesEnd ? splices : [...splices, ...spliceFinalEol(lines, { hunk, line })]
}

/** The last line is the same on both sides, but its line end is not. */
function spliceFinalEol({ body, starts }: Lines, { hunk, line }: { hunk: PatchHunk; line: number }): Splice[] {
  if (line + hunk.old.length !== starts.length || (hunk.oldNoEol === true) === (hunk.newNoEol === true)) return []
  const endsWithEol = body.at(-1) === 10
  if (hunk.oldNoEol === true) {
    const eol = Buffer.from(lineEndNear(body, body.length, body.length))
    return endsWithEol ? [] : [{ start: body.length, end: body.length, insert: eol }]
  }
  const eolStart = body.length - (body.at(-2) === 13 ? 2 : 1)
  return endsWithEol ? [{ start: eolStart, end: body.length, insert: Buffer.alloc(0) }] : []
}

/** Whether the new end of the file has a line end (`last`), and whether the line before needs one first (`lead`). */
function endOfFile(
  lines: Lines,
  hunk: PatchHunk,
  run: { oldStart: number; oldEnd: number; newEnd: number },
): { lead: boolean; last: boolean } {
  const endsWithEol = lines.body.length === 0 || lines.body.at(-1) === 10
  const pureInsert = run.oldStart === run.oldEnd
  const lead = pureInsert && !endsWithEol && lines.body.length > 0
  if (run.newEnd < hunk.new.length) return { lead, last: true }
  if (hunk.newNoEol === true) return { lead, last: false }
  if (hunk.oldNoEol === true) return { lead, last: true }
  return { lead, last: endsWithEol }
}

function lineText(body: Buffer, start: number, next: number): string {
  return body.toString('utf8', start, next > start && body[next - 1] === 10 ? next - 1 : next)
}

function withoutCr(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
