/**
 * Reading a Standard Schema (standardschema.dev) once: its validator, and the JSON Schema it offers or that stands beside it.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'

const KEY = '~standard'

export interface StandardParts {
  readonly validate: (value: unknown) => StandardSchemaV1.Result<unknown> | Promise<StandardSchemaV1.Result<unknown>>
  readonly jsonSchema: unknown
  readonly schema: object
  /** True where the JSON Schema was brought beside the schema. */
  readonly isPair: boolean
}

/** Undefined if `schema` is not a Standard Schema and so is to be read as a JSON Schema. */
export function readStandard(schema: unknown, direction: 'input' | 'output'): StandardParts | undefined {
  if (!canCarry(schema)) return undefined
  if (KEY in schema) return readParts(schema, { direction })
  if (!('schema' in schema) || !('jsonSchema' in schema)) return undefined
  const { schema: inner, jsonSchema } = schema
  return canCarry(inner) && KEY in inner ? readParts(inner, { direction, jsonSchema }) : undefined
}

/** Some libraries make schemas that are functions. */
function canCarry(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function readParts(schema: object, { direction, jsonSchema }: { direction: 'input' | 'output'; jsonSchema?: unknown }): StandardParts {
  const props: unknown = Reflect.get(schema, KEY)
  if (!canCarry(props)) throw new Error('is no Standard Schema: "~standard" is not an object')
  const version: unknown = Reflect.get(props, 'version')
  if (version !== 1) throw new Error(`is a Standard Schema of version ${String(version)}; version 1 is known`)
  const validate: unknown = Reflect.get(props, 'validate')
  if (typeof validate !== 'function') throw new Error('is no Standard Schema: "~standard.validate" is not a function')
  return {
    validate: (value) => Reflect.apply(validate, props, [value]),
    jsonSchema: jsonSchema ?? offeredJsonSchema(props, direction),
    schema,
    isPair: jsonSchema !== undefined,
  }
}

function offeredJsonSchema(props: object, direction: 'input' | 'output'): unknown {
  const converter: unknown = Reflect.get(props, 'jsonSchema')
  const convert: unknown = canCarry(converter) ? Reflect.get(converter, direction) : undefined
  if (typeof convert !== 'function') {
    const vendor = String(Reflect.get(props, 'vendor'))
    throw new Error(`is a Standard Schema (${vendor}) that offers no JSON Schema; ${BRING_ONE}`)
  }
  try {
    return Reflect.apply(convert, converter, [{ target: 'draft-2020-12' }])
  } catch (first) {
    try {
      return Reflect.apply(convert, converter, [{ target: 'draft-07' }])
    } catch {
      const reason = first instanceof Error ? first.message : String(first)
      throw new Error(`is a Standard Schema that gives no JSON Schema of its ${direction} (${reason}); ${BRING_ONE}`, { cause: first })
    }
  }
}

const BRING_ONE = 'bring one beside it: { schema, jsonSchema }'
