/**
 * Text with `*` for any characters: one word of a command, one segment of a path, one name. Coverage of A-38: a pattern covers another if it
 * matches that one's own text, with its wildcards standing as characters that only a wildcard matches.
 */

/** Stands for a wildcard in the text of a pattern that is being covered. Never part of a pattern (`checkPatternText`). */
export const WILDCARD_MARK = '\uE000'

/** Literal pieces with a wildcard between each two; a single piece is plain text. */
export type Wildcard = readonly string[]

export function parseWildcard(text: string): Wildcard {
  return text.split(/\*+/)
}

export function isLiteral(pattern: Wildcard): boolean {
  return pattern.length === 1
}

/** `*` alone. */
export function isAnything(pattern: Wildcard): boolean {
  return pattern.length === 2 && pattern[0] === '' && pattern[1] === ''
}

export function matchWildcard(pattern: Wildcard, text: string): boolean {
  const first = pattern[0] ?? ''
  if (pattern.length === 1) return text === first
  const last = pattern[pattern.length - 1] ?? ''
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let from = first.length
  for (let index = 1; index < pattern.length - 1; index++) {
    const piece = pattern[index] ?? ''
    const at = text.indexOf(piece, from)
    if (at < 0 || at + piece.length > end) return false
    from = at + piece.length
  }
  return true
}

export function coversWildcard(wide: Wildcard, narrow: Wildcard): boolean {
  return matchWildcard(wide, narrow.join(WILDCARD_MARK))
}
