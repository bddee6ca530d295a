/**
 * Reading a call view from outside: JSON, its fields of the right shape, frozen; undefined where it is malformed.
 */
import type { CallKind, CallView } from '../contracts/call-view.ts'
import type { JsonObject, JsonValue } from '../contracts/json.ts'
import { snapshotJson } from '../json/snapshot.ts'

const KINDS: ReadonlySet<JsonValue | undefined> = new Set<CallKind>([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'fetch',
  'other',
])
const VERDICTS: ReadonlySet<JsonValue | undefined> = new Set(['read-only', 'mutating', 'unknown'])

type Check = (value: JsonValue | undefined) => boolean

export function readView(raw: unknown): CallView | undefined {
  const snapshot = snapshotJson(raw)
  if (!snapshot.ok || !isObject(snapshot.value)) return undefined
  return fits(snapshot.value, VIEW) ? (snapshot.value as unknown as CallView) : undefined
}

const isString: Check = (value) => typeof value === 'string'
const isTrue: Check = (value) => value === true
const isBoolean: Check = (value) => typeof value === 'boolean'
const isNumber: Check = (value) => typeof value === 'number'
const isAccess: Check = (value) => value === 'read' || value === 'write'
const isTextOrNull: Check = (value) => value === null || isString(value)

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every((item) => check(item))
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}

function fits(value: JsonObject, shape: Record<string, Check>): boolean {
  return Object.entries(shape).every(([key, check]) => check(Object.hasOwn(value, key) ? value[key] : undefined))
}

function shaped(shape: Record<string, Check>): Check {
  return (value) => isObject(value) && fits(value, shape)
}

const EFFECTS: Check = shaped({
  verdict: (value) => VERDICTS.has(value),
  commands: listOf(
    shaped({
      argv: listOf(isTextOrNull),
      dynamic: isBoolean,
      redirects: listOf(shaped({ operator: isString, target: isTextOrNull, write: isBoolean })),
      wrappedBy: optional(listOf(isString)),
    }),
  ),
  paths: listOf(shaped({ path: isString, access: isAccess, protected: optional(isBoolean) })),
  reasons: listOf(shaped({ code: isString, text: isString, start: isNumber, end: isNumber })),
})

const VIEW: Record<string, Check> = {
  title: isString,
  kind: (value) => KINDS.has(value),
  command: optional(isString),
  cwd: optional(isString),
  paths: optional(listOf(shaped({ path: isString, resolved: optional(isString), access: isAccess, protected: optional(isBoolean) }))),
  effects: optional(EFFECTS),
  domains: optional(listOf(isString)),
  diff: optional(isString),
  sensitive: optional(listOf(isString)),
  incomplete: optional(isTrue),
}
