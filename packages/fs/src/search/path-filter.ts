/**
 * Which paths a list of glob patterns lets through: at least one of the plain ones, none of those that begin with `!`.
 */
import { expandBraces } from './braces.ts'
import { bracketsAsText, hasBrackets, parsePattern, patternRegExp, unignoreLines, type PathPattern } from './glob-pattern.ts'

export interface PathFilter {
  /** Path relative to the searched directory. */
  accepts(path: string): boolean
  /** Rules that keep an engine from looking at most of the rest; empty when everything is let through. */
  readonly lines: readonly string[]
}

/** @throws FsError FS_INVALID_PATTERN */
export function pathFilter(patterns: readonly string[]): PathFilter {
  const plain = patterns.filter((pattern) => !pattern.startsWith('!')).flatMap(parseAll)
  const excluded = patterns.filter((pattern) => pattern.startsWith('!')).flatMap((pattern) => parseAll(pattern.slice(1)))
  return filterOf(plain.flatMap(bothReadings), excluded)
}

export function filterOf(plain: readonly PathPattern[], excluded: readonly PathPattern[] = []): PathFilter {
  const wanted = plain.map((pattern) => patternRegExp(pattern))
  const unwanted = excluded.map((pattern) => patternRegExp(pattern, { below: true }))
  return {
    accepts: (path) => (wanted.length === 0 || wanted.some((one) => one.test(path))) && !unwanted.some((one) => one.test(path)),
    lines: plain.length === 0 ? [] : ['*', ...new Set(plain.flatMap(unignoreLines))],
  }
}

/** Every alternative of a pattern, parsed. */
export function parseAll(pattern: string): PathPattern[] {
  return expandBraces(pattern).map(parsePattern)
}

function bothReadings(pattern: PathPattern): PathPattern[] {
  if (!pattern.segments.some(hasBrackets)) return [pattern]
  return [pattern, { ...pattern, segments: pattern.segments.map(bracketsAsText) }]
}
