/**
 * Lines of a body in UTF-8: where they start, which line ends they have. A line ends at LF; a CR before it belongs to the line end; a
 * lone CR is a character like another.
 */
import type { LineEnds } from '../definition/file-system.ts'

const LF = 10
const CR = 13

/** Offsets of line starts. A body that ends with LF has no further empty line; an empty body has no line. */
export function lineStarts(body: Buffer): number[] {
  const starts: number[] = []
  for (let at = 0; at < body.length;) {
    starts.push(at)
    const end = body.indexOf(LF, at)
    at = end === -1 ? body.length : end + 1
  }
  return starts
}

/** Number of LFs in `[start, end)`. */
export function countLineFeeds(body: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at += 1) if (body[at] === LF) count += 1
  return count
}

/** 1-based line that holds the byte at `offset`. */
export function lineOf(body: Uint8Array, offset: number): number {
  return countLineFeeds(body, 0, offset) + 1
}

export function detectLineEnds(body: Uint8Array, end: number = body.length): LineEnds {
  let lf = 0
  let crlf = 0
  for (let at = 0; at < end; at += 1) {
    if (body[at] !== LF) continue
    if (at > 0 && body[at - 1] === CR) crlf += 1
    else lf += 1
    if (lf > 0 && crlf > 0) return 'mixed'
  }
  if (crlf > 0) return 'crlf'
  return lf > 0 ? 'lf' : 'none'
}

/** The line end to use for text put at `[start, end)`: that of the region, else of its own line, else of the line before, else LF. */
export function lineEndNear(body: Buffer, start: number, end: number): '\n' | '\r\n' {
  const inside = body.subarray(start, end).indexOf(LF)
  if (inside !== -1) return endAt(body, start + inside)
  const after = body.indexOf(LF, end)
  if (after !== -1) return endAt(body, after)
  const before = start === 0 ? -1 : body.lastIndexOf(LF, start - 1)
  return before === -1 ? '\n' : endAt(body, before)
}

function endAt(body: Buffer, lineFeed: number): '\n' | '\r\n' {
  return lineFeed > 0 && body[lineFeed - 1] === CR ? '\r\n' : '\n'
}

/** `text` with every line end written as `eol`. */
export function withLineEnds(text: string, eol: '\n' | '\r\n'): string {
  return eol === '\n' ? text.replaceAll('\r\n', '\n') : text.replaceAll(/\r?\n/g, () => '\r\n')
}
