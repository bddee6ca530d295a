/**
 * One record a line: `{ v, seq, at, data, sum }`, where `sum` is the CRC-32 (ISO 3309, as in zlib) of the record without it, as eight hex
 * digits. It tells a torn or damaged line from a whole one; it is no protection against forgery.
 */
import { crc32 } from 'node:zlib'
import type { JsonValue } from '@toolseam/core-tools'
import type { JournalEntry } from '../../definition/journal.ts'

export const RECORD_VERSION = 1

const SUM = /,"sum":"([0-9a-f]{8})"\}$/

export type ParsedLine =
  | { readonly kind: 'entry'; readonly entry: JournalEntry }
  | { readonly kind: 'damaged' }
  /** Whole, and of a version that is not known here. */
  | { readonly kind: 'version'; readonly version: unknown }

export function renderRecord({ seq, at, data }: JournalEntry): string {
  const body = JSON.stringify({ v: RECORD_VERSION, seq, at, data })
  return `${body.slice(0, -1)},"sum":"${sumOf(body)}"}\n`
}

function sumOf(body: string): string {
  return crc32(body).toString(16).padStart(8, '0')
}

/** `isFirst`: no record before it says which version this file is of. */
export function parseRecord(line: string, isFirst: boolean): ParsedLine {
  const parsed = parseObject(line)
  if (parsed === undefined) return { kind: 'damaged' }
  const { v, seq, at, data } = parsed
  const isWhole = isSumRight(line)
  if (v !== RECORD_VERSION) return isWhole || isFirst ? { kind: 'version', version: v } : { kind: 'damaged' }
  if (!isWhole || typeof seq !== 'number' || typeof at !== 'number' || data === undefined) return { kind: 'damaged' }
  return { kind: 'entry', entry: { seq, at, data } }
}

function isSumRight(line: string): boolean {
  const sum = SUM.exec(line)
  return sum !== null && sum[1] === sumOf(`${line.slice(0, sum.index)}}`)
}

function parseObject(line: string): { [key: string]: JsonValue } | undefined {
  try {
    const parsed = JSON.parse(line) as JsonValue
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
