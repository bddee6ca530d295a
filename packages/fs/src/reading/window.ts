/**
 * A window of lines on a file of any size (F-50). Bytes are scanned in pieces; only the shown part of a line is ever kept, so that
 * neither a giant file nor a giant line becomes one big string.
 */
import { FsError } from '../definition/errors.ts'
import type { LineEnds, ReadWindow } from '../definition/file-system.ts'

/** Files up to this size are scanned to their end, so that all lines are counted. */
export const COUNTED_BYTES: number = 8 * 1024 * 1024
const PIECE = 256 * 1024
const BACKWARD_BYTES = 8 * 1024 * 1024
const LF = 10
const CR = 13

export interface ByteSource {
  /** Bytes of the body, BOM excluded. */
  readonly size: number
  /** Fewer bytes only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>
}

export interface WindowLimits {
  offset: number
  limit: number
  tail: number | undefined
  maxBytes: number
  maxLineBytes: number
}

export interface LinesWindow {
  text: string
  startLine: number
  endLine: number
  totalLines: number | null
  truncated: boolean
  cutLines: number[]
  eol: LineEnds
  noFinalEol: boolean
  /** What was gone through for the shown lines, `[start, end)`. */
  seen: readonly [number, number]
}

export function resolveWindow(window: ReadWindow): WindowLimits {
  return {
    offset: window.offset ?? 1,
    limit: window.limit ?? 2000,
    tail: window.tail,
    maxBytes: window.maxBytes ?? 50 * 1024,
    maxLineBytes: window.maxLineBytes ?? 2000,
  }
}

/** @throws FsError FS_RANGE with the line count when `offset` is past the end */
export async function readWindow(source: ByteSource, limits: WindowLimits, path: string): Promise<LinesWindow> {
  if (limits.tail !== undefined) return readTail(source, limits, limits.tail)
  const scan = await scanLines(source, { from: 0, firstLine: 1, limits, countAll: source.size <= COUNTED_BYTES })
  if (limits.offset > 1 && scan.totalLines !== null && limits.offset > scan.totalLines) {
    throw new FsError('FS_RANGE', { path, offset: limits.offset, lines: scan.totalLines })
  }
  return scan
}

/** The last lines: found backwards, then read forwards from there. */
async function readTail(source: ByteSource, limits: WindowLimits, tail: number): Promise<LinesWindow> {
  const counted = source.size <= COUNTED_BYTES
  const { start, lines } = await tailStart(source, limits, tail)
  const before = counted ? await countLines(source, start) : 0
  const firstLine = counted ? before + 1 : -lines
  const scan = await scanLines(source, { from: start, firstLine, limits: { ...limits, offset: firstLine, limit: tail }, countAll: true })
  return { ...scan, totalLines: counted ? scan.totalLines : null }
}

interface ScanOrder {
  from: number
  firstLine: number
  limits: WindowLimits
  countAll: boolean
}

