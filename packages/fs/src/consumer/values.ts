/**
 * Inputs and values of the tools (table of fs.md section 9). Every value is JSON.
 */
import type { Edit, Hunk, MatchReport } from '../definition/edits.ts'
import type { Change, LineEnds, ListEntry, TextEncoding } from '../definition/file-system.ts'

export interface ReadInput {
  path: string
  offset?: number
  limit?: number
  tail?: number
}

export interface ReadText {
  kind: 'text'
  path: string
  text: string
  startLine: number
  endLine: number
  totalLines: number | null
  truncated: boolean
  cutLines: number[]
  eol: LineEnds
  noFinalEol: boolean
  bom: boolean
  encoding: TextEncoding
  size: number
  version: string
  notes: string[]
}

export interface ReadImage {
  kind: 'image'
  path: string
  mimeType: string
  width: number
  height: number
  size: number
  /** Base64. */
  data: string
}

export interface ReadDocument {
  kind: 'document'
  path: string
  mimeType: string
  size: number
  /** Base64. */
  data: string
}

export type ReadValue = ReadText | ReadImage | ReadDocument

export interface WriteInput {
  path: string
  content: string
  createOnly?: boolean
}

export interface WriteValue {
  path: string
  created: boolean
  bytes: number
  eol: LineEnds
  bom: boolean
  version: string
  added: number
  removed: number
  hunks: Hunk[]
  undoable: boolean
  tag: string
  notes: string[]
}

export type EditInput = { path: string } & ({ old: string; new: string; all?: boolean; edits?: undefined } | { edits: Edit[] })

export interface EditValue {
  path: string
  replaced: number
  matches: MatchReport[]
  version: string
  hunks: Hunk[]
  undoable: boolean
  tag: string
  notes: string[]
}

export type PatchFile =
  | { path: string; hunks: { old: string[]; new: string[]; line?: number }[]; moveTo?: string }
  | { path: string; add: string }
  | { path: string; delete: true }

export type PatchInput = { files: PatchFile[]; diff?: undefined } | { diff: string; files?: undefined }

export interface PatchValue {
  files: Change[]
  tag: string
}

export interface ListInput {
  path?: string
  depth?: number
  limit?: number
}

export interface ListValue {
  path: string
  entries: Pick<ListEntry, 'path' | 'kind' | 'size' | 'target' | 'ignored' | 'raw'>[]
  truncated: boolean
}

export interface MoveInput {
  from: string
  to: string
  overwrite?: boolean
}

export interface MoveValue {
  from: string
  to: string
  replaced?: true
  undoable: boolean
  tag: string
  notes: string[]
}

export interface DeleteInput {
  path: string
  recursive?: boolean
}

export interface DeleteValue {
  path: string
  /** Entries that were removed, where they were counted. */
  removed: number
  undoable: boolean
  tag: string
  notes: string[]
}
