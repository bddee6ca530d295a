/**
 * The file of a hit, opened through the walk: every text that is given out is read from here and must be what the engine printed, so that
 * neither a swapped directory nor a changed file can put other bytes into a result. Lines the engine only announced are read as a window.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { characters, windowAround } from '../../search/scan-text.ts'
import { searchedText } from '../../search/searched-text.ts'
import { LONGEST_LINE } from './arguments.ts'
import type { PrintedLine } from './output.ts'

/** Bytes on either side of a hit that its window is made of. */
const REACH = 300
const MOST_DECODED_BYTES = 64 * 1024 * 1024
/** How the engine announces a line that is too long to print. */
const OMITTED = Buffer.from('[Omitted ')
const LF = 10
const CR = 13

export interface ShownHit {
  column: number
  text: string
  cut?: 'left' | 'right' | 'both'
}

export interface HitFile {
  /** Undefined: the file is not what the engine saw. */
  hit(line: PrintedLine): ShownHit | undefined
  /** The same for a line that is shown as context. */
  context(line: PrintedLine): string | undefined
  close(): void
}

/** Undefined: not a regular file any more, or a link. `followed`: the path leads through `/proc` to an open file. */
export function openHitFile(path: string, { followed }: { followed: boolean }): HitFile | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (followed ? 0 : constants.O_NOFOLLOW))
  } catch {
    return undefined
  }
  const source = sourceOf(descriptor)
  if (source === undefined) {
    closeSync(descriptor)
    return undefined
  }
  return {
    hit: (line) => eitherWay(source, line, (way) => shownHit(way, line)),
    context: (line) => eitherWay(source, line, (way) => shownContext(way, line)),
    close: () => closeSync(descriptor),
  }
}

/** True when the first bytes of a file say that it is not text (F-51). */
export function looksBinary(path: string): boolean {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const head = readAt(descriptor, 0, 8192)
    return searchedText(head) === undefined
  } finally {
    closeSync(descriptor)
  }
}

/** Bytes as the engine addresses them: without a byte order mark, UTF-16 as UTF-8. */
interface Source {
  read(offset: number, length: number): Buffer
}

/** The marks at the start are looked at only when the plain bytes are not what the engine printed: few files have one. */
interface MarkedSource extends Source {
  /** The other way to read the file; undefined when there is none. */
  marked(): Source | undefined
}

function sourceOf(descriptor: number): MarkedSource | undefined {
  const stat = fstatSync(descriptor)
  if (!stat.isFile()) return undefined
  let marked: { source: Source | undefined } | undefined
  return {
    read: (offset, length) => readAt(descriptor, offset, length),
    marked: () => (marked ??= { source: markedSource(descriptor, stat.size) }).source,
  }
}

function markedSource(descriptor: number, size: number): Source | undefined {
  const head = readAt(descriptor, 0, 3)
  if (head.equals(Buffer.from([0xef, 0xbb, 0xbf]))) return { read: (offset, length) => readAt(descriptor, offset + 3, length) }
  const wide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (!wide || size > MOST_DECODED_BYTES) return undefined
  const decoded = Buffer.from(searchedText(readAt(descriptor, 0, size)) ?? '', 'utf8')
  return { read: (offset, length) => decoded.subarray(offset, offset + length) }
}

function readAt(descriptor: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const read = readSync(descriptor, buffer, filled, length - filled, offset + filled)
    if (read === 0) break
    filled += read
  }
  return buffer.subarray(0, filled)
}

/** Nothing printed tells whether an announced line was read the right way: there the marks decide. */
function eitherWay<T>(source: MarkedSource, line: PrintedLine, show: (way: Source) => T | undefined): T | undefined {
  if (isAnnounced(line)) return show(source.marked() ?? source)
  const shown = show(source)
  if (shown !== undefined) return shown
  const marked = source.marked()
  return marked === undefined ? undefined : show(marked)
}

function isAnnounced({ text }: Pick<PrintedLine, 'text'>): boolean {
  return text.subarray(0, OMITTED.length).equals(OMITTED)
}

function shownHit(source: Source, line: PrintedLine): ShownHit | undefined {
  const whole = wholeLine(source, line)
  const at = Math.max(0, line.column - 1)
  if (whole === undefined) return undefined
  if (whole !== 'long') return { column: characters(decode(whole.subarray(0, at))) + 1, text: decode(whole) }
  const from = Math.max(0, at - REACH)
  const bytes = source.read(line.offset + from, at - from + REACH)
  const newline = bytes.indexOf(LF, at - from)
  const end = newline === -1 ? bytes.length : withoutReturn(bytes, newline)
  const more = { left: from > 0, right: newline === -1 && bytes.length === at - from + REACH }
  return { column: charactersBefore(source, line.offset, at) + 1, ...windowAround(bytes.subarray(0, end), Math.min(at - from, end), more) }
}

function shownContext(source: Source, line: PrintedLine): string | undefined {
  const whole = wholeLine(source, line)
  if (whole === undefined) return undefined
  if (whole !== 'long') return decode(whole)
  return `${windowAround(source.read(line.offset, REACH), 0, { left: false, right: true }).text}\u2026`
}

/** The line's bytes without its end, when they are what was printed; `long` for a line that was only announced. */
function wholeLine(source: Source, { offset, text }: PrintedLine): Buffer | 'long' | undefined {
  const bytes = source.read(offset, Math.max(text.length, LONGEST_LINE) + 2)
  const newline = bytes.indexOf(LF)
  const line = newline === -1 ? bytes : bytes.subarray(0, newline)
  // The engine ends a last line without an end as it ends lines of its own.
  const ended = newline === -1 && text[text.length - 1] === CR ? text.subarray(0, -1) : text
  if (line.equals(text) || line.equals(ended)) return line.subarray(0, withoutReturn(line, line.length))
  if (!isAnnounced({ text })) return undefined
  return line.length <= LONGEST_LINE ? line.subarray(0, withoutReturn(line, line.length)) : 'long'
}

function withoutReturn(bytes: Buffer, end: number): number {
  return end > 0 && bytes[end - 1] === CR ? end - 1 : end
}

function charactersBefore(source: Source, start: number, length: number): number {
  const piece = 64 * 1024
  let count = 0
  for (let at = 0; at < length; at += piece) {
    for (const byte of source.read(start + at, Math.min(piece, length - at))) if ((byte & 0xc0) !== 0x80) count += 1
  }
  return count
}

function decode(bytes: Buffer): string {
  return bytes.toString('utf8')
}
