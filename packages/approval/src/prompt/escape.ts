/**
 * Text of a model on a terminal: everything that could move the cursor, hide, reorder or imitate is shown as an escape.
 */

// Controls; format characters (bidirectional marks, zero width, tags, soft hyphen); lone surrogates and private use; line and paragraph
// separators; what is ignored when shown (blank letters, variation selectors).
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Spaces that look like the usual one. */
const SPACES = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\u2800]/gu

const SHORT: { readonly [character: string]: string } = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** One line, whatever is in it. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, escaped).replace(SPACES, escaped)
}

/** The lines of a text, each escaped; a line feed alone ends a line. */
export function escapeLines(text: string): string[] {
  return text.split('\n').map(escapeText)
}

function escaped(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return SHORT[character] ?? (point <= 0xff ? `\\x${point.toString(16).padStart(2, '0')}` : `\\u{${point.toString(16)}}`)
}

/** As wide a line as the screen takes, cut into pieces; nothing is left out. Counts code points: a wide character may wrap once more. */
export function wrapLine(line: string, width: number): string[] {
  const points = [...line]
  if (points.length <= width) return [line]
  const pieces: string[] = []
  for (let start = 0; start < points.length; start += width) pieces.push(points.slice(start, start + width).join(''))
  return pieces
}
