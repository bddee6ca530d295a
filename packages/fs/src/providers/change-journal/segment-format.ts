/**
 * One segment of the journal on disk: for each record a line `tsj1 CRC JSON` and, behind it, the bytes it announces. A torn or damaged
 * record ends the readable part: what is behind it was never promised to anyone.
 */
import { crc32 } from 'node:zlib'
import type { BeginRecord, JournalRecord } from '../../journal/records.ts'
import type { Payload } from './store.ts'

const MARK = 'tsj1'

/** Lines are read in pieces of this size; a longer line is not ours. */
const LONGEST_LINE = 64 * 1024

export function encodeRecord(record: JournalRecord, payload: Payload = {}): Buffer {
  const json = JSON.stringify(record)
  const line = Buffer.from(`${MARK} ${checksum(json)} ${json}\n`, 'utf8')
  return Buffer.concat([line, payload.before ?? new Uint8Array(), payload.middle ?? new Uint8Array()])
}

export interface PlacedRecord {
  record: JournalRecord
  /** Offset of its payload. */
  payloadAt: number
}

export interface ParsedSegment {
  records: PlacedRecord[]
  /** Where the readable part ends. */
  end: number
}

/** Reads records from `start`; `read` gives fewer bytes only at the end of the file. */
export function parseSegment(
  read: (offset: number, length: number) => Buffer,
  { start, size }: { start: number; size: number },
): ParsedSegment {
  const records: PlacedRecord[] = []
  let at = start
  while (at < size) {
    const line = lineAt(read, at)
    const record = line === undefined ? undefined : decodeLine(line)
    if (line === undefined || record === undefined) break
    const payloadAt = at + line.length + 1
    const next = payloadAt + (record.type === 'begin' ? payloadBytes(record) : 0)
    if (next > size) break
    records.push({ record, payloadAt })
    at = next
  }
  return { records, end: at }
}

export function payloadBytes({ beforeBytes, delta }: BeginRecord): number {
  return (beforeBytes ?? 0) + (delta?.bytes ?? 0)
}

export function splitPayload({ beforeBytes, delta }: BeginRecord, bytes: Buffer): Payload {
  return {
    ...(beforeBytes === undefined ? {} : { before: bytes.subarray(0, beforeBytes) }),
    ...(delta === undefined ? {} : { middle: bytes.subarray(beforeBytes ?? 0, (beforeBytes ?? 0) + delta.bytes) }),
  }
}

function lineAt(read: (offset: number, length: number) => Buffer, at: number): Buffer | undefined {
  for (const length of [4 * 1024, LONGEST_LINE]) {
    const bytes = read(at, length)
    const end = bytes.indexOf(10)
    if (end !== -1) return bytes.subarray(0, end)
  }
  return undefined
}

function decodeLine(line: Buffer): JournalRecord | undefined {
  const found = /^tsj1 ([0-9a-f]{8}) (\{.*\})$/s.exec(line.toString('utf8'))
  const json = found?.[2]
  if (json === undefined || found?.[1] !== checksum(json)) return undefined
  try {
    return JSON.parse(json) as JournalRecord
  } catch {
    return undefined
  }
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0')
}
