/**
 * Bracketed classes of the ripgrep engine's syntax (nested, intersected, with names of ASCII classes) in the form of flag `v`.
 */
import { classEscapeAt, literalCharacter, type Translation } from './script-escape.ts'

const ASCII_CLASSES: Record<string, string> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  ascii: String.raw`\0-\x7f`,
  blank: String.raw` \t`,
  cntrl: String.raw`\0-\x1f\x7f`,
  digit: '0-9',
  graph: String.raw`\x21-\x7e`,
  lower: 'a-z',
  print: String.raw`\x20-\x7e`,
  punct: String.raw`\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e`,
  space: String.raw`\t\n\v\f\r\x20`,
  upper: 'A-Z',
  word: 'A-Za-z0-9_',
  xdigit: '0-9A-Fa-f',
}

/** The class whose bracket is at `start`. */
export function parseClass(pattern: string, start: number, context: Translation): { source: string; end: number } {
  let at = start + 1
  const negated = pattern[at] === '^'
  if (negated) at += 1
  const operands: { source: string; operator: string }[] = []
  let members = ''
  let operator = ''
  let first = true
  for (;;) {
    if (at >= pattern.length) context.refuse('a character class is not closed')
    if (pattern[at] === ']' && !first) break
    const twice = pattern.slice(at, at + 2)
    if (twice === '&&' || twice === '--') {
      operands.push({ source: members, operator })
      ;[members, operator] = ['', twice]
      at += 2
      first = false
      continue
    }
    const item = classItem(pattern, at, context)
    members += item.source
    at = item.end
    first = false
  }
  operands.push({ source: members, operator })
  const body = operands.length === 1 ? members : operands.map((one) => `${one.operator}[${one.source}]`).join('')
  return { source: `[${negated ? '^' : ''}${body}]`, end: at + 1 }
}

function classItem(pattern: string, at: number, context: Translation): { source: string; end: number } {
  const named = /^\[:(\^?)(\w+):\]/.exec(pattern.slice(at))
  // An unknown name is a class of its letters.
  const members = ASCII_CLASSES[named?.[2] ?? '']
  if (named !== null && members !== undefined) {
    return { source: named[1] === '^' ? `[^${members}]` : members, end: at + named[0].length }
  }
  if (pattern[at] === '[') return parseClass(pattern, at, context)
  const from = classCharacter(pattern, at, context)
  if (from.set || pattern[from.end] !== '-' || pattern[from.end + 1] === ']' || pattern[from.end + 1] === '-') return from
  if (from.end + 1 >= pattern.length) return from
  const to = classCharacter(pattern, from.end + 1, context)
  if (to.set) context.refuse('a range in a character class ends in a class')
  return { source: `${from.source}-${to.source}`, end: to.end }
}

function classCharacter(pattern: string, at: number, context: Translation): { source: string; end: number; set: boolean } {
  if (pattern[at] === '\\') {
    if (pattern[at + 1] === 'b') return { source: '\\x08', end: at + 2, set: false }
    return classEscapeAt(pattern, at, context)
  }
  const source = literalCharacter(pattern, at)
  return { source, end: at + ((pattern.codePointAt(at) ?? 0) > 0xffff ? 2 : 1), set: false }
}
