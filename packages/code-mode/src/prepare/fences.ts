/**
 * Markdown fences around a program, and prose around those: models put them there. Lines count from the first line inside.
 */

const OPENING = /^\s*(`{3,}|~{3,})[^\n`]*(?:\n|$)/
// No program has a line that begins so: backticks inside a template are escaped.
const FENCE_LINE = /^[ \t]*```[ \t]*[\w+-]*[ \t]*$/

/** The text inside, where the text is one fenced block or prose around one; else the text as it is. */
export function stripFences(text: string): string {
  const source = text.replaceAll('\r\n', '\n')
  const inProse = insideProse(source.split('\n'))
  if (inProse !== undefined) return inProse
  const opening = OPENING.exec(source)
  const fence = opening?.[1]
  if (opening === null || fence === undefined) return source
  const inside = source.slice(opening[0].length)
  const lines = inside.trimEnd().split('\n')
  const last = lines.at(-1)?.trim()
  // A text that was cut off has no closing fence.
  return last !== undefined && last.startsWith(fence) && new Set(last).size === 1 ? lines.slice(0, -1).join('\n') : inside
}

/** The lines between the only two fences of a text. */
function insideProse(lines: readonly string[]): string | undefined {
  const fences = lines.flatMap((line, at) => (FENCE_LINE.test(line) ? [at] : []))
  const [first, second] = fences
  if (first === undefined || second === undefined || fences.length !== 2 || lines[second]?.trim() !== '```') return undefined
  return lines.slice(first + 1, second).join('\n')
}
