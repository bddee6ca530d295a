/**
 * What is searched and what is found: the words that the steps of F-40 share.
 */
import type { MatchHow } from '../definition/edits.ts'
import { lineStarts } from '../text/lines.ts'
import { normalise, type NormalisedText } from './normalise.ts'

/** What the file has more (`add`) or less (`remove`) than the search text at the start of each line. */
export interface IndentShift {
  kind: 'add' | 'remove'
  indent: string
}

/** A place in the body, `[start, end)`. */
export interface Place {
  start: number
  end: number
}

export interface Found {
  how: MatchHow
  places: Place[]
  /** Only for `indent`: applied to the inserted lines too. */
  shift?: IndentShift
}

/** The body with the slower views on it, made at most once for all edits of a call. */
export interface SearchedBody {
  readonly body: Buffer
  normalised(how: 'eol' | 'trailing-blanks'): NormalisedText
  starts(): number[]
}

export function searchedBody(body: Buffer): SearchedBody {
  const views = new Map<string, NormalisedText>()
  let starts: number[] | undefined
  return {
    body,
    normalised(how) {
      const known = views.get(how) ?? normalise(body, how)
      views.set(how, known)
      return known
    },
    starts: () => (starts ??= lineStarts(body)),
  }
}
