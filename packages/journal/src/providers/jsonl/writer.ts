/**
 * The writer: appends that wait together are numbered, written in one write and, where asked, synced once. After a write that failed the file is
 * cut back to its last whole record, so that nothing of a refused append is ever read.
 */
import type { JsonValue } from '@toolseam/core-tools'
import { JournalError } from '../../definition/errors.ts'
import { renderRecord } from './record.ts'

export type FsyncPolicy = 'append' | 'batch' | 'never'

/** With `batch`: how long a written record may wait for its sync. */
const BATCH_MS = 50

/** What a writer needs of a file. */
export interface LogFile {
  write(bytes: Buffer, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>
  truncate(size: number): Promise<void>
  datasync(): Promise<void>
}

export interface Range {
  readonly first: number
  readonly last: number
}

interface Waiting {
  readonly data: readonly JsonValue[]
  readonly at: number
  resolve(range: Range): void
  reject(error: unknown): void
}

export interface Writer {
  /** Resolves when written and, with `append`, synced. */
  write(data: readonly JsonValue[], at: number): Promise<Range>
  /** Bytes of whole records in the file. */
  readonly size: number
  close(): Promise<void>
}

export interface WriterOptions {
  readonly path: string
  readonly size: number
  readonly last: number
  readonly fsync: FsyncPolicy
  /** Called after each write that succeeded. */
  onWritten(): void
}

export function createWriter(file: LogFile, { path, fsync, onWritten, ...opened }: WriterOptions): Writer {
  let { size, last } = opened
  let waiting: Waiting[] = []
  let running: Promise<void> | undefined
  let broken: JournalError | undefined
  let syncTimer: ReturnType<typeof setTimeout> | undefined
  let dirty = false

  function write(data: readonly JsonValue[], at: number): Promise<Range> {
    return new Promise((resolve, reject) => {
      waiting.push({ data, at, resolve, reject })
      running ??= loop()
    })
  }

  async function loop(): Promise<void> {
    // Neighbours share one write.
    await Promise.resolve()
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      await writeGroup(group)
    }
    running = undefined
  }

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    let next = last
    const ranges: Range[] = []
    let text = ''
    for (const { data, at } of group) {
      ranges.push({ first: next + 1, last: next + data.length })
      for (const value of data) text += renderRecord({ seq: (next += 1), at, data: value })
    }
    try {
      if (broken !== undefined) throw broken
      await writeAll(Buffer.from(text))
    } catch (error) {
      const failure = broken ?? (await cutBack(error))
      for (const { reject } of group) reject(failure)
      return
    }
    last = next
    for (const [index, { resolve }] of group.entries()) resolve(ranges[index] ?? { first: 0, last: 0 })
    onWritten()
  }

  async function writeAll(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, size + done)
      done += bytesWritten
    }
    if (fsync === 'append') await file.datasync()
    size += bytes.length
    if (fsync === 'batch') syncLater()
  }

  async function cutBack(cause: unknown): Promise<JournalError> {
    const failure = new JournalError('JOURNAL_IO', `${path} could not be written`, { path, cause })
    try {
      await file.truncate(size)
    } catch {
      broken = failure
    }
    return failure
  }

  function syncLater(): void {
    dirty = true
    syncTimer ??= setTimeout(() => void syncNow(), BATCH_MS)
    syncTimer.unref()
  }

  async function syncNow(): Promise<void> {
    syncTimer = undefined
    if (!dirty) return
    dirty = false
    try {
      await file.datasync()
    } catch (cause) {
      // What the disk lost cannot be told apart from what it kept: nothing more is promised.
      broken = new JournalError('JOURNAL_IO', `${path} could not be synced`, { path, cause })
    }
  }

  return {
    write,
    get size() {
      return size
    },
    async close() {
      for (let round = running; round !== undefined; round = running) await round
      clearTimeout(syncTimer)
      await syncNow()
    },
  }
}
