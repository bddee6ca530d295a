/**
 * Glob patterns with the meaning ignore files give them (a pattern without `/` matches at any depth, `*` and `?` match dots but no `/`),
 * compiled once to a regular expression that both engines use, and to lines for the generated ignore file (F-52).
 */
import { FsError } from '../definition/errors.ts'
import { classEnd } from './braces.ts'

/** One element of a path pattern. */
type Token = { kind: 'text'; text: string } | { kind: 'star' } | { kind: 'any' } | { kind: 'class'; source: string; raw: string }

export type Segment = { kind: 'globstar' } | { kind: 'name'; tokens: Token[] }

export interface PathPattern {
  segments: Segment[]
  /** Matches from the start of the searched directory only. */
  anchored: boolean
}

/** @throws FsError FS_INVALID_PATTERN */
export function parsePattern(pattern: string): PathPattern {
  let body = pattern
  while (body.startsWith('./')) body = body.slice(2)
  if (body === '' || body === '.') throw new FsError('FS_INVALID_PATTERN', { pattern, reason: 'the pattern is empty' })
  if (body.endsWith('/') && !body.endsWith('\\/')) body += '**'
  const anchored = body.includes('/')
  if (body.startsWith('/')) body = body.slice(1)
  const segments = splitSegments(body).map((segment): Segment => (segment === '**' ? { kind: 'globstar' } : parseSegment(segment, pattern)))
  return { segments: segments.filter((segment, at) => !(segment.kind === 'globstar' && segments[at + 1]?.kind === 'globstar')), anchored }
}

/** Matches whole paths relative to the searched directory. `below`: also everything under a matched directory. */
export function patternRegExp({ segments, anchored }: PathPattern, options: { below?: boolean } = {}): RegExp {
  let source = anchored || segments[0]?.kind === 'globstar' ? '' : '(?:[^]*/)?'
  segments.forEach((segment, at) => {
    const last = at === segments.length - 1
    if (segment.kind === 'globstar') source += last ? '[^]+' : '(?:[^/]+/)*'
    else source += segment.tokens.map(tokenSource).join('') + (last ? '' : '/')
  })
  return new RegExp(`^${source}${options.below === true ? '(?:/[^]*)?' : ''}$`, 'u')
}

/**
 * Lines that take the pattern out of a `*` rule, directories on the way included. Never narrower than `patternRegExp`: classes become `?`,
 * because the engine reads some of them differently.
 */
export function unignoreLines({ segments, anchored }: PathPattern): string[] {
  const texts = segments.map((segment) => (segment.kind === 'globstar' ? '**' : segment.tokens.map(tokenIgnoreText).join('')))
  const fixed = anchored ? segments.findIndex((segment) => !isLiteral(segment)) : 0
  const onTheWay = fixed === -1 ? segments.length - 1 : Math.min(fixed, segments.length - 1)
  const lines = texts.slice(0, onTheWay).map((_, at) => `!/${texts.slice(0, at + 1).join('/')}/`)
  if (onTheWay === 0) lines.push('!*/')
  else if (onTheWay < segments.length - 1) lines.push(`!/${texts.slice(0, onTheWay).join('/')}/**/`)
  return [...lines, `!${anchored ? '/' : ''}${texts.join('/')}`]
}

/** The name a segment stands for, when it has no wildcard. */
export function literalName(segment: Segment): string | undefined {
  return isLiteral(segment) && segment.kind === 'name'
    ? segment.tokens.map((token) => (token.kind === 'text' ? token.text : '')).join('')
    : undefined
}

/** The name a segment would have if its brackets were part of it; undefined when it has other wildcards or no brackets. */
export function bracketName(segment: Segment): string | undefined {
  if (segment.kind !== 'name' || !segment.tokens.some((token) => token.kind === 'class')) return undefined
  const parts = segment.tokens.map((token) => (token.kind === 'text' ? token.text : token.kind === 'class' ? token.raw : undefined))
  return parts.includes(undefined) ? undefined : parts.join('')
}

/** The same segment with its brackets taken as text. */
export function bracketsAsText(segment: Segment): Segment {
  if (segment.kind !== 'name') return segment
  return { kind: 'name', tokens: segment.tokens.map((token) => (token.kind === 'class' ? { kind: 'text', text: token.raw } : token)) }
}

export function hasBrackets(segment: Segment): boolean {
  return segment.kind === 'name' && segment.tokens.some((token) => token.kind === 'class')
}

function isLiteral(segment: Segment): boolean {
  return segment.kind === 'name' && segment.tokens.every((token) => token.kind === 'text')
}

function splitSegments(body: string): string[] {
  const segments: string[] = []
  let start = 0
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === '\\' && body[at + 1] !== '/') at += 1
    else if (body[at] === '[') at = classEnd(body, at) ?? at
    else if (body[at] === '/') {
      segments.push(body.slice(start, at))
      start = at + 1
    }
  }
  return [...segments, body.slice(start)].filter((segment) => segment !== '' && segment !== '.')
}

function parseSegment(segment: string, pattern: string): Segment {
  const tokens: Token[] = []
  const text = (add: string): void => {
    const last = tokens.at(-1)
    if (last?.kind === 'text') last.text += add
    else tokens.push({ kind: 'text', text: add })
  }
  for (let at = 0; at < segment.length; at += 1) {
    const char = segment.charAt(at)
    const end = char === '[' ? classEnd(segment, at) : undefined
    if (char === '\\' && at + 1 < segment.length) text(segment.charAt((at += 1)))
    else if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' })
    } else if (char === '?') tokens.push({ kind: 'any' })
    else if (end !== undefined) {
      const raw = segment.slice(at, end + 1)
      tokens.push({ kind: 'class', source: classSource(raw, pattern), raw })
      at = end
    } else text(char)
  }
  return { kind: 'name', tokens }
}

function tokenSource(token: Token): string {
  if (token.kind === 'star') return '[^/]*'
  if (token.kind === 'any') return '[^/]'
  return token.kind === 'class' ? token.source : escapeRegExp(token.text)
}

function tokenIgnoreText(token: Token): string {
  if (token.kind === 'star') return '*'
  return token.kind === 'text' ? token.text.replaceAll(/[\\*?[\]{}!# \t]/g, String.raw`\$&`) : '?'
}

export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

const NAMED_CLASSES: Record<string, string> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: String.raw` \t`,
  cntrl: String.raw`\x00-\x1f\x7f`,
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: String.raw`!-\/:-@\[-\`{-~`,
  space: String.raw`\s`,
  upper: 'A-Z',
  word: 'A-Za-z0-9_',
  xdigit: '0-9A-Fa-f',
}

function classSource(raw: string, pattern: string): string {
  const negated = raw[1] === '!' || raw[1] === '^'
  let members = ''
  let at = negated ? 2 : 1
  const end = raw.length - 1
  for (; at < end; at += 1) {
    const named = raw.startsWith('[:', at) ? /^\[:(\w+):\]/.exec(raw.slice(at)) : null
    if (named !== null) {
      members += NAMED_CLASSES[named[1] ?? ''] ?? ''
      at += named[0].length - 1
    } else if (raw[at] === '-' && members !== '' && at < end - 1) members += '-'
    else {
      if (raw[at] === '\\' && at + 1 < end) at += 1
      members += (raw[at] ?? '').replace(/[\\\]^[-]/, String.raw`\$&`)
    }
  }
  const source = `(?!/)[${negated ? '^' : ''}${members}]`
  try {
    RegExp(source, 'u')
    return source
  } catch {
    throw new FsError('FS_INVALID_PATTERN', { pattern, reason: `the class ${raw} is not valid` })
  }
}
