/**
 * What a word may become when bash expands it: a fixed text, or something that could be an option or several words.
 */
import type { Word, WordPart } from 'unbash'
import type { Span } from './effects.ts'

export interface Arg extends Span {
  /** The text after quotes are resolved; null where it is not literal. */
  readonly value: string | null
  /** What every expansion begins with, as far as it is literal. */
  readonly prefix: string
  /** It may become none or several words. */
  readonly multi: boolean
}

export function argOf(word: Word): Arg {
  const { parts } = word
  if (parts === undefined) return plainArg(word)
  const literal = literalOf(parts)
  return {
    start: word.pos,
    end: word.end,
    value: literal,
    prefix: literal ?? prefixOf(parts),
    multi: literal === null && parts.some(splits),
  }
}

function plainArg({ value, pos, end }: Word): Arg {
  return { start: pos, end, value, prefix: value, multi: false }
}

/** An operand that cannot be taken for an option, however it expands. */
export function isPlainOperand(arg: Arg): boolean {
  if (arg.value !== null) return !arg.value.startsWith('-') || arg.value === '-'
  return !arg.multi && arg.prefix !== '' && !arg.prefix.startsWith('-')
}

/** For words that another program makes up: read from stdin by xargs, or put in by find. */
export function inventedArg(span: Span, facts: { prefix: string; multi: boolean }): Arg {
  return { start: span.start, end: span.end, value: null, prefix: facts.prefix, multi: facts.multi }
}

function literalOf(parts: readonly WordPart[]): string | null {
  let text = ''
  for (const part of parts) {
    const piece = literalPart(part)
    if (piece === null) return null
    text += piece
  }
  return text
}

function literalPart(part: WordPart): string | null {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value
    case 'DoubleQuoted':
      return literalOf(part.parts)
    default:
      return null
  }
}

/** A process substitution becomes `/dev/fd/N`. */
function prefixOf(parts: readonly WordPart[]): string {
  let prefix = ''
  for (const part of parts) {
    if (part.type === 'ProcessSubstitution') return `${prefix}/dev/fd/`
    if (part.type === 'DoubleQuoted' && literalPart(part) === null) return prefix + prefixOf(part.parts)
    const piece = literalPart(part)
    if (piece === null) return prefix
    prefix += piece
  }
  return prefix
}

/** Unquoted expansions are split at blanks; `$@` gives several words even in quotes. Globs and braces keep the prefix on each word. */
function splits(part: WordPart): boolean {
  switch (part.type) {
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
    case 'LocaleString':
    case 'ExtendedGlob':
      return true
    case 'DoubleQuoted':
      return part.parts.some((inner) => /[@]/.test(inner.text) && (inner.type === 'SimpleExpansion' || inner.type === 'ParameterExpansion'))
    case 'BraceExpansion':
    case 'Glob':
      return (part.parts ?? []).some(splits)
    default:
      return false
  }
}

/** Printable ASCII, and no slash: what a name in the tables can be. */
export function isPlainName(name: string): boolean {
  return /^[!-.0-~]+$/.test(name)
}
