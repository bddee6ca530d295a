/**
 * The copy of a definition: each field is read once, whatever the object is made of.
 */
import { refuse } from './refusal.ts'

const FIELDS = [
  'name',
  'description',
  'title',
  'input',
  'output',
  'annotations',
  'concurrency',
  'timeoutMs',
  'requires',
  'execute',
  'render',
  'meta',
  'describeCall',
  'source',
  'finalizeContent',
] as const

/** The fields of the contract, not yet checked. */
export type RawDefinition = { [field in (typeof FIELDS)[number]]?: unknown }

/**
 * Methods of a plain object find the copy as `this`, so that a later change of the object reaches nothing. An instance of a class may hold
 * private state that no copy can have: its methods stay bound to it.
 */
export function copyDefinition(definition: unknown): RawDefinition {
  if (typeof definition !== 'object' || definition === null) throw refuse('tool', 'a definition must be an object')
  const isPlain = hasPlainPrototype(definition)
  const copy: RawDefinition = {}
  const fields = new Set<string>(isPlain ? [...FIELDS, ...Object.keys(definition)] : FIELDS)
  for (const field of fields) {
    const value = readField(definition, field)
    if (value === undefined) continue
    const kept: unknown = !isPlain && typeof value === 'function' && METHODS.has(field) ? value.bind(definition) : value
    Object.defineProperty(copy, field, { value: kept, enumerable: true, configurable: true, writable: true })
  }
  return copy
}

/** Schemas may be functions as well; those are not methods. */
const METHODS: ReadonlySet<string> = new Set(['execute', 'render', 'meta', 'describeCall', 'finalizeContent', 'concurrency'])

function hasPlainPrototype(definition: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(definition)
    return prototype === Object.prototype || prototype === null
  } catch (thrown) {
    throw refuse('tool', 'the definition cannot be read', { cause: thrown })
  }
}

function readField(definition: object, field: string): unknown {
  try {
    return Reflect.get(definition, field)
  } catch (thrown) {
    throw refuse('tool', `${field} cannot be read`, { field, cause: thrown })
  }
}
