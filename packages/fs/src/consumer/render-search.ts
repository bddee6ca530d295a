/**
 * What a model sees of a search (F-55, F-71): `path:line:column: text`, context lines with dashes instead of colons, then facts: how much
 * was found, and what was not searched.
 */
import type { ContentBlock } from '@toolseam/core-tools'
import type { GrepHit } from '../definition/search.ts'
import { countText, factLines, shownName, textBlock, visible } from './render-text.ts'
import type { GlobInput, GlobValue, GrepInput, GrepValue, Skipped } from './search-values.ts'

/** Rendered hits and paths end here; the value holds all up to the limit. */
const MOST_BYTES = 32 * 1024
const MOST_NAMES = 10

export function renderGlob(value: GlobValue, input: GlobInput): ContentBlock[] {
  const lines = value.paths.map(shownName)
  const shown = withinBudget(lines)
  const order = input.order === 'path' ? 'by path' : 'newest first'
  const facts = [
    value.total === 0 ? 'no files' : globCount(value, { shown: shown.length, order }),
    ...timeFact(value),
    ...skippedFacts(value.skipped, { files: true }),
  ]
  return textBlock([...shown, ...factLines([...facts, ...value.notes])].join('\n'))
}

function globCount({ total }: GlobValue, { shown, order }: { shown: number; order: string }): string {
  const files = countText(total, 'file')
  return shown < total ? `${shown} of ${files} shown, ${order}` : `${files}, ${order}`
}

export function renderGrep(value: GrepValue, input: GrepInput): ContentBlock[] {
  const { mode = 'lines' } = input
  const { lines, hits } = mode === 'lines' ? hitLines(value.hits, contextOf(input)) : fileLines(value.hits, mode)
  const facts = [grepCount(value, { mode, hits }), ...timeFact(value), ...skippedFacts(value.skipped, { files: false })]
  return textBlock([...lines, ...factLines([...facts, ...value.warnings.map(visible)])].join('\n'))
}

export function searchTitle(verb: 'Find' | 'Search', { pattern, path }: { pattern: string; path?: string }): string {
  const shown = visible(pattern).replaceAll('\n', String.raw`\n`)
  const what = verb === 'Find' ? `Find ${shown}` : `Search for ${shown}`
  return path === undefined || path === '.' ? what : `${what} in ${shownName(path)}`
}

function contextOf({ before = 0, after = 0 }: GrepInput): boolean {
  return before > 0 || after > 0
}

function grepCount({ hits: found, total, files, truncated, timedOut }: GrepValue, { mode, hits }: { mode: string; hits: number }): string {
  if (total === 0) return 'no hits'
  const inFiles = `in ${countText(files, 'file')}`
  const all = mode === 'files' ? countText(files, 'file') : `${countText(total, 'hit')} ${inFiles}`
  const stopped = truncated && timedOut !== true ? '; stopped at the limit, there are more' : ''
  return hits < found.length ? `${hits} of ${all} shown${stopped}` : `${all}${stopped}`
}

function timeFact({ timedOut }: { timedOut?: boolean }): string[] {
  return timedOut === true ? ['stopped when the time was up: the result is partial'] : []
}

/** F-55: what was not searched, also when nothing was found. */
function skippedFacts({ ignored, binary, unreadable }: Skipped, { files }: { files: boolean }): string[] {
  const kinds = [
    ...(ignored ? ['ignored files'] : []),
    ...(files || binary === 0 ? [] : [binary === null ? 'binary files' : countText(binary, 'binary file')]),
  ]
  const more = unreadable.length > MOST_NAMES ? `, and ${unreadable.length - MOST_NAMES} more` : ''
  return [
    ...(kinds.length === 0 ? [] : [`not searched: ${kinds.join(', ')}`]),
    ...(unreadable.length === 0 ? [] : [`could not be read: ${unreadable.slice(0, MOST_NAMES).map(shownName).join(', ')}${more}`]),
  ]
}

function fileLines(found: readonly GrepHit[], mode: string): { lines: string[]; hits: number } {
  const lines = withinBudget(found.map(({ path, count }) => (mode === 'count' ? `${shownName(path)}: ${count ?? 0}` : shownName(path))))
  return { lines, hits: lines.length }
}

/** Hits of one file stand together; where context meets, each line is shown once. */
function hitLines(found: readonly GrepHit[], context: boolean): { lines: string[]; hits: number } {
  const lines: string[] = []
  let bytes = 0
  let hits = 0
  let last: { path: string; line: number } | undefined
  for (const [at, hit] of found.entries()) {
    const next = found[at + 1]
    const until = next?.path === hit.path ? next.line : Number.POSITIVE_INFINITY
    const own = linesOf(hit, { from: last?.path === hit.path ? last.line : 0, until })
    const gap = context && last !== undefined && (last.path !== hit.path || own.first > last.line + 1) ? ['--'] : []
    const size = [...gap, ...own.lines].reduce((sum, line) => sum + byteLength(line) + 1, 0)
    if (bytes + size > MOST_BYTES) break
    lines.push(...gap, ...own.lines)
    bytes += size
    hits += 1
    last = { path: hit.path, line: own.last }
  }
  return { lines, hits }
}

/** A hit with its context between what is shown already and the next hit. */
function linesOf(hit: GrepHit, { from, until }: { from: number; until: number }): { lines: string[]; first: number; last: number } {
  const { path, line, before = [], after = [] } = hit
  const name = shownName(path)
  const contextLine = (text: string, number: number): string => `${name}-${number}- ${visible(text)}`
  const above = before.map((text, at) => ({ text, number: line - before.length + at })).filter(({ number }) => number > from)
  const below = after.map((text, at) => ({ text, number: line + 1 + at })).filter(({ number }) => number < until)
  return {
    lines: [
      ...above.map(({ text, number }) => contextLine(text, number)),
      `${name}:${line}:${hit.column}: ${shownText(hit)}`,
      ...below.map(({ text, number }) => contextLine(text, number)),
    ],
    first: above[0]?.number ?? line,
    last: line + below.length,
  }
}

function shownText({ text, cut }: GrepHit): string {
  const left = cut === 'left' || cut === 'both' ? '\u2026' : ''
  const right = cut === 'right' || cut === 'both' ? '\u2026' : ''
  return `${left}${visible(text)}${right}`
}

function withinBudget(lines: readonly string[]): string[] {
  let bytes = 0
  const end = lines.findIndex((line) => (bytes += byteLength(line) + 1) > MOST_BYTES)
  return end === -1 ? [...lines] : lines.slice(0, end)
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
