/**
 * The journal on disk, below `.toolseam/undo/`: segments of this process are written here, those of every process are read.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { BeginRecord, JournalRecord } from '../../journal/records.ts'
import { encodeRecord, parseSegment, payloadBytes, splitPayload, type PlacedRecord } from './segment-format.ts'
import { createSegmentWriter } from './segment-writer.ts'
import type { JournalStore, Payload } from './store.ts'

interface KnownSegment {
  records: PlacedRecord[]
  /** Read up to here. */
  end: number
}

/** `folder`: absolute path of `.toolseam/undo`. Made with the first record. */
export function createSegmentStore(folder: string): JournalStore {
  const writer = createSegmentWriter(folder)
  const known = new Map<string, KnownSegment>()
  let count = 0
  const refresh = async (): Promise<void> => {
    const names = await segmentNames(folder)
    for (const name of known.keys()) if (!names.includes(name)) known.delete(name)
    for (const name of names) readFurther(folder, name, known)
  }
  return {
    newId: () => `${writer.owner}.${String((count += 1)).padStart(6, '0')}`,
    append: async (record, { durable, payload }) => {
      await writer.append(encodeRecord(record, payload), { durable })
    },
    async load() {
      await refresh()
      return [...known.values()].flatMap(({ records }): JournalRecord[] => records.map(({ record }) => record))
    },
    async payload(id) {
      await refresh()
      for (const [name, { records }] of known) {
        const placed = records.find(({ record }) => record.type === 'begin' && record.id === id)
        if (placed?.record.type === 'begin') return readPayload(join(folder, name), { record: placed.record, at: placed.payloadAt })
      }
      return undefined
    },
    async size() {
      const sizes = await Promise.all(
        (await segmentNames(folder)).map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0),
      )
      return sizes.reduce((sum, size) => sum + size, 0)
    },
    async sweep(live) {
      await refresh()
      for (const [name, segment] of known) {
        if (name === writer.current || belongsToOther(name, writer.owner) || isNeeded(segment, known, live)) continue
        await unlink(join(folder, name)).catch(() => undefined)
        known.delete(name)
      }
    },
    inFlight: (id) => ownerOf(id) === writer.owner || isAlive(ownerOf(id)),
    close: () => writer.close(),
  }
}

async function segmentNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^[0-9a-z]+-\d+-[0-9a-f]+\.\d+\.log$/.test(name)).toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function readFurther(folder: string, name: string, known: Map<string, KnownSegment>): void {
  const before = known.get(name) ?? { records: [], end: 0 }
  let descriptor: number
  try {
    descriptor = openSync(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch {
    // Taken away by its owner meanwhile.
    known.delete(name)
    return
  }
  try {
    const { size } = fstatSync(descriptor)
    if (size === before.end) {
      known.set(name, before)
      return
    }
    const { records, end } = parseSegment((offset, length) => readAt(descriptor, offset, length), { start: before.end, size })
    known.set(name, { records: [...before.records, ...records], end })
  } finally {
    closeSync(descriptor)
  }
}

function readPayload(path: string, { record, at }: { record: BeginRecord; at: number }): Payload | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch {
    return undefined
  }
  try {
    const bytes = readAt(descriptor, at, payloadBytes(record))
    return bytes.length === payloadBytes(record) ? splitPayload(record, bytes) : undefined
  } finally {
    closeSync(descriptor)
  }
}

function readAt(descriptor: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const read = readSync(descriptor, buffer, filled, length - filled, offset + filled)
    if (read === 0) break
    filled += read
  }
  return buffer.subarray(0, filled)
}

/** It holds a live entry, or the end of one that began in another segment, or words that still stand. */
function isNeeded(segment: KnownSegment, known: ReadonlyMap<string, KnownSegment>, live: ReadonlySet<string>): boolean {
  const elsewhere = [...known.values()].filter((other) => other !== segment).flatMap(({ records }) => records.map(({ record }) => record))
  const begun = new Set(elsewhere.map((record) => (record.type === 'begin' ? record.id : '')))
  return segment.records.some(({ record }) => {
    if (record.type === 'begin') return live.has(record.id)
    if (record.type === 'uncovered') return live.has(record.tag)
    if (record.type === 'forget') return elsewhere.some((one) => one.type === 'begin' && one.tag === record.tag && one.time <= record.until)
    return begun.has(record.id)
  })
}

/** Ids and names of segments begin with their owner. */
function ownerOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

/** Segments of a process that lives are its own to take away. */
function belongsToOther(name: string, owner: string): boolean {
  return ownerOf(name) !== owner && isAlive(ownerOf(name))
}

function isAlive(owner: string): boolean {
  const pid = Number(owner.split('-')[1])
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
