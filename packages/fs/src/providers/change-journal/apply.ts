/**
 * A plan carried out, operation by operation, through the `FileSystem`: each checks that its file is still what the plan saw, and each is
 * itself journalled under the revert's own tag (F-63).
 */
import { FsError, isFsError } from '../../definition/errors.ts'
import type { Change, FileSystem, FileTarget, WriteIntent } from '../../definition/file-system.ts'
import { describeConflict, describeRefusal } from '../../journal/describe-conflict.ts'
import type { Operation, PlannedFile } from './operations.ts'
import type { Plan } from './plan.ts'

export interface ApplyOrder {
  tag: string
  signal: AbortSignal | undefined
  /** The first refusal ends it. */
  strict: boolean
}

/** Marks what could not be done in the plan's files. @throws FsError the refusal, when `strict` */
export async function applyPlan(fileSystem: FileSystem, plan: Plan, order: ApplyOrder): Promise<void> {
  for (const operation of plan.operations) {
    const { file } = operation
    if (file.conflict !== undefined) continue
    try {
      if (order.signal?.aborted === true) throw new FsError('TOOL_ABORTED', { path: file.path })
      const change = await applyOperation(fileSystem, operation, order)
      file.version = change?.after ?? file.version
    } catch (error) {
      if (!isFsError(error) || order.strict) throw error
      leave(file, error)
    }
  }
  await removeEmptied(fileSystem, plan, order)
}

function leave(file: PlannedFile, { code }: FsError): void {
  file.action = 'none'
  file.hunks = []
  file.conflict =
    code === 'TOOL_ABORTED' ? describeConflict('stopped') : code === 'FS_NOT_EMPTY' ? describeConflict('not-empty') : describeRefusal(code)
}

async function applyOperation(fileSystem: FileSystem, operation: Operation, order: ApplyOrder): Promise<Change | undefined> {
  const { file } = operation
  const intent = intentOf(order, file)
  const expect = file.version ?? 'absent'
  if (operation.kind === 'move') {
    const from = await targetOf(fileSystem, operation.from)
    return fileSystem.move(from, await targetOf(fileSystem, operation.to), { ...intent, expect, overwrite: false })
  }
  const target = await targetOf(fileSystem, operation.path)
  if (operation.kind === 'write') {
    const mode = operation.mode === undefined ? {} : { mode: operation.mode }
    return fileSystem.write(target, operation.bytes, { ...intent, ...mode, expect })
  }
  if (operation.kind === 'remove') {
    await fileSystem.remove(target, { ...intent, expect, recursive: false })
    return undefined
  }
  // A restored file below it may have made it again already.
  if (operation.entry.kind === 'directory' && (await fileSystem.stat(target)).kind === 'directory') return undefined
  if (fileSystem.remake === undefined) throw new FsError('FS_NOT_REGULAR', { path: operation.path, kind: operation.entry.kind })
  return fileSystem.remake(target, { ...operation.entry, ...(operation.mode === undefined ? {} : { mode: operation.mode }) }, intent)
}

function intentOf({ tag, signal }: Pick<ApplyOrder, 'tag' | 'signal'>, file?: PlannedFile): WriteIntent {
  return {
    tag,
    rootCallId: tag,
    callId: tag,
    kind: 'revert',
    ...(file?.agent === undefined ? {} : { agent: file.agent }),
    ...(signal === undefined ? {} : { signal }),
  }
}

function targetOf(fileSystem: FileSystem, path: string): Promise<FileTarget> {
  return fileSystem.resolve(path, { leaf: 'keep' })
}

/** Directories that the changes made, where nothing is left in them (F-62). */
async function removeEmptied(fileSystem: FileSystem, { directories }: Plan, order: ApplyOrder): Promise<void> {
  for (const path of directories) {
    try {
      const target = await targetOf(fileSystem, path)
      if ((await fileSystem.stat(target)).kind !== 'directory') continue
      if ((await fileSystem.list(target, { limit: 1 })).entries.length > 0) continue
      await fileSystem.remove(target, { ...intentOf(order), expect: 'any', recursive: false })
    } catch (error) {
      // A directory that somebody needs meanwhile stays.
      if (!isFsError(error)) throw error
    }
  }
}
