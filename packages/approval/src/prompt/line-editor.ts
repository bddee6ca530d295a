/**
 * One line of input in raw mode: typing, erasing, moving. Pure; the terminal shows it and tells it the keys.
 */
import { escapeText } from './escape.ts'

export type Key =
  | { kind: 'text'; text: string }
  | { kind: 'enter' | 'escape' | 'erase' | 'clear' | 'left' | 'right' | 'home' | 'end' | 'cancel' | 'ignored' }

export interface Line {
  before: string
  after: string
}

export function typeKey({ before, after }: Line, key: Key): Line {
  switch (key.kind) {
    case 'text':
      return { before: before + key.text, after }
    case 'erase':
      return { before: [...before].slice(0, -1).join(''), after }
    case 'clear':
      return { before: '', after: '' }
    case 'left':
      return { before: [...before].slice(0, -1).join(''), after: ([...before].at(-1) ?? '') + after }
    case 'right': {
      const [first = '', ...rest] = after
      return { before: before + first, after: rest.join('') }
    }
    case 'home':
      return { before: '', after: before + after }
    case 'end':
      return { before: before + after, after: '' }
    case 'enter':
    case 'escape':
    case 'cancel':
    case 'ignored':
      return { before, after }
    default:
      return key satisfies never
  }
}

export function lineText({ before, after }: Line): string {
  return before + after
}

/** As shown: escaped, with the place of the cursor counted in shown characters from the end. */
export function renderLine({ before, after }: Line): { text: string; back: number } {
  const tail = escapeText(after)
  return { text: escapeText(before) + tail, back: [...tail].length }
}

const SEQUENCES: { readonly [sequence: string]: Exclude<Key['kind'], 'text'> } = {
  '\u001B[D': 'left',
  '\u001B[C': 'right',
  '\u001B[H': 'home',
  '\u001B[F': 'end',
  '\u001B[1~': 'home',
  '\u001B[4~': 'end',
  '\u001BOD': 'left',
  '\u001BOC': 'right',
  '\u001B': 'escape',
}

const SINGLE: { readonly [character: string]: Exclude<Key['kind'], 'text'> } = {
  '\r': 'enter',
  '\n': 'enter',
  '\u007F': 'erase',
  '\b': 'erase',
  '\u0015': 'clear',
  '\u0001': 'home',
  '\u0005': 'end',
  '\u0003': 'cancel',
  '\u0004': 'cancel',
}

/** What a terminal sends, as keys. Unknown escape sequences are ignored whole, so that no part of one is taken for a letter. */
export function readKeys(input: string): Key[] {
  const keys: Key[] = []
  // eslint-disable-next-line no-control-regex -- escape sequences of terminals
  for (const [part] of input.matchAll(/\u001B(?:\[[0-?]*[ -/]*[@-~]|O.|[^[O\u001B])?|[\s\S]/gu)) {
    const special = SINGLE[part] ?? SEQUENCES[part]
    if (special !== undefined) keys.push({ kind: special })
    else if (part.startsWith('\u001B') || /^[\p{Cc}]$/u.test(part)) keys.push({ kind: 'ignored' })
    else keys.push({ kind: 'text', text: part })
  }
  return keys
}
