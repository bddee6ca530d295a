/**
 * A JSON Schema as ajv is to read it: ajv gives a meaning to a few words that are none of the dialect's, and overlooks one name.
 * Keywords that hold schemas are known; what stands under any other keyword is data and is left alone.
 */
import type { JsonObject, JsonValue } from '../contracts/json.ts'
import { setOwn } from '../json/copy.ts'
import { dialectOf, type Dialect } from './dialect.ts'

const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])
const SINGLES: ReadonlySet<string> = new Set([
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
])
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])

// ajv: `nullable` widens the type, `id` is an error, `$async` makes the validator asynchronous. In JSON Schema all three are unknown words.
const AJV_WORDS: ReadonlySet<string> = new Set(['nullable', 'id', '$async', '$schema'])

const PROTO = '__proto__'
const PROTO_PATTERN = '^__proto__$'

/** Throws if a part of the schema is written in another dialect. */
export function normaliseSchema(schema: JsonObject, dialect: Dialect): JsonObject {
  if (schema['$schema'] !== undefined && dialectOf(schema['$schema']) !== dialect) throw new Error('mixes dialects of JSON Schema')
  const copy: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (!AJV_WORDS.has(keyword)) setOwn(copy, keyword, normaliseKeyword(keyword, value, dialect))
  }
  return withProtoProperty(copy)
}

function normalisePart(part: JsonValue, dialect: Dialect): JsonValue {
  return isObject(part) ? normaliseSchema(part, dialect) : part
}

function normaliseKeyword(keyword: string, value: JsonValue, dialect: Dialect): JsonValue {
  if (MAPS.has(keyword) && isObject(value)) {
    const copy: JsonObject = {}
    for (const [name, part] of Object.entries(value)) setOwn(copy, name, normalisePart(part, dialect))
    return copy
  }
  if (LISTS.has(keyword) && Array.isArray(value)) return value.map((part) => normalisePart(part, dialect))
  if (SINGLES.has(keyword)) return normalisePart(value, dialect)
  return value
}

/** ajv does not see a property schema named `__proto__`; as a pattern it does. */
function withProtoProperty(schema: JsonObject): JsonObject {
  const { properties, patternProperties } = schema
  if (!isObject(properties) || !Object.hasOwn(properties, PROTO)) return schema
  const own = properties[PROTO]
  const others = isObject(patternProperties) ? patternProperties : {}
  const there = others[PROTO_PATTERN]
  const both: JsonValue[] = [own, there].filter((part) => part !== undefined)
  return { ...schema, patternProperties: { ...others, [PROTO_PATTERN]: { allOf: both } } }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
