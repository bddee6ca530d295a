/**
 * The writer on a disk that fails when told.
 */
import { expect, test } from 'vitest'
import { createWriter, type LogFile } from './writer.ts'

/** A file in memory that writes at most `most` bytes at once and fails in the calls it is told to. */
class FlakyDisk implements LogFile {
  bytes = Buffer.alloc(0)
  syncs = 0
  failWriteAfter: number | undefined
  failTruncate = false
  failSync = false

  async write(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesWritten: number }> {
    if (this.failWriteAfter === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
    const bytesWritten = Math.min(length, this.failWriteAfter ?? 100)
    if (this.failWriteAfter !== undefined) this.failWriteAfter = 0
    this.bytes = Buffer.concat([this.bytes.subarray(0, position), buffer.subarray(offset, offset + bytesWritten)])
    return { bytesWritten }
  }

  async truncate(size: number): Promise<void> {
    if (this.failTruncate) throw new Error('no truncate')
    this.bytes = this.bytes.subarray(0, size)
  }

  async datasync(): Promise<void> {
    if (this.failSync) throw new Error('no sync')
    this.syncs += 1
  }
}

function writerOn(disk: FlakyDisk, fsync: 'append' | 'batch' | 'never' = 'append'): ReturnType<typeof createWriter> {
  return createWriter(disk, { path: 'log', size: 0, last: 0, fsync, onWritten() {} })
}

const lines = (disk: FlakyDisk): string[] => disk.bytes.toString('utf8').split('\n').slice(0, -1)

test('E-47: after a write that failed in the middle the file ends with its last whole record, and the number is given again', async () => {
  const disk = new FlakyDisk()
  const writer = writerOn(disk)
  await writer.write(['one'], 0)
  disk.failWriteAfter = 7
  await expect(writer.write(['two'], 0)).rejects.toMatchObject({ code: 'JOURNAL_IO', cause: { code: 'ENOSPC' } })
  expect(lines(disk)).toHaveLength(1)
  expect(disk.bytes.at(-1)).toBe(0x0a)
  disk.failWriteAfter = undefined
  expect(await writer.write(['two again'], 0)).toEqual({ first: 2, last: 2 })
  expect(lines(disk).map((line) => (JSON.parse(line) as { data: string }).data)).toEqual(['one', 'two again'])
})

test('E-47: a file that cannot be cut back takes nothing more', async () => {
  const disk = new FlakyDisk()
  const writer = writerOn(disk)
  disk.failWriteAfter = 3
  disk.failTruncate = true
  await expect(writer.write(['one'], 0)).rejects.toMatchObject({ code: 'JOURNAL_IO' })
  disk.failWriteAfter = undefined
  await expect(writer.write(['two'], 0)).rejects.toMatchObject({ code: 'JOURNAL_IO' })
})

test('E-47: with append a write is acknowledged after its sync, neighbours share one', async () => {
  const disk = new FlakyDisk()
  const writer = writerOn(disk)
  await Promise.all([writer.write(['a'], 0), writer.write(['b'], 0), writer.write(['c'], 0)])
  expect(disk.syncs).toBe(1)
  disk.failSync = true
  await expect(writer.write(['d'], 0)).rejects.toMatchObject({ code: 'JOURNAL_IO' })
  expect(lines(disk)).toHaveLength(3)
})

test('E-47: with batch what was written is synced by close at the latest; with never it is not', async () => {
  const batch = new FlakyDisk()
  const writer = writerOn(batch, 'batch')
  await writer.write(['a'], 0)
  expect(batch.syncs).toBe(0)
  await writer.close()
  expect(batch.syncs).toBe(1)
  const never = new FlakyDisk()
  const careless = writerOn(never, 'never')
  await careless.write(['a'], 0)
  await careless.close()
  expect(never.syncs).toBe(0)
})
