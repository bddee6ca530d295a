/**
 * Canonical JSON (RFC 8785): the one text that hashes and authentication codes are taken of. What has no such form is refused, never
 * normalised: `undefined`, functions, symbols, bigints, non-finite numbers, lone surrogates (in keys too), holes, cycles, class
 * instances.
 */
import canonicalize from 'canonicalize'
import { ApprovalError } from '../definition/errors.ts'

/** Deeper values are refused before the recursion could end the process. */
const MAX_DEPTH = 1000

/** With the `u` flag a surrogate that is half of a pair does not match. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** The canonical text. Throws `APPROVAL_NOT_CANONICAL` with the path of what is in the way. */
export function canonicalJson(value: unknown): string {
  requireJson(value, '', new Set(), 0)
  const text = canonicalize(value)
  if (text === undefined) throw refused('', 'nothing to write')
  return text
}

function requireJson(value: unknown, path: string, above: Set<object>, depth: number): void {
  if (value === null || typeof value === 'boolean') return
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw refused(path, 'a lone surrogate')
    return
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refused(path, 'a number that is not finite')
    return
  }
  if (typeof value !== 'object') throw refused(path, `a value of type ${typeof value}`)
  if (depth >= MAX_DEPTH) throw refused(path, `more than ${MAX_DEPTH} levels`)
  if (above.has(value)) throw refused(path, 'a cycle')
  above.add(value)
  if (Array.isArray(value)) requireItems(value, path, above, depth)
  else requireMembers(value, path, above, depth)
  above.delete(value)
}

function requireItems(items: readonly unknown[], path: string, above: Set<object>, depth: number): void {
  // A hole reads as undefined and is refused as such.
  for (let index = 0; index < items.length; index++) requireJson(items[index], `${path}/${index}`, above, depth + 1)
}

function requireMembers(value: object, path: string, above: Set<object>, depth: number): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  // A plain object of any realm: its prototype is null or has none itself.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw refused(path, 'an instance of a class')
  if (Object.getOwnPropertySymbols(value).length > 0) throw refused(path, 'a symbol as key')
  for (const [key, member] of Object.entries(value)) {
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (LONE_SURROGATE.test(key)) throw refused(at, 'a lone surrogate in a key')
    requireJson(member, at, above, depth + 1)
  }
}

function refused(path: string, what: string): ApprovalError {
  return new ApprovalError('APPROVAL_NOT_CANONICAL', { path: path.replace(/\p{Surrogate}/gu, '\uFFFD'), what })
}
