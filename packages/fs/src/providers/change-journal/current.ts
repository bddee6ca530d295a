/**
 * What is in a place now, as a revert needs to know it: read through the `FileSystem`, contents only when they are asked for.
 */
import { FsError, isFsError } from '../../definition/errors.ts'
import type { FileSystem, FileTarget } from '../../definition/file-system.ts'
import { isStale, parseVersion, versionStamp, type Version } from '../../definition/versions.ts'
import type { Content } from '../../journal/net-change.ts'
import { sha256 } from './recorder.ts'

export type Current =
  | { kind: 'absent' }
  | { kind: 'directory'; version: Version | undefined }
  | { kind: 'symlink'; target: string; version: Version | undefined }
  | { kind: 'file'; version: Version | undefined; read(): Promise<ReadFile | undefined> }
  | { kind: 'special' }

export interface ReadFile {
  bytes: Buffer
  hash: string
  /** With the hash, so that a touch or a rename does not make it stale. Absent for a content that is only thought of. */
  version?: Version
}

/** Larger files are not compared. */
const MOST_BYTES = 256 * 1024 * 1024

export async function currentAt(fileSystem: FileSystem, path: string): Promise<Current> {
  const target = await exactTarget(fileSystem, path)
  const facts = target === undefined ? undefined : await fileSystem.stat(target)
  if (target === undefined || facts === undefined || facts.kind === 'missing') return { kind: 'absent' }
  if (facts.kind === 'directory') return { kind: 'directory', version: facts.version }
  if (facts.kind === 'symlink') return { kind: 'symlink', target: await linkTarget(fileSystem, target), version: facts.version }
  if (facts.kind !== 'file') return { kind: 'special' }
  let reading: Promise<ReadFile | undefined> | undefined
  return {
    kind: 'file',
    version: facts.version,
    read: () => (reading ??= facts.size > MOST_BYTES ? Promise.resolve(undefined) : readWhole(fileSystem, target)),
  }
}

/** The entry of exactly this name, links not followed; undefined where its directory is not there. */
export async function exactTarget(fileSystem: FileSystem, path: string): Promise<FileTarget | undefined> {
  try {
    const target = await fileSystem.resolve(path, { leaf: 'keep' })
    // Another name that only resembles this one is another file.
    return target.path === path ? target : undefined
  } catch (error) {
    if (isFsError(error) && (error.code === 'FS_NOT_DIRECTORY' || error.code === 'FS_NOT_FOUND' || error.code === 'FS_LOOP'))
      return undefined
    throw error
  }
}

/** The bytes and the version that belongs to exactly these bytes. */
async function readWhole(fileSystem: FileSystem, target: FileTarget): Promise<ReadFile> {
  for (let attempt = 0; ; attempt += 1) {
    const before = await fileSystem.stat(target)
    const bytes = Buffer.from(await fileSystem.readBytes(target, { offset: 0, length: before.size }))
    const after = await fileSystem.stat(target)
    const settled = before.version !== undefined && after.version !== undefined && !isStale(before.version, after.version)
    if (settled && before.version !== undefined) {
      const hash = sha256(bytes)
      return { bytes, hash, version: parseVersion(`${versionStamp(before.version)}:${hash}`) ?? before.version }
    }
    if (attempt === 3) throw new FsError('FS_BUSY', { path: target.path, reason: 'changes while it is read' })
  }
}

async function linkTarget(fileSystem: FileSystem, target: FileTarget): Promise<string> {
  const parent = target.path.includes('/') ? target.path.slice(0, target.path.lastIndexOf('/')) || '/' : '.'
  const { entries } = await fileSystem.list(await fileSystem.resolve(parent), { limit: Number.MAX_SAFE_INTEGER })
  return entries.find(({ path }) => path === target.path)?.target ?? ''
}

/** Whether what is there is this content. Cheap where the version was noted when the change was settled. */
export async function isContent(current: Current, content: Content): Promise<boolean> {
  if (content.kind === 'absent' || current.kind === 'absent') return content.kind === current.kind
  if (current.kind !== content.entryKind) return false
  if (current.kind === 'directory') return true
  if (current.kind === 'symlink') return sha256(Buffer.from(current.target, 'utf8')) === content.hash
  const noted = content.side === 'after' ? content.of.after : undefined
  if (noted !== undefined && current.version !== undefined && versionStamp(noted) === versionStamp(current.version)) return true
  return content.hash !== undefined && (await current.read())?.hash === content.hash
}
