/**
 * Command SPEC of A-35: words compared with the words of one simple command. Quotes and backslashes in the SPEC make characters literal, so
 * that any argv can be written down. No shell text of a call is ever parsed here (A-40).
 */
import { coversWildcard, isAnything, matchWildcard, type Wildcard, WILDCARD_MARK } from './wildcard.ts'

export interface CommandPattern {
  words: readonly Wildcard[]
  /** A last ` *` or `:*`: any further words, none included. */
  rest: boolean
}

export type ParsedCommand = { ok: true; pattern: CommandPattern } | { ok: false; problem: string }

/** What would make the text more than one simple command: such a pattern could never match. */
const SHELL_SYNTAX = new Set([';', '|', '&', '<', '>', '(', ')', '`', '\n'])

export function parseCommandPattern(text: string): ParsedCommand {
  const marker = text.endsWith(':*')
  const body = marker ? text.slice(0, -2) : text
  const words: Wildcard[] = []
  let lastIsBareStar = false
  let index = 0
  while (index < body.length) {
    if (body[index] === ' ' || body[index] === '\t') {
      index++
      continue
    }
    const word = readWord(body, index)
    if (!word.ok) return word
    words.push(word.word)
    lastIsBareStar = body.slice(index, word.end) === '*'
    index = word.end
  }
  const rest = marker || lastIsBareStar
  if (lastIsBareStar) words.pop()
  if (words.length === 0 && !rest) return { ok: false, problem: 'the command is empty' }
  return { ok: true, pattern: { words, rest } }
}

type Word = { ok: true; word: Wildcard; end: number } | { ok: false; problem: string }

function readWord(text: string, start: number): Word {
  const pieces: string[] = ['']
  const add = (characters: string): void => {
    pieces[pieces.length - 1] += characters
  }
  let index = start
  while (index < text.length) {
    const character = text[index] ?? ''
    if (character === ' ' || character === '\t') break
    if (character === "'" || character === '"') {
      const close = closingQuote(text, index)
      if (close < 0) return { ok: false, problem: `the quote at character ${index + 1} is never closed` }
      const quoted = text.slice(index + 1, close)
      add(character === '"' ? quoted.replaceAll(/\\(["\\$`])/g, '$1') : quoted)
      index = close + 1
    } else if (character === '\\') {
      if (index + 1 >= text.length) return { ok: false, problem: 'a backslash at the end escapes nothing' }
      add(text[index + 1] ?? '')
      index += 2
    } else if (character === '*') {
      if (pieces.length === 1 || pieces[pieces.length - 1] !== '') pieces.push('')
      index++
    } else if (SHELL_SYNTAX.has(character)) {
      return {
        ok: false,
        problem: `${JSON.stringify(character)} is shell syntax; a pattern is about one simple command: write one rule for each part, or quote the character`,
      }
    } else {
      add(character)
      index++
    }
  }
  return { ok: true, word: pieces, end: index }
}

function closingQuote(text: string, open: number): number {
  const quote = text[open]
  for (let index = open + 1; index < text.length; index++) {
    if (quote === '"' && text[index] === '\\') index++
    else if (text[index] === quote) return index
  }
  return -1
}

export interface CommandMatchOptions {
  /** The program may also match by base name: for deny and ask (A-41). */
  byBaseName: boolean
}

/** A null word is matched by a wildcard alone. */
export function matchCommand(pattern: CommandPattern, argv: readonly (string | null)[], options: CommandMatchOptions): boolean {
  const { words, rest } = pattern
  if (rest ? argv.length < words.length : argv.length !== words.length) return false
  for (let index = 0; index < words.length; index++) {
    const wanted = words[index]
    const word = argv[index]
    if (wanted === undefined || word === undefined) return false
    if (word === null) {
      if (!isAnything(wanted)) return false
    } else if (!matchWildcard(wanted, word) && !(index === 0 && options.byBaseName && matchWildcard(wanted, baseName(word)))) {
      return false
    }
  }
  return true
}

export function coversCommand(wide: CommandPattern, narrow: CommandPattern, options: CommandMatchOptions): boolean {
  if (narrow.rest && !wide.rest) return false
  if (wide.rest ? narrow.words.length < wide.words.length : narrow.words.length !== wide.words.length) return false
  return wide.words.every((word, index) => {
    const other = narrow.words[index]
    if (other === undefined) return false
    return coversWildcard(word, other) || (index === 0 && options.byBaseName && coversWildcard(word, baseNamePattern(other)))
  })
}

export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}

function baseNamePattern(word: Wildcard): Wildcard {
  return baseName(word.join(WILDCARD_MARK)).split(WILDCARD_MARK)
}

/** One word as a SPEC that matches exactly it. */
export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) && !word.endsWith(':') ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A SPEC that matches exactly this argv. */
export function quoteCommand(argv: readonly string[]): string {
  return argv.map(quoteWord).join(' ')
}
