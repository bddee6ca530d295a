/**
 * TypeScript types from JSON Schema (C-19). What a type cannot say becomes `unknown` or is left out: the pipeline validates, this informs.
 */
import type { JsonSchema } from '@toolseam/core-tools'
import type { Aliases } from './aliases.ts'
import { renderDoc, renderKey, renderLiteral } from './render-words.ts'

/** Where in a schema the printer is. */
export interface TypePlace {
  readonly root: JsonSchema
  /** Begins the names of this schema's aliases. */
  readonly prefix: string
  readonly aliases: Aliases
  /** The alias whose body is printed, as long as nothing stands around the type. */
  readonly bareIn?: string | undefined
  readonly depth: number
}

// Nobody reads a type that is nested deeper, and the stack of the host is not endless.
const MAX_DEPTH = 40
const PRIMITIVES: { readonly [type: string]: string } = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

export function renderType(schema: unknown, place: TypePlace): string {
  if (schema === false) return 'never'
  if (!isSchema(schema) || place.depth > MAX_DEPTH) return 'unknown'
  const parts = partsOf(schema, place)
  return parts.length === 0 ? 'unknown' : join(parts, ' & ')
}

/** All that a schema says at once: each keyword narrows. */
function partsOf(schema: JsonSchema, place: TypePlace): string[] {
  const parts: string[] = []
  if (typeof schema['$ref'] === 'string') parts.push(renderRef(schema['$ref'], place))
  if ('const' in schema) parts.push(renderLiteral(schema['const']))
  else if (Array.isArray(schema['enum'])) parts.push(union(schema['enum'].map(renderLiteral)))
  else {
    const own = renderOwnType(schema, place)
    if (own !== undefined) parts.push(own)
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const options = schema[keyword]
    if (Array.isArray(options) && options.length > 0) parts.push(union(options.map((option) => renderType(option, deeper(place)))))
  }
  if (Array.isArray(schema['allOf'])) parts.push(...schema['allOf'].map((part) => renderType(part, deeper(place))))
  return [...new Set(parts)].filter((part) => part !== 'unknown')
}

function renderOwnType(schema: JsonSchema, place: TypePlace): string | undefined {
  const { type } = schema
  if (Array.isArray(type)) return union(type.map((each) => renderNamed(each, schema, place)))
  if (typeof type === 'string') return renderNamed(type, schema, place)
  if (isSchema(schema['properties'])) return renderObject(schema, place)
  if (Array.isArray(schema['prefixItems']) || schema['items'] !== undefined) return renderArray(schema, place)
  return undefined
}

function renderNamed(type: unknown, schema: JsonSchema, place: TypePlace): string {
  if (type === 'object') return renderObject(schema, place)
  if (type === 'array') return renderArray(schema, place)
  return typeof type === 'string' && Object.hasOwn(PRIMITIVES, type) ? (PRIMITIVES[type] ?? 'unknown') : 'unknown'
}

function renderObject(schema: JsonSchema, place: TypePlace): string {
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : []
  const additional = schema['additionalProperties']
  const inside = within(place)
  if (properties.length === 0) {
    if (additional === false && schema['patternProperties'] === undefined) return '{ [key: string]: never }'
    return `{ [key: string]: ${isSchema(additional) ? renderType(additional, inside) : 'unknown'} }`
  }
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const members = properties.map(([name, property]) => {
    const doc = isSchema(property) ? renderDoc(property['description']) : ''
    return `${doc}${renderKey(name)}${required.has(name) ? '' : '?'}: ${renderType(property, inside)}`
  })
  // An index signature must take in the known properties too, whatever their type.
  if (additional === true || isSchema(additional)) members.push('[key: string]: unknown')
  return `{ ${members.join('; ')} }`
}

function renderArray(schema: JsonSchema, place: TypePlace): string {
  const inside = within(place)
  const first = schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : undefined)
  const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items']
  if (!Array.isArray(first)) return `${group(renderType(rest ?? true, inside))}[]`
  const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0
  const members = first.map((item, index) => `${group(renderType(item, inside))}${index < least ? '' : '?'}`)
  // TypeScript opens what is spread at once: to it, this place is as bare as the tuple's own.
  if (rest !== false) members.push(`...${group(renderType(rest ?? true, deeper(place)))}[]`)
  return `[${members.join(', ')}]`
}

function renderRef(ref: string, place: TypePlace): string {
  const target = resolvePointer(place.root, ref)
  if (target === undefined) return 'unknown'
  const last = ref.split('/').at(-1)?.replaceAll(/\W/g, '_') ?? ''
  const { name, fresh } = place.aliases.claim(
    `${place.prefix} ${ref}`,
    `${place.prefix}${last === '' || last === '_' ? 'Root' : `_${last}`}`,
  )
  const bare = place.bareIn
  if (!place.aliases.referBare(bare, name)) return 'unknown'
  if (fresh) place.aliases.define(name, renderType(target, { ...place, bareIn: name, depth: place.depth + 1 }))
  return name
}

/** Local references only; a pointer into nothing is undefined. */
function resolvePointer(root: JsonSchema, ref: string): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of ref.split('/').slice(1)) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = Object.getOwnPropertyDescriptor(at, key)?.value
  }
  return at
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

function deeper(place: TypePlace): TypePlace {
  return { ...place, depth: place.depth + 1 }
}

function within(place: TypePlace): TypePlace {
  return { ...place, depth: place.depth + 1, bareIn: undefined }
}

function union(options: readonly string[]): string {
  const distinct = [...new Set(options)]
  if (distinct.includes('unknown')) return 'unknown'
  const rest = distinct.filter((option) => option !== 'never')
  return rest.length === 0 ? 'never' : join(rest, ' | ')
}

function join(parts: readonly string[], separator: ' | ' | ' & '): string {
  return parts.length === 1 ? (parts[0] ?? 'unknown') : `(${parts.join(separator)})`
}

function group(type: string): string {
  return /^[\w$]+$/.test(type) || /^[{([]/.test(type) ? type : `(${type})`
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
