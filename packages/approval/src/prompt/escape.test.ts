import { describe, expect, test } from 'vitest'
import { escapeLines, escapeText, wrapLine } from './escape.ts'
import { lineText, readKeys, renderLine, typeKey, type Line } from './line-editor.ts'

describe('A-15: text on a terminal', () => {
  test('A-15: every control, format and look-alike character is an escape; letters stay', () => {
    for (let point = 0; point < 0x20; point++) expect(escapeText(String.fromCodePoint(point))).toMatch(/^\\(?:[nrt]|x[0-9a-f]{2})$/)
    for (let point = 0x7f; point < 0xa1; point++) expect(escapeText(String.fromCodePoint(point))).toMatch(/^\\x[0-9a-f]{2}$/)
    const hidden = [
      '\u00AD',
      '\u061C',
      '\u200B',
      '\u200D',
      '\u200E',
      '\u2028',
      '\u2029',
      '\u202A',
      '\u202E',
      '\u2060',
      '\u2066',
      '\u2069',
      '\u3164',
      '\uFE0F',
      '\uFEFF',
      '\uD800',
      '\uDC00',
      '\u{E0041}',
      '\u{E0100}',
      '\u2003',
      '\u3000',
    ]
    for (const text of hidden) expect(escapeText(text)).toMatch(/^\\(?:u\{[0-9a-f]+\}|xad)$/)
    expect(escapeText('Grüße, 世界! naïve 🙂 ~/a_b-c.d')).toBe('Grüße, 世界! naïve 🙂 ~/a_b-c.d')
  })

  test('A-15: a line feed ends a line, a carriage return does not', () => {
    expect(escapeLines('a\nb\rc\u001B[1Ad')).toEqual(['a', String.raw`b\rc\x1b[1Ad`])
  })

  test('A-15: a long line is wrapped, nothing is lost', () => {
    expect(wrapLine('abcdefg', 3)).toEqual(['abc', 'def', 'g'])
    expect(wrapLine('🙂🙂🙂', 2)).toEqual(['🙂🙂', '🙂'])
    expect(wrapLine('', 3)).toEqual([''])
  })
})

describe('A-15: one line of input', () => {
  const typed = (input: string, initial = ''): Line => {
    let line: Line = { before: initial, after: '' }
    for (const key of readKeys(input)) line = typeKey(line, key)
    return line
  }

  test('A-15: typing, erasing, moving, clearing', () => {
    expect(lineText(typed('abx\u007Fc'))).toBe('abc')
    expect(lineText(typed('ac\u001B[Db\u001B[Cd'))).toBe('abcd')
    expect(lineText(typed('b\u001B[Ha\u001B[Fc'))).toBe('abc')
    expect(lineText(typed('🙂\u001B[D-\u001B[C\u007F'))).toBe('-')
    expect(lineText(typed('\u0015new', 'old'))).toBe('new')
  })

  test('A-15: an unknown escape sequence is swallowed whole; no part of it is a letter', () => {
    expect(readKeys('\u001B[200~a\u001B[1;5A\u001BOP\u001Bx')).toEqual([
      { kind: 'ignored' },
      { kind: 'text', text: 'a' },
      { kind: 'ignored' },
      { kind: 'ignored' },
      { kind: 'ignored' },
    ])
    expect(readKeys('\u001B')).toEqual([{ kind: 'escape' }])
    expect(readKeys('\u001B\u001B[A')).toEqual([{ kind: 'escape' }, { kind: 'ignored' }])
    expect(readKeys('\u0003\u0004\r\n\u0007')).toEqual([
      { kind: 'cancel' },
      { kind: 'cancel' },
      { kind: 'enter' },
      { kind: 'enter' },
      { kind: 'ignored' },
    ])
  })

  test('A-15: the line is shown escaped, the cursor counted in what is shown', () => {
    expect(renderLine({ before: 'a\u0007', after: '\tb' })).toEqual({ text: String.raw`a\x07\tb`, back: 3 })
  })
})
