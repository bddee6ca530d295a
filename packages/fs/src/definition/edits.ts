/**
 * Vocabulary of changes to text: edits by search text, patch operations, and the hunks that show what happened.
 */

export type ChangeKind = 'create' | 'modify' | 'delete' | 'move'

/** Replace `old` by `new`. Both are literal text; `all` replaces every place, without overlap. */
export interface Edit {
  old: string
  new: string
  all?: boolean
}

/** Which step found the text (F-40): the tolerant ones are told to the caller. */
export type MatchHow = 'exact' | 'eol' | 'trailing-blanks' | 'indent'

export interface MatchReport {
  how: MatchHow
  count: number
  /** First line of each place, 1-based, in the file as it was before the call; at most 100. */
  lines: number[]
}

/** One run of changed lines with context. Lines start with ' ', '-' or '+', without their line end; a last line without one is followed by `\ No newline at end of file`. */
export interface Hunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

/** Lines without line ends. `old` holds context and removed lines, `new` context and added ones. `line` is a hint that breaks ties, 1-based. */
export interface PatchHunk {
  old: string[]
  new: string[]
  line?: number
  /** The last line of that side ends the file without a line end (from unified text). */
  oldNoEol?: boolean
  newNoEol?: boolean
}

export type PatchOperation =
  | { kind: 'update'; path: string; hunks: readonly PatchHunk[]; moveTo?: string }
  | { kind: 'add'; path: string; content: string }
  | { kind: 'delete'; path: string }
