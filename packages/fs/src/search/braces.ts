/**
 * Alternatives in braces (`*.{ts,tsx}`), written out before any engine sees a pattern: ignore files know no braces, so that both
 * engines would read them differently.
 */
import { FsError } from '../definition/errors.ts'

/** More alternatives than this are refused: three nested lists can stand for millions. */
const MOST_ALTERNATIVES = 256

/** Every alternative, in order. A brace without a comma, or without its partner, is literal. `{1..3}` counts. */
export function expandBraces(pattern: string): string[] {
  const group = firstGroup(pattern, 0)
  if (group === undefined) return [pattern]
  const head = pattern.slice(0, group.start)
  const tails = expandBraces(pattern.slice(group.end + 1))
  const expanded = group.options.flatMap((option) => expandBraces(option).flatMap((middle) => tails.map((tail) => head + middle + tail)))
  if (expanded.length > MOST_ALTERNATIVES) throw new FsError('FS_INVALID_PATTERN', { pattern, reason: 'too many alternatives in braces' })
  return expanded
}

interface Group {
  start: number
  end: number
  options: string[]
}

function firstGroup(pattern: string, from: number): Group | undefined {
  for (let at = from; at < pattern.length; at += 1) {
    const char = pattern[at]
    if (char === '\\') at += 1
    else if (char === '[') at = classEnd(pattern, at) ?? at
    else if (char === '{') {
      const group = groupAt(pattern, at)
      if (group !== undefined) return group
    }
  }
  return undefined
}

function groupAt(pattern: string, start: number): Group | undefined {
  const options: string[] = []
  let depth = 0
  let optionStart = start + 1
  for (let at = start + 1; at < pattern.length; at += 1) {
    const char = pattern[at]
    if (char === '\\') at += 1
    else if (char === '[') at = classEnd(pattern, at) ?? at
    else if (char === '{') depth += 1
    else if (char === '}' && depth > 0) depth -= 1
    else if (char === ',' && depth === 0) {
      options.push(pattern.slice(optionStart, at))
      optionStart = at + 1
    } else if (char === '}') {
      const last = pattern.slice(optionStart, at)
      if (options.length > 0) return { start, end: at, options: [...options, last] }
      const counted = countedRange(last)
      return counted === undefined ? undefined : { start, end: at, options: counted }
    }
  }
  return undefined
}

function countedRange(text: string): string[] | undefined {
  const found = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(text)
  if (found === null) return undefined
  const [from, to] = [Number(found[1]), Number(found[2])]
  const count = Math.abs(to - from) + 1
  if (count > MOST_ALTERNATIVES) throw new FsError('FS_INVALID_PATTERN', { pattern: text, reason: 'too many alternatives in braces' })
  return Array.from({ length: count }, (_, step) => String(from + (to >= from ? step : -step)))
}

/** Index of the `]` that closes the class opened at `start`; undefined when nothing closes it before the next `/`. */
export function classEnd(pattern: string, start: number): number | undefined {
  let at = start + 1
  if (pattern[at] === '!' || pattern[at] === '^') at += 1
  if (pattern[at] === ']') at += 1
  for (; at < pattern.length; at += 1) {
    const char = pattern[at]
    if (char === ']') return at
    if (char === '/') return undefined
    if (char === '\\') at += 1
    else if (char === '[' && pattern[at + 1] === ':') {
      const close = pattern.indexOf(':]', at + 2)
      if (close !== -1) at = close + 1
    }
  }
  return undefined
}