async function scanLines(source: ByteSource, { from, firstLine, limits, countAll }: ScanOrder): Promise<LinesWindow> {
  const shown: string[] = []
  const cutLines: number[] = []
  let head: Uint8Array[] = []
  let headBytes = 0
  let lineBytes = 0
  let lineNumber = firstLine
  let shownBytes = 0
  let seenStart = from
  let seenEnd = from
  let closed = false
  let lf = 0
  let crlf = 0
  let lastByte = -1
  let at = from
  let ended = at >= source.size

  /** A line is complete (its end included in `endOffset`): show it if it is in the window and fits. */
  const finishLine = (endOffset: number, hasCr: boolean): void => {
    if (!closed && lineNumber >= limits.offset) {
      const content = lineBytes - (hasCr ? 1 : 0)
      const kept = cutAtCharacter(Buffer.concat(head), Math.min(content, limits.maxLineBytes), content)
      const full = shown.length >= limits.limit || (shown.length > 0 && shownBytes + kept.length + 1 > limits.maxBytes)
      if (full) closed = true
      else {
        if (shown.length === 0) seenStart = lineNumber === firstLine ? from : endOffset - lineBytes - 1
        shown.push(kept.toString('utf8'))
        shownBytes += kept.length + 1
        if (content > limits.maxLineBytes) cutLines.push(lineNumber)
        seenEnd = endOffset
      }
    }
    lineNumber += 1
    head = []
    headBytes = 0
    lineBytes = 0
  }

  while (!ended) {
    const piece = await source.read(at, PIECE)
    if (piece.length === 0) break
    let start = 0
    while (start < piece.length) {
      const found = piece.indexOf(LF, start)
      const end = found === -1 ? piece.length : found
      if (!closed && lineNumber >= limits.offset && headBytes <= limits.maxLineBytes) {
        const part = piece.slice(start, Math.min(end, start + limits.maxLineBytes + 4 - headBytes))
        head.push(part)
        headBytes += part.length
      }
      lineBytes += end - start
      if (found === -1) {
        lastByte = piece[piece.length - 1] ?? -1
        break
      }
      const previous = end > 0 ? piece[end - 1] : lastByte
      const hasCr = previous === CR && lineBytes > 0
      if (hasCr) crlf += 1
      else lf += 1
      finishLine(at + end + 1, hasCr)
      lastByte = LF
      start = end + 1
    }
    at += piece.length
    ended = at >= source.size
    if (closed && !countAll) break
    if (!closed && !countAll && shown.length >= limits.limit) break
  }
  const noFinalEol = ended && lineBytes > 0
  if (noFinalEol) finishLine(at, false)
  const totalLines = ended ? lineNumber - 1 : null
  const endLine = shown.length === 0 ? Math.max(limits.offset, 1) - 1 : Math.max(limits.offset, firstLine) + shown.length - 1
  return {
    text: shown.join('\n'),
    startLine: Math.max(limits.offset, firstLine),
    endLine,
    totalLines,
    truncated: totalLines === null || endLine < totalLines,
    cutLines,
    eol: crlf > 0 ? (lf > 0 ? 'mixed' : 'crlf') : lf > 0 ? 'lf' : 'none',
    noFinalEol,
    seen: [seenStart, seenEnd],
  }
}

/** Cut so that no character is split; `content` is the full length of the line. */
function cutAtCharacter(head: Buffer, most: number, content: number): Buffer {
  let end = Math.min(most, head.length)
  if (end < content) while (end > 0 && ((head[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return head.subarray(0, end)
}

/** Where the last `tail` lines start, as far as the shown bytes allow. */
async function tailStart(source: ByteSource, limits: WindowLimits, tail: number): Promise<{ start: number; lines: number }> {
  let lineEnd = source.size
  let at = source.size
  let start = source.size
  let lines = 0
  let shownBytes = 0
  const take = (lineStart: number): boolean => {
    if (lineStart === source.size) return true
    const cost = Math.min(lineEnd - lineStart, limits.maxLineBytes) + 1
    if (lines >= tail || (lines > 0 && shownBytes + cost > limits.maxBytes)) return false
    lines += 1
    shownBytes += cost
    start = lineStart
    lineEnd = lineStart
    return true
  }
  while (at > 0) {
    const length = Math.min(PIECE, at)
    const piece = await source.read(at - length, length)
    for (let found = piece.lastIndexOf(LF); found !== -1; found = found === 0 ? -1 : piece.lastIndexOf(LF, found - 1)) {
      if (!take(at - length + found + 1)) return { start, lines }
    }
    at -= length
    // A line longer than this is shown from the middle: its start is too far away to look for.
    if (lineEnd - at > BACKWARD_BYTES && lines === 0) return { start: at, lines: 1 }
    if (lineEnd - at > BACKWARD_BYTES) return { start, lines }
  }
  take(0)
  return { start, lines }
}

async function countLines(source: ByteSource, end: number): Promise<number> {
  let lines = 0
  for (let at = 0; at < end;) {
    const piece = await source.read(at, Math.min(PIECE, end - at))
    if (piece.length === 0) break
    for (let found = piece.indexOf(LF); found !== -1; found = piece.indexOf(LF, found + 1)) lines += 1
    at += piece.length
  }
  return lines
}
