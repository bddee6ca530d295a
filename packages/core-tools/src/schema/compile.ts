/**
 * What `input` and `output` of a tool become at registration: a validator, and the JSON Schema that a model reads (P-14, P-15).
 */
import type { CompiledSchema } from './compiled.ts'
import { compileJsonSchema } from './json-schema.ts'
import { readStandard } from './read-standard.ts'
import { standardValidator } from './standard.ts'

export type { CompiledSchema, Validation } from './compiled.ts'

export interface CompileOptions {
  /** What the schema is called in messages. */
  field?: string
  /** Whose JSON Schema is read where a Standard Schema transforms: what goes in, or what comes out. Default input. */
  direction?: 'input' | 'output'
}

/** Throws an error whose message begins with the field and says what is wrong and, where it helps, what to do. */
export function compileSchema(schema: unknown, options: CompileOptions = {}): CompiledSchema {
  const { field = 'schema', direction = 'input' } = options
  try {
    const standard = readStandard(schema, direction)
    if (standard === undefined) return compileJsonSchema(schema)
    const { jsonSchema } = compileJsonSchema(standard.jsonSchema)
    const kept = standard.isPair ? Object.freeze({ schema: standard.schema, jsonSchema }) : standard.schema
    return Object.freeze({ jsonSchema, validate: standardValidator(standard.validate), kept })
  } catch (thrown) {
    throw new Error(`${field} ${thrown instanceof Error ? thrown.message : String(thrown)}`, { cause: thrown })
  }
}
