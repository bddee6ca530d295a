/**
 * What a write over a file changed: common lines at both ends are set aside, the middle goes to a line diff with a budget of time and
 * lines (F-44). Out of budget there are no hunks, only numbers.
 */
import { diffArrays } from 'diff/lib/diff/array.js'
import type { Hunk } from '../definition/edits.ts'
import { lineStarts } from '../text/lines.ts'
import type { Splice } from './apply.ts'
import { countHunks, hunksOf } from './hunks.ts'

const BUDGET_MS = 200
const BUDGET_LINES = 20_000

export interface TextChange {
  hunks: Hunk[]
  added: number
  removed: number
}

/** Change between two bodies in UTF-8. */
export function changeBetween(before: Buffer, after: Buffer): TextChange {
  const old = lineSlices(before)
  const now = lineSlices(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1
  const oldMiddle = old.slice(head, old.length - tail)
  const newMiddle = now.slice(head, now.length - tail)
  if (oldMiddle.length === 0 && newMiddle.length === 0) return { hunks: [], added: 0, removed: 0 }
  const splices = middleSplices(oldMiddle, newMiddle, lengthOf(old.slice(0, head)))
  if (splices === undefined) return { hunks: [], added: newMiddle.length, removed: oldMiddle.length }
  const hunks = hunksOf(before, after, splices)
  return { hunks, ...countHunks(hunks) }
}

/** Lines as latin-1 strings: one character a byte, so that lengths are offsets and invalid UTF-8 compares exactly. */
function lineSlices(body: Buffer): string[] {
  const starts = lineStarts(body)
  return starts.map((start, index) => body.toString('latin1', start, starts[index + 1] ?? body.length))
}

function middleSplices(old: readonly string[], now: readonly string[], offset: number): Splice[] | undefined {
  if (old.length + now.length > BUDGET_LINES) return undefined
  if (old.length === 0 || now.length === 0)
    return [{ start: offset, end: offset + lengthOf(old), insert: Buffer.from(now.join(''), 'latin1') }]
  const parts = diffArrays([...old], [...now], { timeout: BUDGET_MS })
  if (parts === undefined) return undefined
  const splices: Splice[] = []
  let at = offset
  for (const part of parts) {
    const text = part.value.join('')
    const last = splices.at(-1)
    if (part.added === true) {
      if (last !== undefined && last.end === at) last.insert = Buffer.concat([last.insert, Buffer.from(text, 'latin1')])
      else splices.push({ start: at, end: at, insert: Buffer.from(text, 'latin1') })
    } else if (part.removed === true) {
      if (last !== undefined && last.end === at) last.end = at + text.length
      else splices.push({ start: at, end: at + text.length, insert: Buffer.alloc(0) })
      at += text.length
    } else {
      at += text.length
    }
  }
  return splices
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0)
}
