/**
 * Path SPEC of A-35 as absolute patterns, and the lexical part of A-42. `*` within a segment, `**` across. `x/**` is `x` and all below it.
 */
import { isAnything, isLiteral, matchWildcard, parseWildcard, type Wildcard, WILDCARD_MARK } from './wildcard.ts'

const DEEP = '**'

/** Stands for `**` in the text of a pattern that is being covered. */
const DEEP_MARK = '\uE001'

export interface PathPattern {
  segments: readonly (Wildcard | typeof DEEP)[]
  /** All literal characters before the first wildcard: a cheap first look. */
  prefix: string
  /** The folder that all matches are in or are: the literal segments before the first wildcard. */
  folder: string
}

export interface PathBase {
  /** Absolute: what `./x` and bare names are below. */
  base: string
  /** Absolute: what `~/x` is below. */
  home?: string
}

export type ParsedPath = { ok: true; pattern: PathPattern } | { ok: false; problem: string }

/** `fold` brings the text into the form that names are compared in (A-42). */
export function parsePathPattern(text: string, options: PathBase & { fold(path: string): string }): ParsedPath {
  if (text === '') return { ok: false, problem: 'the path is empty' }
  if (text.startsWith('//')) return { ok: false, problem: 'an absolute path starts with one slash' }
  const absolute = absolutePattern(text, options)
  if (absolute === undefined) return { ok: false, problem: 'there is no home folder that ~ could stand for' }
  const parts: string[] = []
  for (const part of absolute.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (parts[parts.length - 1]?.includes('*')) return { ok: false, problem: '".." cannot follow a wildcard' }
      parts.pop()
    } else parts.push(part)
  }
  const folded = options.fold(`/${parts.join('/')}`)
  const segments = (folded === '/' ? [] : folded.slice(1).split('/')).map((part) => (part === DEEP ? DEEP : parseWildcard(part)))
  const compact = segments.filter((segment, index) => !(segment === DEEP && segments[index - 1] === DEEP))
  return { ok: true, pattern: { segments: compact, prefix: literalPrefix(compact), folder: literalFolder(compact) } }
}

function absolutePattern(text: string, options: PathBase): string | undefined {
  if (text.startsWith('/')) return text
  if (text === '~' || text.startsWith('~/')) return options.home === undefined ? undefined : options.home + text.slice(1)
  return `${options.base}/${text}`
}

function literalFolder(segments: readonly (Wildcard | typeof DEEP)[]): string {
  let folder = ''
  for (const segment of segments) {
    if (segment === DEEP || !isLiteral(segment)) break
    folder += `/${segment[0] ?? ''}`
  }
  return folder
}

function literalPrefix(segments: readonly (Wildcard | typeof DEEP)[]): string {
  let prefix = ''
  for (const segment of segments) {
    if (segment === DEEP) return prefix
    prefix += `/${segment[0] ?? ''}`
    if (!isLiteral(segment)) return prefix
  }
  return prefix
}

/** `path` is absolute, without `.` and `..`, folded. */
export function matchPath(pattern: PathPattern, path: string): boolean {
  if (!path.startsWith(pattern.prefix)) return false
  const parts = path === '/' ? [] : path.slice(1).split('/')
  return matchSegments(pattern.segments, parts, segmentMatches)
}

/** Whether the pattern could match something at or below `path`. */
export function reachesBelow(pattern: PathPattern, path: string): boolean {
  const parts = path === '/' ? [] : path.slice(1).split('/')
  for (let index = 0; index < parts.length; index++) {
    const segment = pattern.segments[index]
    if (segment === undefined) return false
    if (segment === DEEP) return true
    if (!matchWildcard(segment, parts[index] ?? '')) return false
  }
  return true
}

export function coversPath(wide: PathPattern, narrow: PathPattern): boolean {
  const text = narrow.segments.map((segment) => (segment === DEEP ? DEEP_MARK : segment.join(WILDCARD_MARK)))
  return matchSegments(wide.segments, text, (segment, part) => part !== DEEP_MARK && segmentMatches(segment, part))
}

function segmentMatches(segment: Wildcard, part: string): boolean {
  return isAnything(segment) || matchWildcard(segment, part)
}

type SegmentTest = (segment: Wildcard, part: string) => boolean

/** Glob matching with one point of return: the last `**` takes one more segment where the rest does not fit. */
function matchSegments(segments: PathPattern['segments'], parts: readonly string[], test: SegmentTest): boolean {
  let at = 0
  let part = 0
  let deepAt = -1
  let deepPart = 0
  while (part < parts.length) {
    const segment = segments[at]
    if (segment === DEEP) {
      deepAt = at++
      deepPart = part
    } else if (segment !== undefined && test(segment, parts[part] ?? '')) {
      at++
      part++
    } else if (deepAt >= 0) {
      at = deepAt + 1
      part = ++deepPart
    } else return false
  }
  while (segments[at] === DEEP) at++
  return at === segments.length
}

/** An absolute path without `.` and `..`; undefined for what is no path (empty, NUL). Links are not looked at. */
export function absolutePath(path: string, base: string): string | undefined {
  if (path === '' || path.includes('\0')) return undefined
  if (path.startsWith('/') && path.length > 1 && !/\/(?:\/|\.\.?(?:\/|$)|$)/.test(path)) return path
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** Both absolute and folded. A sibling that has the folder's name as a prefix is outside. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}
