/**
 * The few file operations that the store is made of. A file appears whole or not at all, under a name that nobody else got (exclusive hard
 * link), and is on the disk with its folder before anyone is told. Links are never followed; folders are 0700, files 0600.
 *
 * What touches only names and small files is synchronous: it takes microseconds, and a trip through the thread pool a hundred times that.
 * The disk is waited for in place as long as it is quick; a slow one through the thread pool.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { dirname, join } from 'node:path'
import { errorCode } from '@toolseam/core-tools'
import { ApprovalError } from '../../definition/errors.ts'

const syncInPool = promisify(fsync)

/** A sync that takes longer is no longer waited for in place: that many of the next go through the thread pool. */
const SLOW_SYNC_MS = 10
const POOLED_AFTER_SLOW = 50
let pooled = 0

async function sync(fd: number): Promise<void> {
  if (pooled > 0) {
    pooled--
    return syncInPool(fd)
  }
  const start = performance.now()
  fsyncSync(fd)
  if (performance.now() - start > SLOW_SYNC_MS) pooled = POOLED_AFTER_SLOW
}

/** Makes the folder where it is missing. Throws `APPROVAL_STORE_UNSAFE` where a link or a file is in its place. */
export async function ensureFolder(path: string): Promise<{ created: boolean }> {
  const created = makeFolder(path)
  if (created) await syncFolder(dirname(path))
  return { created }
}

/** As `ensureFolder`, but on the disk only once `syncFolder` of the folder above is done. */
export function makeFolder(path: string): boolean {
  const created = attempt('make folder', path, () => mkdirSync(path, { mode: 0o700 }), 'EEXIST')
  if (!created) requireFolder(path)
  return created
}

/** Makes a folder that is not part of the store, with those above it; what is there is taken as it is. */
export function ensureFolders(path: string): void {
  attempt('make folder', path, () => mkdirSync(path, { recursive: true, mode: 0o700 }))
}

/** False where nothing is there. */
export function requireFolder(path: string): boolean {
  let stat: ReturnType<typeof lstatSync> | undefined
  attempt('look at folder', path, () => (stat = lstatSync(path)), 'ENOENT')
  if (stat === undefined) return false
  if (!stat.isDirectory()) {
    throw new ApprovalError('APPROVAL_STORE_UNSAFE', { path, why: stat.isSymbolicLink() ? 'a symbolic link' : 'not a folder' })
  }
  if (process.platform !== 'win32' && (Number(stat.mode) & 0o077) !== 0) closeToOthers(path, Number(stat.mode))
  return true
}

function closeToOthers(path: string, mode: number): void {
  try {
    chmodSync(path, mode & 0o700)
  } catch (error) {
    throw new ApprovalError('APPROVAL_STORE_UNSAFE', { path, why: 'open to others' }, { cause: error })
  }
}

/** False: the name is taken. `scratch`: a folder of the same file system for the draft. */
export async function publish(text: string, target: string, scratch: string): Promise<boolean> {
  const draft = join(scratch, `${process.pid}-${randomBytes(8).toString('hex')}`)
  try {
    await writeDraft(draft, text)
    if (!attempt('hard link', target, () => linkSync(draft, target), 'EEXIST')) return false
    await syncFolder(dirname(target))
    return true
  } finally {
    remove(draft)
  }
}

async function writeDraft(draft: string, text: string): Promise<void> {
  let fd: number | undefined
  try {
    fd = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
    writeFileSync(fd, text)
    await sync(fd)
  } catch (error) {
    throw storeFailed('write file', draft, error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** A draft that is left over is swept with its folder; it is nobody's. */
function remove(draft: string): void {
  try {
    unlinkSync(draft)
  } catch {
    // Never made, or gone.
  }
}

export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder to sync it; its own metadata journal has to do.
  if (process.platform === 'win32') return
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    await sync(fd)
  } catch (error) {
    throw storeFailed('sync folder', path, error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Undefined: nothing there. A link in its place is an error. */
export function readText(path: string): string | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    return readFileSync(fd, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    if (errorCode(error) === 'ELOOP') throw new ApprovalError('APPROVAL_STORE_UNSAFE', { path, why: 'a symbolic link' })
    throw storeFailed('read file', path, error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Names in a folder; empty where there is none. */
export function namesIn(path: string): string[] {
  let names: string[] = []
  attempt('read folder', path, () => (names = readdirSync(path)), 'ENOENT')
  return names
}

/** False: it failed with the code that is an answer here. */
function attempt(operation: string, path: string, run: () => unknown, answer?: string): boolean {
  try {
    run()
    return true
  } catch (error) {
    if (answer !== undefined && errorCode(error) === answer) return false
    throw storeFailed(operation, path, error)
  }
}

export function storeFailed(operation: string, path: string, cause: unknown): ApprovalError {
  return new ApprovalError('APPROVAL_STORE_FAILED', { operation, path, cause: errorCode(cause) ?? String(cause) }, { cause })
}
