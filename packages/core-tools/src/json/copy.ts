/**
 * Snapshots: a value of the outside world becomes JSON of our own, frozen through and through, or a list of what is not JSON (P-11, P-12).
 * Each property is read once, so an accessor cannot show one value to a check and another to a body. This runs twice in every call:
 * paths are linked frames that become text only when there is something to report, and each container has one try for all its properties.
 */
import type { JsonIssue, JsonObject, JsonValue } from '../contracts/json.ts'
import { pointer } from './pointer.ts'

export type Snapshot = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly issues: JsonIssue[] }

/** Containers inside each other; a value that is nested deeper is not JSON here. */
export const MAX_DEPTH = 512

// What is wrong is listed, not counted out: a cyclic graph or a huge array of functions would otherwise never end.
const MAX_ISSUES = 64

/** A container on the way from the root to the value at hand; `key` is the property being read, undefined before the first. */
interface Frame {
  readonly above: Frame | undefined
  readonly container: object
  readonly depth: number
  key: string | number | undefined
}

interface Walk {
  issues: JsonIssue[] | undefined
  readonly ignoreSymbols: boolean
}

/**
 * Never throws. The value shares nothing with `value` and is deep frozen. `ignoreSymbols` leaves out properties with a symbol as key
 * instead of refusing them; schema libraries mark their objects so.
 */
export function snapshotJson(value: unknown, options?: { ignoreSymbols?: boolean }): Snapshot {
  const walk: Walk = { issues: undefined, ignoreSymbols: options?.ignoreSymbols === true }
  const copy = copyValue(value, undefined, walk)
  if (walk.issues === undefined && copy !== undefined) return { ok: true, value: copy }
  return { ok: false, issues: walk.issues ?? [] }
}

/** The copy; undefined if an issue was reported. */
function copyValue(value: unknown, at: Frame | undefined, walk: Walk): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      // Adding 0 turns -0 into 0, as JSON has only one zero.
      return Number.isFinite(value) ? value + 0 : report(walk, at, `${value} is not a JSON number`)
    case 'object':
      return value === null ? null : copyContainer(value, at, walk)
    case 'undefined':
      return report(walk, at, 'undefined is not JSON')
    default:
      return report(walk, at, `a ${typeof value} is not JSON`)
  }
}

function copyContainer(container: object, at: Frame | undefined, walk: Walk): JsonValue | undefined {
  const depth = at === undefined ? 1 : at.depth + 1
  if (depth > MAX_DEPTH) return report(walk, at, `nested deeper than ${MAX_DEPTH} levels`)
  for (let outer = at; outer !== undefined; outer = outer.above) {
    if (outer.container === container) return report(walk, at, 'refers back to a value that contains it')
  }
  const frame: Frame = { above: at, container, depth, key: undefined }
  try {
    return Array.isArray(container) ? copyArray(container, frame, walk) : copyObject(container, frame, walk)
  } catch (thrown) {
    return report(walk, frame, `cannot be read: ${thrownText(thrown)}`)
  }
}

function copyObject(object: object, frame: Frame, walk: Walk): JsonValue | undefined {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null && !isForeignRoot(prototype, 'isPrototypeOf')) {
    return report(walk, frame, `${instanceName(prototype)} is not JSON`)
  }
  if (hasSymbols(object, walk)) return report(walk, frame, 'has a symbol as key')
  const source = object as { readonly [key: string]: unknown }
  const copy: JsonObject = {}
  for (const key of Object.keys(object)) {
    frame.key = key
    const property = source[key]
    if (property === undefined) continue
    const value = typeof property === 'string' ? property : copyValue(property, frame, walk)
    if (value !== undefined) setOwn(copy, key, value)
    else if (isFull(walk)) return undefined
  }
  return Object.freeze(copy)
}

function copyArray(array: readonly unknown[], frame: Frame, walk: Walk): JsonValue | undefined {
  const prototype: unknown = Object.getPrototypeOf(array)
  if (prototype !== Array.prototype && !isForeignArrayRoot(prototype)) return report(walk, frame, `${instanceName(prototype)} is not JSON`)
  if (hasSymbols(array, walk)) return report(walk, frame, 'has a symbol as key')
  const keys = Object.keys(array)
  const { length } = array
  // Own index keys come first and in order, so a dense array is told by their number and the last of them.
  if (keys.length !== length || (length > 0 && keys[length - 1] !== String(length - 1))) return reportGap(walk, frame, { keys, length })
  const copy: JsonValue[] = []
  for (let index = 0; index < length; index++) {
    frame.key = index
    const value = copyValue(array[index], frame, walk)
    if (value !== undefined) copy.push(value)
    else if (isFull(walk)) return undefined
  }
  return Object.freeze(copy) as JsonValue[]
}

function hasSymbols(container: object, walk: Walk): boolean {
  return !walk.ignoreSymbols && Object.getOwnPropertySymbols(container).length > 0
}

/** Assignment would set the prototype where the key is `__proto__`; here it is a key like any other. */
export function setOwn(target: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

/** `Object.prototype` of another realm: nothing above it, and it owns what only that object owns. */
function isForeignRoot(prototype: unknown, mark: string): boolean {
  return typeof prototype === 'object' && prototype !== null && Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, mark)
}

/** `Array.prototype` of another realm: itself an array, directly below that realm's `Object.prototype`. */
function isForeignArrayRoot(prototype: unknown): boolean {
  return (
    Array.isArray(prototype) && Object.hasOwn(prototype, 'copyWithin') && isForeignRoot(Object.getPrototypeOf(prototype), 'isPrototypeOf')
  )
}

function isFull(walk: Walk): boolean {
  return walk.issues !== undefined && walk.issues.length >= MAX_ISSUES
}

function reportGap(walk: Walk, frame: Frame, { keys, length }: { keys: readonly string[]; length: number }): undefined {
  const gap = keys.findIndex((key, index) => key !== String(index))
  const place = gap === -1 ? keys.length : gap
  if (place < length) {
    frame.key = place
    return report(walk, frame, 'is a hole in an array')
  }
  frame.key = keys[length]
  return report(walk, frame, 'is a named property of an array')
}

function report(walk: Walk, at: Frame | undefined, message: string): undefined {
  walk.issues ??= []
  if (walk.issues.length < MAX_ISSUES) walk.issues.push({ path: pathOf(at), message })
}

function pathOf(at: Frame | undefined): string {
  const path: (string | number)[] = []
  for (let frame = at; frame !== undefined; frame = frame.above) {
    if (frame.key !== undefined) path.unshift(frame.key)
  }
  return pointer(path)
}

function instanceName(prototype: unknown): string {
  const owner: unknown = (prototype as { readonly constructor?: unknown } | null)?.constructor
  const name: unknown = typeof owner === 'function' ? owner.name : undefined
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object with a prototype of its own'
}

function thrownText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'something was thrown that cannot be shown'
  }
}
