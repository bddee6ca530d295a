/**
 * Appends to the segments of one process. Each process writes files of its own, so that nobody waits for a lock and a torn record can
 * only be the last of a file. Records that come together share one flush.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FsError, isFsError, type FsErrorCode } from '../../definition/errors.ts'
import { prepareStateFolder } from '../rooted/state-folder.ts'

/** A segment that is larger is closed and another begun, so that old ones can be taken away. */
const SEGMENT_BYTES = 4 * 1024 * 1024

export interface SegmentWriter {
  /** Names this process: the beginning of its segments' names and of its ids. */
  readonly owner: string
  /** The segment that is being written; undefined before the first record. */
  readonly current: string | undefined
  append(bytes: Buffer, options: { durable: boolean }): Promise<{ segment: string; at: number }>
  close(): Promise<void>
}

interface Waiting {
  bytes: Buffer
  durable: boolean
  resolve(place: { segment: string; at: number }): void
  reject(error: unknown): void
}

export function createSegmentWriter(folder: string): SegmentWriter {
  const owner = `${Date.now().toString(36)}-${process.pid}-${randomBytes(3).toString('hex')}`
  const waiting: Waiting[] = []
  let segment: { name: string; file: FileHandle; size: number } | undefined
  let count = 0
  let working: Promise<void> | undefined

  const begin = async (): Promise<NonNullable<typeof segment>> => {
    prepareStateFolder(dirname(folder), basename(folder))
    const name = `${owner}.${String((count += 1)).padStart(6, '0')}.log`
    const file = await open(join(folder, name), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND, 0o600)
    await syncDirectory(folder)
    return { name, file, size: 0 }
  }
  const end = async (): Promise<void> => {
    const ended = segment
    segment = undefined
    await ended?.file.close().catch(() => undefined)
  }
  const flush = async (batch: readonly Waiting[]): Promise<void> => {
    if (segment !== undefined && segment.size >= SEGMENT_BYTES) await end()
    segment ??= await begin()
    const { file, name, size: start } = segment
    let written = 0
    try {
      for (const { bytes } of batch) {
        await writeFully(file, bytes)
        written += bytes.length
      }
      if (batch.some(({ durable }) => durable)) await file.datasync()
    } catch (error) {
      // Half a record must not stand before whole ones: it is cut off, or nothing more is written behind it.
      await file.truncate(start).catch(() => undefined)
      await end()
      throw error
    }
    segment.size = start + written
    let at = start
    for (const one of batch) {
      one.resolve({ segment: name, at })
      at += one.bytes.length
    }
  }
  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0)
      try {
        await flush(batch)
      } catch (error) {
        const refusal = refusalOf(error)
        for (const one of batch) one.reject(refusal)
      }
    }
    working = undefined
  }
  return {
    owner,
    get current() {
      return segment?.name
    },
    append: (bytes, { durable }) =>
      new Promise((resolve, reject) => {
        waiting.push({ bytes, durable, resolve, reject })
        working ??= work()
      }),
    async close() {
      await working
      await end()
    },
  }
}

async function writeFully(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at)
    at += bytesWritten
  }
}

async function syncDirectory(folder: string): Promise<void> {
  const directory = await open(folder, constants.O_RDONLY)
  try {
    await directory.sync()
  } catch {
    // Some file systems cannot flush a directory; the file itself is flushed with each record.
  } finally {
    await directory.close()
  }
}

const CODES: Record<string, FsErrorCode> = {
  ENOSPC: 'FS_DISK_FULL',
  EDQUOT: 'FS_DISK_FULL',
  EACCES: 'FS_PERMISSION',
  EPERM: 'FS_PERMISSION',
  EROFS: 'FS_READ_ONLY',
}

function refusalOf(error: unknown): FsError {
  if (isFsError(error)) return error
  const errno = (error as NodeJS.ErrnoException).code ?? 'unknown'
  return new FsError(CODES[errno] ?? 'FS_IO', { path: '.toolseam/undo', errno, at: 'journal' }, { cause: error })
}
