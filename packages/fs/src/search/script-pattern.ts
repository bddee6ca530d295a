/**
 * A pattern in the ripgrep engine's syntax, translated for JavaScript's regular expressions (flag `v`), so that both engines find the
 * same lines. What the ripgrep engine refuses (look-around, back-references, an unescaped brace) is refused here too.
 */
import { FsError } from '../definition/errors.ts'
import { escapeRegExp } from './glob-pattern.ts'
import { parseClass } from './script-class.ts'
import { classEscapeAt, WORD, type Translation } from './script-escape.ts'

export interface ScriptPattern {
  source: string
  asciiSource: string
  ignoreCase: boolean
}

export interface PatternOptions {
  fixed: boolean
  ignoreCase: boolean
  multiline: boolean
}

/** @throws FsError FS_INVALID_PATTERN with the reason */
export function scriptPattern(pattern: string, { fixed, ignoreCase, multiline }: PatternOptions): ScriptPattern {
  const refuse = (reason: string): never => {
    throw new FsError('FS_INVALID_PATTERN', { pattern, reason })
  }
  if (!multiline && (fixed ? pattern.includes('\n') : /\n|(?<!\\)(?:\\\\)*\\n/.test(pattern)))
    refuse('a line end in the pattern needs `multiline`')
  if (fixed) return { source: escapeRegExp(pattern), asciiSource: escapeRegExp(pattern), ignoreCase }
  const leading = leadingFlags(pattern)
  if (leading.rest === undefined) return refuse(leading.reason)
  const options = { dotAll: leading.flags.has('s'), refuse }
  const source = translate(leading.rest, { ...options, ascii: false })
  const asciiSource = translate(leading.rest, { ...options, ascii: true })
  try {
    for (const each of [source, asciiSource]) RegExp(each, 'v')
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : ''
    return refuse(text.slice(text.lastIndexOf(': ') + 2).toLowerCase())
  }
  return { source, asciiSource, ignoreCase: ignoreCase || leading.flags.has('i') }
}

function leadingFlags(pattern: string): { flags: Set<string>; rest: string } | { flags: Set<string>; rest: undefined; reason: string } {
  const found = /^(?:\(\?([a-zA-Z]+)\))+/.exec(pattern)
  const flags = new Set(found === null ? '' : found[0].replaceAll(/[^a-zA-Z]/g, ''))
  const unknown = [...flags].find((flag) => !'imsu'.includes(flag))
  if (unknown !== undefined) return { flags, rest: undefined, reason: `the inline flag ${unknown} is not supported by this engine` }
  return { flags, rest: pattern.slice(found?.[0].length ?? 0) }
}

function translate(pattern: string, translation: Translation): string {
  let result = ''
  for (let at = 0; at < pattern.length;) {
    const step = translateAt(pattern, at, translation)
    result += step.source
    at = step.end
  }
  return result
}

function translateAt(pattern: string, at: number, translation: Translation): { source: string; end: number } {
  const char = pattern.charAt(at)
  if (char === '\\') return escapeAt(pattern, at, translation)
  if (char === '[') return parseClass(pattern, at, translation)
  if (char === '(') return groupAt(pattern, at, translation)
  if (char === '.') return { source: translation.dotAll ? '[^]' : String.raw`[^\n]`, end: at + 1 }
  if (char === ']' || char === '/') return { source: `\\${char}`, end: at + 1 }
  if (char === '{') return repetitionAt(pattern, at, translation)
  if (char === '}') return { source: String.raw`\}`, end: at + 1 }
  return { source: char, end: at + 1 }
}

function repetitionAt(pattern: string, at: number, { refuse }: Translation): { source: string; end: number } {
  const found = /^\{(\d*)(,?)(\d*)\}/.exec(pattern.slice(at))
  if (found === null || (found[1] === '' && found[3] === '')) return refuse('a brace that is not a repetition count must be escaped')
  return { source: `{${found[1] === '' ? '0' : found[1]}${found[2]}${found[3]}}`, end: at + found[0].length }
}

function groupAt(pattern: string, at: number, { refuse }: Translation): { source: string; end: number } {
  if (pattern[at + 1] !== '?') return { source: '(', end: at + 1 }
  if (pattern.startsWith('(?:', at)) return { source: '(?:', end: at + 3 }
  const named = /^\(\?P?<([A-Za-z_][\w.[\]]*)>/.exec(pattern.slice(at))
  if (named !== null) return { source: '(', end: at + named[0].length }
  if (/^\(\?<?[=!]/.test(pattern.slice(at))) return refuse('look-around is not supported')
  return refuse('inline flags are only supported at the start of the pattern by this engine')
}

function escapeAt(pattern: string, at: number, translation: Translation): { source: string; end: number } {
  const { ascii, refuse } = translation
  const next = pattern.charAt(at + 1)
  if (next === '') return refuse('the pattern ends in a backslash')
  const word = `[${ascii ? 'A-Za-z0-9_' : WORD}]`
  const edges: Record<string, string> = {
    b: ascii ? '\\b' : `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
    B: ascii ? '\\B' : `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`,
    '<': `(?<!${word})(?=${word})`,
    '>': `(?<=${word})(?!${word})`,
    A: '(?<![^])',
    z: '(?![^])',
  }
  const edge = edges[next]
  if (edge !== undefined) return { source: edge, end: at + 2 }
  const single = classEscapeAt(pattern, at, translation)
  return { source: single.set ? `[${single.source}]` : single.source, end: single.end }
}
