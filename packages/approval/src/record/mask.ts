/**
 * Sensitive arguments: masked wherever a human or a log sees them; the stored record keeps them, since they must run.
 */
import type { CallView, JsonValue } from '@toolseam/core-tools'
import type { ApprovalRecord } from '../definition/record.ts'

export const MASK = '[masked]'

/** Shorter values would mask half of every text that mentions them. */
const SHORTEST_SCRUBBED = 3

/** The arguments with every sensitive part replaced by the mask. */
export function maskArguments(args: JsonValue, pointers: readonly string[] | undefined): JsonValue {
  return replaceAt(args, pointers ?? [], () => MASK)
}

/** Edited arguments as they are to run: where the mask still stands at a sensitive place, the value behind it is put back. */
export function unmaskArguments(edited: JsonValue, original: JsonValue, pointers: readonly string[] | undefined): JsonValue {
  return replaceAt(edited, pointers ?? [], (value, pointer) => (value === MASK ? (valueAt(original, pointer) ?? value) : value))
}

/** The record as shown: arguments, edited arguments, the texts of the view, reasons. */
export function maskRecord(record: ApprovalRecord): ApprovalRecord {
  const pointers = record.view.sensitive
  if (pointers === undefined || pointers.length === 0) return record
  const secrets = [...secretTexts(record.args, pointers), ...secretTexts(record.decision?.edited?.args, pointers)]
  const hide = <T>(value: T): T => scrub(value, secrets)
  const { args, decision, view, reason, trail, ...identity } = record
  const masked: ApprovalRecord = {
    ...identity,
    args: maskArguments(args, pointers),
    view: maskTexts(view, secrets),
    trail: trail.map((entry) => (entry.reason === undefined ? entry : { ...entry, reason: hide(entry.reason) })),
  }
  if (reason !== undefined) masked.reason = hide(reason)
  if (decision === undefined) return masked
  masked.decision = { ...decision }
  if (decision.reason !== undefined) masked.decision.reason = hide(decision.reason)
  if (decision.edited !== undefined) masked.decision.edited = { ...decision.edited, args: maskArguments(decision.edited.args, pointers) }
  return masked
}

/** The view without the values of sensitive arguments in its texts. */
export function maskView(view: CallView, args: JsonValue): CallView {
  if (view.sensitive === undefined || view.sensitive.length === 0) return view
  return maskTexts(view, secretTexts(args, view.sensitive))
}

/** `kind` and `sensitive` are ours, not texts of the call. */
function maskTexts(view: CallView, secrets: readonly string[]): CallView {
  const { kind, sensitive, ...texts } = view
  return { ...scrub(texts, secrets), kind, ...(sensitive === undefined ? {} : { sensitive }) }
}

function replaceAt(args: JsonValue, pointers: readonly string[], by: (value: JsonValue, pointer: string) => JsonValue): JsonValue {
  return pointers.reduce((current, pointer) => replaceOne(current, tokensOf(pointer), (value) => by(value, pointer)), args)
}

function replaceOne(value: JsonValue, tokens: readonly string[], by: (value: JsonValue) => JsonValue): JsonValue {
  const [token, ...rest] = tokens
  if (token === undefined) return by(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === token ? replaceOne(item, rest, by) : item))
  if (!Object.hasOwn(value, token)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, key === token ? replaceOne(member, rest, by) : member]))
}

function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let current: JsonValue | undefined = value
  for (const token of tokensOf(pointer)) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, token)) return undefined
    current = Array.isArray(current) ? current[Number(token)] : current[token]
  }
  return current
}

function tokensOf(pointer: string): string[] {
  if (!pointer.startsWith('/')) return []
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Each secret as it may stand in a text: plain, and as JSON writes it. Longest first, so that no part of one is left over. */
function secretTexts(args: JsonValue | undefined, pointers: readonly string[]): string[] {
  if (args === undefined) return []
  const values = pointers.flatMap((pointer) => leavesOf(valueAt(args, pointer)))
  const texts = values.flatMap((value) =>
    typeof value === 'string' ? [value, JSON.stringify(value).slice(1, -1)] : [JSON.stringify(value)],
  )
  return [...new Set(texts)].filter((text) => text.length >= SHORTEST_SCRUBBED).toSorted((a, b) => b.length - a.length)
}

function leavesOf(value: JsonValue | undefined): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((member: JsonValue) => leavesOf(member)) : []
}

/** The same shape with every string scrubbed. Keys stay. */
function scrub<T>(value: T, secrets: readonly string[]): T {
  return scrubValue(value, secrets) as T
}

function scrubValue(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, MASK), value)
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, scrubValue(member, secrets)]))
}
