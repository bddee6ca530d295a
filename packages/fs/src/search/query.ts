/**
 * What a search is really asked: every default decided once, every limit applied, so that nothing is optional further down.
 */
import { FsError } from '../definition/errors.ts'
import type { GlobQuery, GrepQuery } from '../definition/search.ts'

/** A search that is not over by then gives what it has (F-55). */
export const SEARCH_DEADLINE_MS = 30_000

const MOST_RESULTS = 1_000
const MOST_CONTEXT = 50

export interface GlobSpec {
  path: string
  /** Relative to `path`. */
  pattern: string
  limit: number
  order: 'modified' | 'path'
  includeIgnored: boolean
}

export interface GrepSpec {
  path: string
  pattern: string
  include: readonly string[]
  fixed: boolean
  ignoreCase: boolean
  multiline: boolean
  before: number
  after: number
  mode: 'lines' | 'files' | 'count'
  limit: number
  includeIgnored: boolean
}

/** @throws FsError FS_INVALID_PATTERN */
export function resolveGlob(query: GlobQuery): GlobSpec {
  if (query.pattern === '' || query.pattern.includes('\0')) {
    throw new FsError('FS_INVALID_PATTERN', {
      pattern: query.pattern,
      reason: query.pattern === '' ? 'the pattern is empty' : 'the pattern holds a NUL',
    })
  }
  return {
    ...placeOfPattern(query.pattern, query.path ?? '.'),
    limit: bounded(query.limit ?? 100, MOST_RESULTS, 1),
    order: query.order ?? 'modified',
    includeIgnored: query.includeIgnored ?? false,
  }
}

/** @throws FsError FS_INVALID_PATTERN */
export function resolveGrep(query: GrepQuery): GrepSpec {
  if (query.pattern === '') throw new FsError('FS_INVALID_PATTERN', { pattern: '', reason: 'the pattern is empty' })
  if (query.pattern.includes('\0')) throw new FsError('FS_INVALID_PATTERN', { pattern: query.pattern, reason: 'the pattern holds a NUL' })
  const mode = query.mode ?? 'lines'
  return {
    path: query.path ?? '.',
    pattern: query.pattern,
    include: typeof query.include === 'string' ? [query.include] : (query.include ?? []),
    fixed: query.fixed ?? false,
    ignoreCase: query.ignoreCase ?? false,
    multiline: query.multiline ?? false,
    before: mode === 'lines' ? bounded(query.before ?? 0, MOST_CONTEXT, 0) : 0,
    after: mode === 'lines' ? bounded(query.after ?? 0, MOST_CONTEXT, 0) : 0,
    mode,
    limit: bounded(query.limit ?? 200, MOST_RESULTS, 1),
    includeIgnored: query.includeIgnored ?? false,
  }
}

function bounded(value: number, most: number, least: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(least, Math.trunc(value))) : most
}

/**
 * A pattern that is absolute, or climbs with `..`, names another place to start from: its literal beginning becomes the path, which then
 * passes the walk like any other.
 */
function placeOfPattern(pattern: string, path: string): { path: string; pattern: string } {
  if (!pattern.startsWith('/') && !/^(?:\.\/)*\.\.(?:\/|$)/.test(pattern)) return { path, pattern }
  const segments = pattern.split('/')
  const magic = segments.findIndex((segment) => /[*?[{\\]/.test(segment))
  const literal = segments.slice(0, magic === -1 ? -1 : magic)
  const rest = segments.slice(literal.length).join('/')
  const place = literal.join('/')
  if (pattern.startsWith('/')) return { path: place === '' ? '/' : place, pattern: `/${rest}` }
  return { path: `${path}/${place}`, pattern: `/${rest}` }
}
