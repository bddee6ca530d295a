/**
 * Which documents need not be compiled to know that they can be: well-formed ones made of plain keywords alone. Their validator
 * is made when first asked for; compiling is most of what starting a program with thirty tools costs.
 */
import type { JsonObject, JsonValue } from '../contracts/json.ts'
import { tolerantRegExp } from './dialect.ts'

/** Deeper ones are compiled at once: how deep a compiler can go is for it to say. */
const MAX_DEFERRED_DEPTH = 32

type Inside = 'schema' | 'schemas' | 'map' | 'data'

/** Every keyword that holds no reference and that compiling never refuses once the meta-schema has passed it, and what it holds. */
const PLAIN: ReadonlyMap<string, Inside> = new Map<string, Inside>([
  ...list('data', 'type', 'required', 'const', 'title', 'description', 'default', 'examples', '$comment', 'format', 'deprecated'),
  ...list('data', 'readOnly', 'writeOnly', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'),
  ...list('data', 'minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', '$schema'),
  ...list('schema', 'additionalProperties', 'not'),
  ...list('schemas', 'prefixItems', 'anyOf', 'oneOf', 'allOf'),
  ...list('map', 'properties'),
])

function list(inside: Inside, ...keywords: string[]): [string, Inside][] {
  return keywords.map((keyword) => [keyword, inside])
}

/** For a document that its meta-schema has passed. */
export function isDeferrable(schema: JsonValue, depth = 0): boolean {
  if (typeof schema === 'boolean') return true
  if (depth > MAX_DEFERRED_DEPTH || !isObject(schema)) return false
  return Object.entries(schema).every(([keyword, value]) => isPlain(keyword, value, depth))
}

function isPlain(keyword: string, value: JsonValue, depth: number): boolean {
  if (keyword === 'enum') return Array.isArray(value) && value.length > 0
  if (keyword === 'pattern') return typeof value === 'string' && compiles(value)
  // One schema in 2020-12; draft-07 also takes a list.
  if (keyword === 'items') return !Array.isArray(value) && isDeferrable(value, depth + 1)
  switch (PLAIN.get(keyword)) {
    case 'data':
      return true
    case 'schema':
      return isDeferrable(value, depth + 1)
    case 'schemas':
      return Array.isArray(value) && value.every((each) => isDeferrable(each, depth + 1))
    case 'map':
      return isObject(value) && Object.values(value).every((each) => isDeferrable(each, depth + 1))
    default:
      return false
  }
}

function compiles(pattern: string): boolean {
  try {
    tolerantRegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
