/**
 * Reading what a tap returned: each field once, of the right type, or the word of what is wrong.
 */
import { ignoreAnswer, isThenable } from '../hooks/thenable.ts'

/** Thrown inside the readers of decisions; `message` finishes the sentence "tap X of Y ...". */
export class Malformed extends Error {}

export function readObject(raw: unknown, expected: string): Record<string, unknown> {
  if (raw === undefined) throw new Malformed(`returned undefined; it must return a decision (${expected})`)
  if (isThenable(raw)) {
    ignoreAnswer(raw)
    throw new Malformed('returned a promise; use tapPromise for asynchronous taps')
  }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new Malformed(`did not return a decision object (${expected})`)
  return raw as Record<string, unknown>
}

export function optionalString(value: unknown, field: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw new Malformed(`returned a decision whose "${field}" is not a string`)
  return value
}

/** Runs a reader; a getter or proxy that throws is as malformed as a wrong type. */
export function readGuarded<T>(read: () => T): { ok: true; value: T } | { ok: false; message: string } {
  try {
    return { ok: true, value: read() }
  } catch (error) {
    return { ok: false, message: error instanceof Malformed ? error.message : 'returned a decision that could not be read' }
  }
}
