/**
 * Equality of JSON values as values: order of keys does not matter, order of elements does.
 */
import type { JsonValue } from '../contracts/json.ts'

/** True if both are the same JSON. Looks at own properties only, so `__proto__` and `constructor` are ordinary keys. */
export function jsonEquals(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left)) return Array.isArray(right) && sameElements(left, right)
  return !Array.isArray(right) && sameProperties(left, right)
}

function sameElements(left: JsonValue[], right: JsonValue[]): boolean {
  if (left.length !== right.length) return false
  return left.every((element, index) => {
    const other = right[index]
    return other !== undefined && jsonEquals(element, other)
  })
}

function sameProperties(left: { [key: string]: JsonValue }, right: { [key: string]: JsonValue }): boolean {
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => {
    if (!Object.hasOwn(right, key)) return false
    const mine = left[key]
    const other = right[key]
    return mine !== undefined && other !== undefined && jsonEquals(mine, other)
  })
}
