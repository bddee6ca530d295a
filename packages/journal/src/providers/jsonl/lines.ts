/**
 * Lines of a file in pieces of bounded size, each with its place. A last line without its end is told as such.
 */
import type { FileHandle } from 'node:fs/promises'

export interface Line {
  readonly text: string
  readonly offset: number
  /** Bytes, the line end included. */
  readonly bytes: number
  /** False: the file ends before the line does. */
  readonly complete: boolean
}

const PIECE = 64 * 1024
const NEWLINE = 0x0a

/** Lines from `start` up to `end` (default: the end of the file as it is met). */
export async function* linesOf(file: FileHandle, start: number = 0, end: number = Number.POSITIVE_INFINITY): AsyncGenerator<Line> {
  const piece = Buffer.allocUnsafe(PIECE)
  let rest: Buffer[] = []
  let restBytes = 0
  let offset = start
  let position = start
  while (position < end) {
    const { bytesRead } = await file.read(piece, 0, Math.min(PIECE, end - position), position)
    if (bytesRead === 0) break
    position += bytesRead
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at >= 0 && at < bytesRead; at = piece.indexOf(NEWLINE, from)) {
      const text = Buffer.concat([...rest, piece.subarray(from, at)]).toString('utf8')
      const bytes = restBytes + at - from + 1
      yield { text, offset, bytes, complete: true }
      offset += bytes
      rest = []
      restBytes = 0
      from = at + 1
    }
    if (from < bytesRead) {
      rest.push(Buffer.from(piece.subarray(from, bytesRead)))
      restBytes += bytesRead - from
    }
  }
  if (restBytes > 0) yield { text: Buffer.concat(rest).toString('utf8'), offset, bytes: restBytes, complete: false }
}
