/**
 * Facts for a search text that was not found (F-42): which line of the file is nearest, and how many lines of the text stand there.
 * Shown to the caller only; nothing is ever replaced on the strength of it.
 */
import type { FactValue } from '../definition/errors.ts'
import type { SearchedBody } from './searched-body.ts'

/** Files with more lines than this are not looked through. */
const SEARCHED_LINES = 20_000
const SHOWN_CHARACTERS = 200

export function nearestLine(searched: SearchedBody, old: string): { [fact: string]: FactValue } {
  const starts = searched.starts()
  const wanted = old.split('\n').map((line) => line.trim())
  const of = wanted.filter((line) => line !== '').length
  if (starts.length === 0 || starts.length > SEARCHED_LINES || of === 0) return {}
  const lines = starts.map((start, index) => searched.body.toString('utf8', start, starts[index + 1] ?? searched.body.length).trimEnd())
  const best = bestAlignment(lines, wanted) ?? likestLine(lines, wanted)
  if (best === undefined) return {}
  return { nearest: { line: best.line + 1, text: (lines[best.line] ?? '').slice(0, SHOWN_CHARACTERS), matched: best.matched, of } }
}

/** Where most lines of the text stand in the same order, blanks at both ends aside. */
function bestAlignment(lines: readonly string[], wanted: readonly string[]): { line: number; matched: number } | undefined {
  const places = new Map<string, number[]>()
  for (const [offset, text] of wanted.entries()) if (text !== '') places.set(text, [...(places.get(text) ?? []), offset])
  const votes = new Map<number, number>()
  for (const [index, line] of lines.entries()) {
    for (const offset of (places.get(line.trim()) ?? []).slice(0, 50)) votes.set(index - offset, (votes.get(index - offset) ?? 0) + 1)
  }
  let best: { first: number; matched: number } | undefined
  for (const [first, matched] of votes) if (best === undefined || matched > best.matched) best = { first, matched }
  return best === undefined ? undefined : { line: Math.min(Math.max(best.first, 0), lines.length - 1), matched: best.matched }
}

/** No line stands there whole: the one that shares most of its start and end with the first line of the text. */
function likestLine(lines: readonly string[], wanted: readonly string[]): { line: number; matched: number } | undefined {
  const target = wanted.find((line) => line !== '') ?? ''
  let best: { line: number; shared: number } | undefined
  for (const [index, line] of lines.entries()) {
    const shared = sharedEnds(line.trim(), target)
    if (shared > (best?.shared ?? 0)) best = { line: index, shared }
  }
  return best === undefined ? undefined : { line: best.line, matched: 0 }
}

function sharedEnds(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a[start] === b[start]) start += 1
  let end = 0
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  return start + end
}
