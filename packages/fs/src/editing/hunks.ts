/**
 * Hunks (F-44): from the offsets of a change, with three lines of context. Never from a general diff of the file.
 */
import type { Hunk } from '../definition/edits.ts'
import type { Splice } from './apply.ts'

const CONTEXT = 3
/** Lines of one hunk that are kept in full; a longer run is cut so that no change of a whole file doubles it in memory. */
const NO_EOL = '\\ No newline at end of file'

/** A changed run in whole lines: old `[oldStart, oldEnd)` and new `[newStart, newEnd)`, in bytes. */
interface LineRun {
  oldStart: number
  oldEnd: number
  newStart: number
  newEnd: number
}

/** Hunks of `before` -> `after`, where `splices` (sorted, disjoint, offsets of `before`) made the difference. */
export function hunksOf(before: Buffer, after: Buffer, splices: readonly Splice[]): Hunk[] {
  const counter = lineCounter(before)
  let newShift = 0
  return groupRuns(before, lineRuns(before, after, splices)).map((group) => {
    const hunk = hunkOf(before, after, group, counter(contextStart(before, group.context)) + 1)
    hunk.newStart += newShift
    newShift += hunk.newLines - hunk.oldLines
    return normaliseEmptySides(hunk)
  })
}

/** Lines added and removed by hunks. */
export function countHunks(hunks: readonly Hunk[]): { added: number; removed: number } {
  let added = 0
  let removed = 0
  for (const hunk of hunks) {
    for (const line of hunk.lines) {
      if (line.startsWith('+')) added += 1
      else if (line.startsWith('-')) removed += 1
    }
  }
  return { added, removed }
}

/** Splices widened to whole lines and joined where they meet; unchanged lines at both ends of a run are given back. */
function lineRuns(before: Buffer, after: Buffer, splices: readonly Splice[]): LineRun[] {
  const runs: LineRun[] = []
  let shift = 0
  for (const part of splices) {
    const oldStart = lineStart(before, part.start)
    const newStart = lineStart(after, part.start + shift)
    const grown = shift + part.insert.length - (part.end - part.start)
    // Both sides end where both have a whole line: at the line end behind the splice, unless both already stand at a line start.
    const newStop = part.end + grown
    const aligned = atLineStart(before, part.end) && atLineStart(after, newStop)
    const oldEnd = aligned ? part.end : lineEnd(before, part.end)
    const newEnd = aligned ? newStop : oldEnd + grown
    const last = runs.at(-1)
    if (last !== undefined && oldStart < last.oldEnd) {
      last.oldEnd = Math.max(last.oldEnd, oldEnd)
      last.newEnd = Math.max(last.oldEnd + grown, newEnd)
    } else if (last !== undefined && oldStart === last.oldEnd && newStart <= last.newEnd) {
      last.oldEnd = oldEnd
      last.newEnd = newEnd
    } else {
      runs.push({ oldStart, oldEnd, newStart, newEnd })
    }
    shift = grown
  }
  return runs.map((run) => trimRun(before, after, run)).filter((run) => run.oldStart < run.oldEnd || run.newStart < run.newEnd)
}

function trimRun(before: Buffer, after: Buffer, run: LineRun): LineRun {
  let { oldStart, oldEnd, newStart, newEnd } = run
  while (oldStart < oldEnd && newStart < newEnd) {
    const oldLine = before.subarray(oldStart, Math.min(lineEnd(before, oldStart), oldEnd))
    const newLine = after.subarray(newStart, Math.min(lineEnd(after, newStart), newEnd))
    if (!oldLine.equals(newLine)) break
    oldStart += oldLine.length
    newStart += newLine.length
  }
  while (oldStart < oldEnd && newStart < newEnd) {
    const oldFrom = Math.max(lineStart(before, oldEnd - 1), oldStart)
    const newFrom = Math.max(lineStart(after, newEnd - 1), newStart)
    if (!before.subarray(oldFrom, oldEnd).equals(after.subarray(newFrom, newEnd))) break
    oldEnd = oldFrom
    newEnd = newFrom
  }
  return { oldStart, oldEnd, newStart, newEnd }
}

interface Group {
  runs: LineRun[]
  context: number
}

/** Runs whose contexts meet share a hunk. */
function groupRuns(before: Buffer, runs: readonly LineRun[]): Group[] {
  const groups: Group[] = []
  for (const run of runs) {
    const last = groups.at(-1)
    const lastRun = last?.runs.at(-1)
    if (last !== undefined && lastRun !== undefined && linesBetween(before, lastRun.oldEnd, run.oldStart) <= CONTEXT * 2)
      last.runs.push(run)
    else groups.push({ runs: [run], context: run.oldStart })
  }
  return groups
}

function hunkOf(before: Buffer, after: Buffer, group: Group, firstLine: number): Hunk {
  const hunk: Hunk = { oldStart: firstLine, oldLines: 0, newStart: firstLine, newLines: 0, lines: [] }
  let at = contextStart(before, group.context)
  for (const run of group.runs) {
    push(hunk, ' ', before, at, run.oldStart)
    push(hunk, '-', before, run.oldStart, run.oldEnd)
    push(hunk, '+', after, run.newStart, run.newEnd)
    at = run.oldEnd
  }
  push(hunk, ' ', before, at, contextEnd(before, at))
  return hunk
}

function push(hunk: Hunk, sign: ' ' | '-' | '+', body: Buffer, start: number, end: number): void {
  for (let at = start; at < end;) {
    const next = Math.min(lineEnd(body, at), end)
    const ended = body[next - 1] === 10
    hunk.lines.push(sign + body.toString('utf8', at, ended ? next - 1 : next))
    if (!ended) hunk.lines.push(NO_EOL)
    if (sign !== '+') hunk.oldLines += 1
    if (sign !== '-') hunk.newLines += 1
    at = next
  }
}

/** As unified diffs have it: an empty side stands behind the line before it. */
function normaliseEmptySides(hunk: Hunk): Hunk {
  if (hunk.oldLines === 0) hunk.oldStart -= 1
  if (hunk.newLines === 0) hunk.newStart -= 1
  return hunk
}

function lineCounter(body: Buffer): (offset: number) => number {
  let counted = 0
  let lines = 0
  return (offset) => {
    for (let at = body.indexOf(10, counted); at !== -1 && at < offset; at = body.indexOf(10, at + 1)) lines += 1
    counted = Math.max(counted, offset)
    return lines
  }
}

function contextStart(body: Buffer, from: number): number {
  let at = from
  for (let line = 0; line < CONTEXT && at > 0; line += 1) at = lineStart(body, at - 1)
  return at
}

function contextEnd(body: Buffer, from: number): number {
  let at = from
  for (let line = 0; line < CONTEXT && at < body.length; line += 1) at = lineEnd(body, at)
  return at
}

function linesBetween(body: Buffer, start: number, end: number): number {
  let lines = 0
  for (let at = start; at < end && lines <= CONTEXT * 2; lines += 1) at = lineEnd(body, at)
  return lines
}

function atLineStart(body: Buffer, offset: number): boolean {
  return offset === 0 || body[offset - 1] === 10
}

function lineStart(body: Buffer, offset: number): number {
  return offset <= 0 ? 0 : body.lastIndexOf(10, offset - 1) + 1
}

/** Offset behind the line end of the line that holds `offset`. */
function lineEnd(body: Buffer, offset: number): number {
  const at = body.indexOf(10, offset)
  return at === -1 ? body.length : at + 1
}
