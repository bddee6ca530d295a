/**
 * Where the text of an edit stands (F-40): exact, then blind to line ends, then blind to blanks at line ends, then one uniform indent
 * shift of whole lines. Each step runs only when the one before found nothing. No similarity, no regular expression.
 */
import { findShifted } from './indent.ts'
import { normalise } from './normalise.ts'
import type { Found, Place, SearchedBody } from './searched-body.ts'

/** Every place of the first step that finds one. Empty `places` when none does. */
export function findText(searched: SearchedBody, old: string, all: boolean): Found {
  const exact = findExact(searched.body, Buffer.from(old, 'utf8'))
  if (exact.length > 0) return { how: 'exact', places: exact }
  for (const how of ['eol', 'trailing-blanks'] as const) {
    const places = findNormalised(searched, old, how)
    if (places.length > 0) return { how, places }
  }
  return all ? { how: 'exact', places: [] } : findShifted(searched, old)
}

function findExact(body: Buffer, needle: Buffer): Place[] {
  const places: Place[] = []
  for (let at = body.indexOf(needle); at !== -1; at = body.indexOf(needle, at + needle.length)) {
    // A match that starts at the LF of a CRLF would leave a lone CR behind: the line end is addressed whole.
    const splitsLineEnd = needle[0] === 10 && at > 0 && body[at - 1] === 13
    places.push({ start: splitsLineEnd ? at - 1 : at, end: at + needle.length })
  }
  return places
}

function findNormalised(searched: SearchedBody, old: string, how: 'eol' | 'trailing-blanks'): Place[] {
  const haystack = searched.normalised(how)
  const given = normalise(Buffer.from(old, 'utf8'), how)
  const needle = given.text
  if (needle.length === 0) return []
  // Blanks that end the search text stand for blanks that end a line, never for a place inside one.
  const endsWithBlanks = how === 'trailing-blanks' && /[ \t]$/.test(old)
  const places: Place[] = []
  for (let at = haystack.text.indexOf(needle); at !== -1; at = haystack.text.indexOf(needle, at + needle.length)) {
    const end = at + needle.length
    const atLineEnd = end === haystack.text.length || haystack.text[end] === 10
    if (endsWithBlanks && !atLineEnd) continue
    const start = haystack.originalStart(at)
    const splitsLineEnd = needle[0] === 10 && start > 0 && searched.body[start - 1] === 13
    const stop = haystack.originalEnd(end)
    places.push({ start: splitsLineEnd ? start - 1 : start, end: endsWithBlanks ? skipBlanks(searched.body, stop) : stop })
  }
  return places
}

function skipBlanks(body: Buffer, from: number): number {
  let end = from
  while (body[end] === 32 || body[end] === 9) end += 1
  return end
}
