/**
 * Escapes of the ripgrep engine's pattern syntax, inside and outside of brackets, in the form of JavaScript's flag `v`.
 */

export interface Translation {
  ascii: boolean
  dotAll: boolean
  refuse: (reason: string) => never
}

export const WORD: string = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`

/** Members of the classes that are named by a letter, for use inside brackets. */
const LETTER_CLASSES: Record<string, { ascii: string; full: string }> = {
  d: { ascii: '0-9', full: String.raw`\p{Nd}` },
  s: { ascii: String.raw`\s`, full: String.raw`\p{White_Space}` },
  w: { ascii: 'A-Za-z0-9_', full: WORD },
}

const CONTROL_ESCAPES: Record<string, string> = { n: '\\n', t: '\\t', r: '\\r', f: '\\f', v: '\\v', a: '\\x07' }

/** One escape that stands for a character or, with `set`, for members of a class. */
export function classEscapeAt(pattern: string, at: number, translation: Translation): { source: string; end: number; set: boolean } {
  const { ascii, refuse } = translation
  const next = pattern.charAt(at + 1)
  const letter = LETTER_CLASSES[next.toLowerCase()]
  if (letter !== undefined) {
    const members = ascii ? letter.ascii : letter.full
    return { source: next === next.toLowerCase() ? members : `[^${members}]`, end: at + 2, set: true }
  }
  const control = CONTROL_ESCAPES[next]
  if (control !== undefined) return { source: control, end: at + 2, set: false }
  const tail = pattern.slice(at)
  const code = /^\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|[xuU]\{([\dA-Fa-f]{1,6})\})/.exec(tail)
  if (code !== null) {
    const digits = code[1] ?? code[2] ?? code[3] ?? code[4] ?? ''
    return { source: String.raw`\u{${digits.replace(/^0+(?=.)/, '')}}`, end: at + code[0].length, set: false }
  }
  const property = /^\\([pP])(?:\{(\^?)([\w=:. -]+)\}|(\w))/.exec(tail)
  if (property !== null) {
    const negated = (property[1] === 'P') !== (property[2] === '^')
    return {
      source: `\\${negated ? 'P' : 'p'}{${propertyName(property[3] ?? property[4] ?? '')}}`,
      end: at + property[0].length,
      set: true,
    }
  }
  if (/\d/.test(next)) return refuse('back-references are not supported')
  if (/[A-Za-z]/.test(next)) return refuse(`the escape \\${next} is not known`)
  return { source: literalCharacter(pattern, at + 1), end: at + 1 + ((pattern.codePointAt(at + 1) ?? 0) > 0xffff ? 2 : 1), set: false }
}

/** A character that means itself, inside and outside of brackets. */
export function literalCharacter(pattern: string, at: number): string {
  const point = pattern.codePointAt(at) ?? 0
  const char = String.fromCodePoint(point)
  return /[A-Za-z0-9_]/.test(char) ? char : String.raw`\u{${point.toString(16)}}`
}

const SCRIPTS: Record<string, string> = {
  greek: 'Greek',
  cyrillic: 'Cyrillic',
  latin: 'Latin',
  han: 'Han',
  hiragana: 'Hiragana',
  katakana: 'Katakana',
  arabic: 'Arabic',
  hebrew: 'Hebrew',
  thai: 'Thai',
  hangul: 'Hangul',
  devanagari: 'Devanagari',
}

function propertyName(name: string): string {
  const script = SCRIPTS[name.toLowerCase()]
  return script === undefined ? name.replace(':', '=') : `Script=${script}`
}
