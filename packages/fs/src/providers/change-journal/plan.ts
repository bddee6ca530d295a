/**
 * What a revert would do (F-61, F-62): per file one action or a reason to leave it, and the operations in the order in which they undo
 * what was done, last change first. Touches nothing.
 */
import type { RevertAction } from '../../definition/change-journal.ts'
import type { Hunk } from '../../definition/edits.ts'
import type { FileSystem } from '../../definition/file-system.ts'
import type { Version } from '../../definition/versions.ts'
import { changeBetween } from '../../editing/whole-file.ts'
import { describeConflict, type ConflictReason } from '../../journal/describe-conflict.ts'
import { isTakenBy, netChanges, type NetChange } from '../../journal/net-change.ts'
import { madeDirectories, type LedgerEntry } from '../../journal/records.ts'
import type { Contents } from './contents.ts'
import { currentAt, type Current } from './current.ts'
import { foldBack, type Folded } from './fold-back.ts'
import { firstObstacle } from './obstacles.ts'
import type { Operation, PlannedFile } from './operations.ts'

export interface Plan {
  files: PlannedFile[]
  operations: Operation[]
  /** Made by the changes, to be removed where they are empty then; deepest first. */
  directories: string[]
}

export async function planRevert(fileSystem: FileSystem, entries: readonly LedgerEntry[], contents: Contents): Promise<Plan> {
  const nets = netChanges(entries)
  const planned = await Promise.all(
    // What now stands in the place of something removed goes back first, when it came there by a change of the same selection.
    nets.map(async (net) => {
      const current: Current = nets.some((other) => isTakenBy(net, other)) ? { kind: 'absent' } : await currentAt(fileSystem, net.place)
      return planFile(net, { current, contents })
    }),
  )
  const files = planned.map(({ file }) => file)
  for (;;) {
    const operations = planned.flatMap((one) => (one.file.conflict === undefined ? one.operations : [])).toSorted((a, b) => b.at - a.at)
    const blocked = await firstObstacle(fileSystem, operations)
    if (blocked === undefined) return { files, operations, directories: directoriesOf(entries) }
    blocked.action = 'none'
    blocked.conflict = describeConflict('occupied')
    blocked.hunks = []
  }
}

async function planFile(
  net: NetChange,
  { current, contents }: { current: Current; contents: Contents },
): Promise<{ file: PlannedFile; operations: Operation[] }> {
  const folded = await foldBack(net, current, contents)
  const { before, hunks } = await difference(current, folded)
  const moved = net.moves.length > 0 && current.kind !== 'absent' && folded.kind !== 'absent'
  const file: PlannedFile = {
    net,
    path: folded.kind === 'absent' ? net.place : net.origin,
    action: moved ? 'move-back' : actionOf(current, folded),
    conflict: undefined,
    hunks,
    version: before,
    agent: folded.kind === 'file' && folded.merged ? undefined : net.entries.at(-1)?.agent,
  }
  const reason = folded.kind === 'conflict' ? folded.reason : missing(net, current)
  if (reason !== undefined)
    return { file: { ...file, path: net.place, action: 'none', conflict: describeConflict(reason), hunks: [] }, operations: [] }
  return { file, operations: [...contentOperation(file, { net, current, folded }), ...(moved ? moveOperations(file, net) : [])] }
}

/** Something was only moved, and is not where it was moved to. */
function missing(net: NetChange, current: Current): ConflictReason | undefined {
  if (net.steps.length > 0) return undefined
  if (current.kind === 'absent') return 'deleted-since'
  return current.kind === net.entryKind ? undefined : 'kind-changed'
}

function contentOperation(file: PlannedFile, { net, current, folded }: { net: NetChange; current: Current; folded: Folded }): Operation[] {
  const { path, at } = net.changed ?? { path: net.place, at: 0 }
  const present = current.kind !== 'absent'
  if (folded.kind === 'absent') return present ? [{ file, at, kind: 'remove', path }] : []
  if (folded.kind === 'directory') return [{ file, at, kind: 'make', path, entry: { kind: 'directory' }, mode: folded.mode }]
  if (folded.kind === 'symlink') return [{ file, at, kind: 'make', path, entry: folded, mode: undefined }]
  if (folded.kind !== 'file') return []
  const keepsMode = present && !net.remade
  return [{ file, at, kind: 'write', path, bytes: folded.bytes, mode: keepsMode ? undefined : folded.mode, present }]
}

function moveOperations(file: PlannedFile, net: NetChange): Operation[] {
  return net.moves.map(({ from, to, at }) => ({ file, at, kind: 'move', from: to, to: from }))
}

function actionOf(current: Current, folded: Folded): RevertAction {
  if (folded.kind === 'same' || folded.kind === 'conflict') return 'none'
  if (folded.kind === 'absent') return current.kind === 'absent' ? 'none' : 'delete'
  if (current.kind === 'absent') return 'recreate'
  return folded.kind === 'file' && folded.merged ? 'merge' : 'restore'
}

/** Binary contents, and those beyond this size, are reported without hunks. */
const MOST_SHOWN_BYTES = 4 * 1024 * 1024

async function difference(current: Current, folded: Folded): Promise<{ before: Version | undefined; hunks: Hunk[] }> {
  if (current.kind === 'absent' || current.kind === 'special')
    return { before: undefined, hunks: folded.kind === 'file' ? hunksBetween(Buffer.alloc(0), folded.bytes) : [] }
  if (current.kind !== 'file') return { before: current.version, hunks: [] }
  if (folded.kind !== 'file' && folded.kind !== 'absent') return { before: current.version, hunks: [] }
  const read = await current.read()
  if (read === undefined) return { before: current.version, hunks: [] }
  return {
    before: read.version ?? current.version,
    hunks: hunksBetween(read.bytes, folded.kind === 'file' ? folded.bytes : Buffer.alloc(0)),
  }
}

export function hunksBetween(before: Buffer, after: Buffer): Hunk[] {
  if (before.length + after.length > MOST_SHOWN_BYTES || before.includes(0) || after.includes(0)) return []
  return changeBetween(before, after).hunks
}

function directoriesOf(entries: readonly LedgerEntry[]): string[] {
  return [...new Set(entries.flatMap(madeDirectories))].toSorted((a, b) => b.length - a.length)
}
