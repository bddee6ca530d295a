/**
 * A snapshot of an entry: JSON of our own that shares nothing with the caller, or the place where it is none. Each property is read once.
 */
import type { JsonValue } from '@toolseam/core-tools'
import { JournalError } from '../definition/errors.ts'

const MAX_DEPTH = 512

/** Throws `JOURNAL_NOT_JSON` with a JSON Pointer. Properties that are undefined are left out, as in JSON text. */
export function jsonOf(value: unknown): JsonValue {
  return copy(value, [])
}

function copy(value: unknown, path: (string | number)[]): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : refuse(path, `${value} is no JSON number`)
  if (typeof value !== 'object') return refuse(path, `a ${typeof value} is no JSON`)
  if (path.length > MAX_DEPTH) return refuse(path, 'it is nested too deep, or refers to itself')
  if (Array.isArray(value)) return Array.from(value, (item, index) => copy(item, [...path, index]))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return refuse(path, 'an instance of a class is no JSON')
  const pairs = Object.entries(value).filter(([, property]) => property !== undefined)
  // `fromEntries` defines, so that `__proto__` is a key like any other.
  return Object.fromEntries(pairs.map(([key, property]) => [key, copy(property, [...path, key])]))
}

function refuse(path: readonly (string | number)[], why: string): never {
  const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  throw new JournalError(
    'JOURNAL_NOT_JSON',
    `the entry cannot be recorded: ${why}${pointer === '' ? '' : ` at ${pointer.slice(0, 200)}`}`,
    {
      pointer,
    },
  )
}
