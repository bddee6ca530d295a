/**
 * Masking before anything is written: what a call view names `sensitive` never reaches the log, nor does the same text anywhere else, such as
 * in an output that repeats it.
 */
import type { CallView, JsonValue } from '@toolseam/core-tools'

export const MASK = '[redacted]'

/** Shorter texts are too common to be masked wherever they stand. */
const SHORTEST = 4
/** Secrets that are remembered, newest first. */
const REMEMBERED = 1000

export interface Redaction {
  /** The arguments with the sensitive places masked; their texts are masked in everything from now on. */
  maskArguments(value: JsonValue, view: Pick<CallView, 'sensitive' | 'incomplete'>): JsonValue
  /** Any entry, with every known secret masked. */
  mask(value: JsonValue): JsonValue
}

export function createRedaction(): Redaction {
  const secrets = new Set<string>()

  function remember(value: JsonValue): void {
    if (typeof value === 'string' && value.length >= SHORTEST) {
      secrets.delete(value)
      secrets.add(value)
      const [oldest] = secrets
      if (secrets.size > REMEMBERED && oldest !== undefined) secrets.delete(oldest)
    } else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) remember(inner)
  }

  function mask(value: JsonValue): JsonValue {
    if (secrets.size === 0) return value
    return mapTexts(value, (text) => {
      let masked = text
      for (const secret of secrets) if (masked.includes(secret)) masked = masked.replaceAll(secret, MASK)
      return masked
    })
  }

  return {
    mask,
    maskArguments(value, { sensitive = [], incomplete }) {
      // A view that failed does not know what is sensitive: nothing of it is written.
      if (incomplete === true) return value === null ? null : MASK
      let masked = value
      for (const pointer of sensitive) masked = maskAt(masked, stepsOf(pointer), remember)
      return masked
    },
  }
}

function stepsOf(pointer: string): string[] {
  if (pointer === '') return []
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function maskAt(value: JsonValue, [step, ...rest]: readonly string[], remember: (found: JsonValue) => void): JsonValue {
  if (step === undefined) {
    remember(value)
    return MASK
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === step ? maskAt(item, rest, remember) : item))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, key === step ? maskAt(inner, rest, remember) : inner]))
}

function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]))
}
