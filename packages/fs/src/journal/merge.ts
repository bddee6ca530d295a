/**
 * Taking a change back out of a file that was changed again since (F-61): a three-way merge by lines. Both sides are told from what the
 * change left behind; where they touch, nothing is guessed. Lines are compared byte by byte, line ends included.
 */
import { diffArrays } from 'diff/lib/diff/array.js'
import type { ConflictReason } from './describe-conflict.ts'

export interface MergeInput {
  /** What the change left behind. */
  base: Buffer
  /** What was there before it. */
  target: Buffer
  /** What is there now. */
  current: Buffer
}

export type MergeOutcome = { kind: 'merged'; bytes: Buffer } | { kind: 'conflict'; reason: ConflictReason }

/** Time for each of the two diffs. */
const BUDGET_MS = 1_000
const BUDGET_LINES = 200_000

export function mergeBack({ base, target, current }: MergeInput): MergeOutcome {
  if ([base, target, current].some((bytes) => bytes.includes(0))) return conflict('not-text')
  const baseLines = linesOf(base)
  const wanted = changesOf(baseLines, linesOf(target))
  const later = changesOf(baseLines, linesOf(current))
  if (wanted === undefined || later === undefined) return conflict('too-different')
  const merged = combine(wanted, later)
  if (merged === undefined) return conflict('overlap')
  return { kind: 'merged', bytes: Buffer.from(applied(baseLines, merged).join(''), 'latin1') }
}

function conflict(reason: ConflictReason): MergeOutcome {
  return { kind: 'conflict', reason }
}

/** Lines `[start, end)` of the base are replaced. */
interface LineChange {
  start: number
  end: number
  lines: readonly string[]
}

/** Latin-1 keeps one character a byte, so that bytes that are not UTF-8 compare and return exactly. */
function linesOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function changesOf(from: readonly string[], to: readonly string[]): LineChange[] | undefined {
  let head = 0
  while (head < from.length && head < to.length && from[head] === to[head]) head += 1
  let tail = 0
  while (tail < from.length - head && tail < to.length - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail += 1
  const [old, now] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)]
  if (old.length === 0 && now.length === 0) return []
  if (old.length === 0 || now.length === 0) return [{ start: head, end: head + old.length, lines: now }]
  if (old.length + now.length > BUDGET_LINES) return undefined
  const parts = diffArrays(old, now, { timeout: BUDGET_MS })
  if (parts === undefined) return undefined
  const changes: LineChange[] = []
  let at = head
  let open: { start: number; end: number; lines: string[] } | undefined
  for (const part of parts) {
    if (part.added !== true && part.removed !== true) {
      at += part.value.length
      open = undefined
      continue
    }
    if (open === undefined) changes.push((open = { start: at, end: at, lines: [] }))
    if (part.added === true) open.lines.push(...part.value)
    else open.end = at += part.value.length
  }
  return changes
}

/** Both lists in one, in order; undefined where they meet. A change that both sides made counts once. */
function combine(wanted: readonly LineChange[], later: readonly LineChange[]): LineChange[] | undefined {
  const combined: LineChange[] = []
  const rest = [...later]
  for (const change of wanted) {
    while (rest[0] !== undefined && rest[0].end < change.start) combined.push(...rest.splice(0, 1))
    const other = rest[0]
    if (other !== undefined && other.start <= change.end) {
      if (!sameChange(change, other)) return undefined
      rest.shift()
    }
    combined.push(change)
  }
  return [...combined, ...rest]
}

function sameChange(a: LineChange, b: LineChange): boolean {
  return a.start === b.start && a.end === b.end && a.lines.length === b.lines.length && a.lines.every((line, at) => line === b.lines[at])
}

function applied(lines: readonly string[], changes: readonly LineChange[]): string[] {
  const result: string[] = []
  let at = 0
  for (const change of changes) {
    for (; at < change.start; at += 1) result.push(lines[at] ?? '')
    for (const line of change.lines) result.push(line)
    at = change.end
  }
  for (; at < lines.length; at += 1) result.push(lines[at] ?? '')
  return result
}
