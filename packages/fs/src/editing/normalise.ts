/**
 * A view of a body with CRLF as LF and, on wish, without blanks at line ends, together with the way back to the original offsets.
 * Only the removed runs are kept, so that a large file costs a copy and little more.
 */

const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32

export interface NormalisedText {
  readonly text: Buffer
  /** Original offset of the byte at `at`. */
  originalStart(at: number): number
  /** Original offset just behind the byte before `end`. */
  originalEnd(end: number): number
}

export function normalise(body: Buffer, how: 'eol' | 'trailing-blanks'): NormalisedText {
  const text = Buffer.allocUnsafe(body.length)
  const removedAt: number[] = []
  const removedUpTo: number[] = []
  let length = 0
  let removed = 0
  let copied = 0
  const drop = (start: number, end: number): void => {
    if (start >= end) return
    length += body.copy(text, length, copied, start)
    removed += end - start
    removedAt.push(length)
    removedUpTo.push(removed)
    copied = end
  }
  for (let lineFeed = body.indexOf(LF); lineFeed !== -1; lineFeed = body.indexOf(LF, lineFeed + 1)) {
    drop(tailStart(body, copied, lineFeed, how), lineFeed)
  }
  if (how === 'trailing-blanks') drop(tailStart(body, copied, body.length, how), body.length)
  length += body.copy(text, length, copied, body.length)

  /** Bytes removed before the kept byte at `at`; a run directly before it counts only when `upTo`. */
  const removedBefore = (at: number, upTo: boolean): number => {
    let low = 0
    let high = removedAt.length
    while (low < high) {
      const middle = (low + high) >> 1
      const position = removedAt[middle] ?? 0
      if (position < at || (upTo && position === at)) low = middle + 1
      else high = middle
    }
    return low === 0 ? 0 : (removedUpTo[low - 1] ?? 0)
  }
  return {
    text: text.subarray(0, length),
    originalStart: (at) => at + removedBefore(at, true),
    originalEnd: (end) => end + removedBefore(end, false),
  }
}

/** Where the droppable run before a line end (or the end of the body) starts. */
function tailStart(body: Buffer, from: number, end: number, how: 'eol' | 'trailing-blanks'): number {
  let start = end
  if (start > from && body[start - 1] === CR && end < body.length) start -= 1
  if (how === 'trailing-blanks') while (start > from && (body[start - 1] === SPACE || body[start - 1] === TAB)) start -= 1
  return start
}
