/**
 * What a revert does, one operation after the other, and what it tells about each file.
 */
import type { RevertAction } from '../../definition/change-journal.ts'
import type { Hunk } from '../../definition/edits.ts'
import type { Version } from '../../definition/versions.ts'
import type { NetChange } from '../../journal/net-change.ts'

export type Operation = { file: PlannedFile; at: number } & (
  | { kind: 'move'; from: string; to: string }
  | { kind: 'write'; path: string; bytes: Buffer; mode: number | undefined; present: boolean }
  | { kind: 'make'; path: string; entry: { kind: 'directory' } | { kind: 'symlink'; target: string }; mode: number | undefined }
  | { kind: 'remove'; path: string }
)

export interface PlannedFile {
  net: NetChange
  /** As reported. */
  path: string
  action: RevertAction
  conflict: string | undefined
  hunks: Hunk[]
  /** Of what is there now; undefined when nothing is. */
  version: Version | undefined
  /** The agent that knows what will be there: it need not read the file again. */
  agent: string | undefined
}
