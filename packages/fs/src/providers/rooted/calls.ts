/**
 * The calls of the host that the walk and the writes need, as promises on plain descriptors. A refusal of the host becomes an `FsError`
 * where it leaves this folder (`hostError`), never an errno.
 */
import * as fs from 'node:fs'
import { FsError, isFsError, type FsErrorCode } from '../../definition/errors.ts'

export type PathLike = string | Buffer

/** Linux: a descriptor that names a place without opening it. */
export const O_PATH = 0o10000000
const { O_CREAT, O_DIRECTORY = 0, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0, O_RDONLY, O_WRONLY } = fs.constants
export const FLAGS: Readonly<
  Record<'place' | 'directory' | 'read' | 'readNoFollow' | 'create' | 'overwrite' | 'overwriteNoFollow' | 'sync', number>
> = {
  place: O_PATH | O_NOFOLLOW,
  directory: O_PATH | O_DIRECTORY,
  read: O_RDONLY | O_NONBLOCK | O_NOCTTY,
  readNoFollow: O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
  create: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
  overwrite: O_WRONLY | O_NONBLOCK | O_NOCTTY,
  overwriteNoFollow: O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
  sync: O_RDONLY | O_DIRECTORY,
}

type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void

function call<T>(start: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error === null ? resolve(value) : reject(error)))
  })
}

function act(start: (done: (error: NodeJS.ErrnoException | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error === null ? resolve() : reject(error)))
  })
}

export const open = (path: PathLike, flags: number, mode?: number): Promise<number> =>
  call((done) => fs.open(path, flags, mode ?? null, done))
export const fstat = (fd: number): Promise<fs.BigIntStats> => call((done) => fs.fstat(fd, { bigint: true }, done))
export const lstat = (path: PathLike): Promise<fs.BigIntStats> => call((done) => fs.lstat(path, { bigint: true }, done))
export const readlink = (path: PathLike): Promise<string> => call((done) => fs.readlink(path, 'utf8', done))
export const readNames = (path: PathLike): Promise<Buffer[]> => call((done) => fs.readdir(path, { encoding: 'buffer' }, done))
export const rename = (from: PathLike, to: PathLike): Promise<void> => act((done) => fs.rename(from, to, done))
export const symlink = (target: string, path: PathLike): Promise<void> => act((done) => fs.symlink(target, path, done))
export const link = (from: PathLike, to: PathLike): Promise<void> => act((done) => fs.link(from, to, done))
export const copyFile = (from: PathLike, to: PathLike): Promise<void> =>
  act((done) => fs.copyFile(from, to, fs.constants.COPYFILE_EXCL, done))
export const unlink = (path: PathLike): Promise<void> => act((done) => fs.unlink(path, done))
export const rmdir = (path: PathLike): Promise<void> => act((done) => fs.rmdir(path, done))
export const mkdir = (path: PathLike): Promise<void> => act((done) => fs.mkdir(path, done))
export const fsync = (fd: number): Promise<void> => act((done) => fs.fsync(fd, done))
export const ftruncate = (fd: number, length: number): Promise<void> => act((done) => fs.ftruncate(fd, length, done))
export const fchmod = (fd: number, mode: number): Promise<void> => act((done) => fs.fchmod(fd, mode, done))
export const chmod = (path: PathLike, mode: number): Promise<void> => act((done) => fs.chmod(path, mode, done))
export const fchown = (fd: number, uid: number, gid: number): Promise<void> => act((done) => fs.fchown(fd, uid, gid, done))
export const realpath = (path: string): Promise<string> => call((done) => fs.realpath.native(path, done))

const readSome = (fd: number, into: Buffer, at: number, offset: number): Promise<number> =>
  call((done) => fs.read(fd, into, at, into.length - at, offset, done))
const writeSome = (fd: number, bytes: Uint8Array, at: number, length: number): Promise<number> =>
  call((done) => fs.write(fd, bytes, at, length, at, done))

/** Closing is quick and its failure changes nothing any more. */
export function close(fd: number): void {
  try {
    fs.closeSync(fd)
  } catch {
    // Nothing is left to do for a descriptor that is not one.
  }
}

/** Fewer bytes only at the end of the file. */
export async function readAt(fd: number, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(length, 0))
  let filled = 0
  while (filled < bytes.length) {
    const count = await readSome(fd, bytes, filled, offset + filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}

const WRITE_PIECE = 4 * 1024 * 1024

/** Writes all bytes from offset 0, counting short writes. @throws what the host says, TOOL_ABORTED */
export async function writeAll(fd: number, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    if (signal?.aborted === true) throw new FsError('TOOL_ABORTED')
    const count = await writeSome(fd, bytes, written, Math.min(bytes.length - written, WRITE_PIECE))
    if (count === 0) throw Object.assign(new Error('nothing could be written'), { code: 'ENOSPC' })
    written += count
  }
}

const CODES: { [errno: string]: FsErrorCode } = {
  ENOENT: 'FS_NOT_FOUND',
  EACCES: 'FS_PERMISSION',
  EPERM: 'FS_PERMISSION',
  EROFS: 'FS_READ_ONLY',
  ENOSPC: 'FS_DISK_FULL',
  EDQUOT: 'FS_DISK_FULL',
  EFBIG: 'FS_DISK_FULL',
  EBUSY: 'FS_BUSY',
  ETXTBSY: 'FS_BUSY',
  EAGAIN: 'FS_BUSY',
  ENOTDIR: 'FS_NOT_DIRECTORY',
  EISDIR: 'FS_IS_DIRECTORY',
  ELOOP: 'FS_LOOP',
  EEXIST: 'FS_ALREADY_EXISTS',
  ENOTEMPTY: 'FS_NOT_EMPTY',
  ENAMETOOLONG: 'FS_BAD_PATH',
  EINVAL: 'FS_BAD_PATH',
  EILSEQ: 'FS_BAD_PATH',
  ENXIO: 'FS_NOT_REGULAR',
}

export function errnoOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** What the host refused, as a refusal of ours. `at: 'directory'` tells that the directory, not the file, could not be written. */
export function hostError(error: unknown, path: string, at?: 'directory'): FsError {
  if (isFsError(error)) return error
  const errno = errnoOf(error)
  const code = errno === undefined ? undefined : CODES[errno]
  const facts = errno === undefined ? { reason: String(error) } : { errno }
  return new FsError(code ?? 'FS_IO', { path, ...facts, ...(at === undefined ? {} : { at }) }, { cause: error })
}
