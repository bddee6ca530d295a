/**
 * What a change would do to the files as they stand now (F-70). Reads, changes nothing, takes no lock; large files are not previewed.
 */
import type { Edit, Hunk, PatchOperation } from '../definition/edits.ts'
import type { FileSystem } from '../definition/file-system.ts'
import { applyEdits } from '../editing/apply.ts'
import { hunksOf } from '../editing/hunks.ts'
import { applyHunks } from '../editing/patch.ts'
import { planWrite } from '../editing/plan-write.ts'
import { decodeForChange, encodeGiven } from '../text/encoding.ts'
import { unifiedDiff } from './render-change.ts'

const PREVIEWED_BYTES = 1024 * 1024

interface Standing {
  path: string
  /** Undefined: nothing is there. */
  bytes: Buffer | undefined
}

export async function previewWrite(
  fileSystem: FileSystem,
  { path, content }: { path: string; content: string },
): Promise<string | undefined> {
  const standing = await standingAt(fileSystem, path)
  if (standing === undefined) return undefined
  const { change } = planWrite(standing.path, standing.bytes, encodeGiven(content, path))
  return unifiedDiff({ from: standing.bytes === undefined ? undefined : standing.path, to: standing.path, hunks: change.hunks })
}

export async function previewEdit(
  fileSystem: FileSystem,
  { path, edits }: { path: string; edits: readonly Edit[] },
): Promise<string | undefined> {
  const standing = await standingAt(fileSystem, path)
  if (standing?.bytes === undefined) return undefined
  const { body } = decodeForChange(standing.bytes, standing.path)
  const edited = applyEdits(body, edits, standing.path)
  return unifiedDiff({ from: standing.path, to: standing.path, hunks: hunksOf(body, edited.body, edited.splices) })
}

export async function previewPatch(fileSystem: FileSystem, operations: readonly PatchOperation[]): Promise<string | undefined> {
  const diffs = await Promise.all(operations.map((operation) => previewOperation(fileSystem, operation)))
  return diffs.some((diff) => diff === undefined) ? undefined : diffs.join('\n')
}

async function previewOperation(fileSystem: FileSystem, operation: PatchOperation): Promise<string | undefined> {
  if (operation.kind === 'add') return previewWrite(fileSystem, operation)
  const standing = await standingAt(fileSystem, operation.path)
  if (standing?.bytes === undefined) return undefined
  if (operation.kind === 'delete') return unifiedDiff({ from: standing.path, to: undefined, hunks: [] })
  const { body } = decodeForChange(standing.bytes, standing.path)
  let hunks: Hunk[] = []
  if (operation.hunks.length > 0) {
    const patched = applyHunks(body, operation.hunks, standing.path)
    hunks = hunksOf(body, patched.body, patched.splices)
  }
  return unifiedDiff({ from: standing.path, to: operation.moveTo ?? standing.path, hunks })
}

async function standingAt(fileSystem: FileSystem, path: string): Promise<Standing | undefined> {
  const target = await fileSystem.resolve(path)
  const facts = await fileSystem.stat(target)
  if (facts.kind === 'missing') return { path: target.path, bytes: undefined }
  if (facts.kind !== 'file' || facts.size > PREVIEWED_BYTES) return undefined
  return { path: target.path, bytes: Buffer.from(await fileSystem.readBytes(target, { offset: 0, length: facts.size })) }
}
