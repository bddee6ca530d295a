/**
 * Markdown fences around a program: models put them there. Lines count from the first line inside.
 */

const OPENING = /^\s*(`{3,}|~{3,})[^\n`]*(?:\n|$)/

/** The text inside, where the whole text is one fenced block; else the text as it is. */
export function stripFences(text: string): string {
  const source = text.replaceAll('\r\n', '\n')
  const opening = OPENING.exec(source)
  const fence = opening?.[1]
  if (opening === null || fence === undefined) return source
  const inside = source.slice(opening[0].length)
  const lines = inside.trimEnd().split('\n')
  const last = lines.at(-1)?.trim()
  // A text that was cut off has no closing fence.
  return last !== undefined && last.startsWith(fence) && new Set(last).size === 1 ? lines.slice(0, -1).join('\n') : inside
}
