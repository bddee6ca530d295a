/**
 * The last step of F-40: the search text as whole lines, all moved by the same indent. Never with `all`.
 */
import type { Found, IndentShift, SearchedBody } from './searched-body.ts'

export function findShifted(searched: SearchedBody, old: string): Found {
  const wanted = old.replaceAll('\r\n', '\n').split('\n')
  const endsWithLine = wanted.length > 1 && wanted.at(-1) === ''
  if (endsWithLine) wanted.pop()
  const anchor = wanted.findIndex((line) => line.trim() !== '')
  const found: Found = { how: 'indent', places: [] }
  if (anchor === -1) return found
  const starts = searched.starts()
  const anchorText = Buffer.from((wanted[anchor] ?? '').trim(), 'utf8')
  let lastLine = -1
  // The anchor's text must stand in the file as it is: found by its bytes, then the lines around it are compared.
  for (let at = searched.body.indexOf(anchorText); at !== -1; at = searched.body.indexOf(anchorText, at + 1)) {
    const line = lineIndexOf(starts, at)
    if (line === lastLine) continue
    lastLine = line
    const first = line - anchor
    const shift = first < 0 ? undefined : shiftAt(searched, first, wanted)
    if (shift === undefined) continue
    found.places.push({ start: starts[first] ?? 0, end: blockEnd(searched, first + wanted.length - 1, endsWithLine) })
    found.shift = shift
  }
  return found
}

/** Lines of `text` moved as the match was; undefined when a line cannot be moved so. */
export function shiftLines(text: string, shift: IndentShift): string | undefined {
  const moved: string[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') moved.push(line)
    else if (shift.kind === 'add') moved.push(shift.indent + line)
    else if (line.startsWith(shift.indent)) moved.push(line.slice(shift.indent.length))
    else return undefined
  }
  return moved.join('\n')
}

function shiftAt(searched: SearchedBody, first: number, wanted: readonly string[]): IndentShift | undefined {
  let shift: IndentShift | undefined
  for (const [offset, want] of wanted.entries()) {
    const line = lineText(searched, first + offset)
    if (line === undefined) return undefined
    const next = shiftBetween(line, want.trimEnd())
    if (next === undefined) return undefined
    if (next === 'blank') continue
    if (shift === undefined) shift = next
    else if (shift.kind !== next.kind || shift.indent !== next.indent) return undefined
  }
  return shift
}

function shiftBetween(line: string, want: string): IndentShift | 'blank' | undefined {
  if (want === '') return line === '' ? 'blank' : undefined
  const [longer, shorter, kind] = line.length > want.length ? [line, want, 'add' as const] : [want, line, 'remove' as const]
  const indent = longer.slice(0, longer.length - shorter.length)
  return shorter !== '' && longer.endsWith(shorter) && /^[ \t]+$/.test(indent) ? { kind, indent } : undefined
}

/** A line without its end and blanks before it. */
function lineText(searched: SearchedBody, index: number): string | undefined {
  const start = searched.starts()[index]
  if (start === undefined) return undefined
  const next = searched.starts()[index + 1] ?? searched.body.length
  return searched.body.toString('utf8', start, next).trimEnd()
}

function blockEnd(searched: SearchedBody, lastLine: number, withLineEnd: boolean): number {
  const next = searched.starts()[lastLine + 1] ?? searched.body.length
  if (withLineEnd) return next
  const { body } = searched
  if (next === 0 || body[next - 1] !== 10) return next
  return next > 1 && body[next - 2] === 13 ? next - 2 : next - 1
}

function lineIndexOf(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
