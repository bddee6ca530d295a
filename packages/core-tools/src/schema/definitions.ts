/**
 * Definitions that nothing refers to yet: a compiler passes over them, and a mistake in one would stay unseen until someone uses it.
 */
import type { JsonObject, JsonValue } from '../contracts/json.ts'
import { pointer } from '../json/pointer.ts'

/** The same schema with a reference to each definition that has none; undefined where all are used. */
export function withAllDefinitions(schema: JsonObject): JsonObject | undefined {
  const used = new Set<string>()
  collectReferences(schema, used)
  const unused = ['$defs', 'definitions']
    .flatMap((keyword) => referencesInto(schema[keyword], keyword))
    .filter((reference) => !used.has(reference))
  if (unused.length === 0) return undefined
  const others = Array.isArray(schema['allOf']) ? schema['allOf'] : []
  return { ...schema, allOf: [...others, ...unused.map((reference) => ({ $ref: reference }))] }
}

function referencesInto(definitions: JsonValue | undefined, keyword: string): string[] {
  if (typeof definitions !== 'object' || definitions === null || Array.isArray(definitions)) return []
  // A definition with an $id is a document of its own and is reached by that.
  return Object.entries(definitions).flatMap(([name, definition]) =>
    typeof definition === 'object' && definition !== null && '$id' in definition
      ? []
      : [`#${pointer([keyword, encodeURIComponent(name)])}`],
  )
}

function collectReferences(value: JsonValue, used: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    if (key === '$ref' && typeof part === 'string') used.add(part)
    else collectReferences(part, used)
  }
}
