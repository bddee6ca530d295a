/**
 * Schemas of tools: a Standard Schema (zod, valibot, arktype, ...), a JSON Schema, or both side by side.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonSchema } from './json.ts'

export type { StandardSchemaV1 } from '@standard-schema/spec'

/**
 * What `input` and `output` of a tool take. `T` is the typed value after validation: the schema's output.
 * A Standard Schema must offer its JSON Schema (`~standard.jsonSchema`) or bring one beside it.
 */
export type ToolSchema<T> = StandardSchemaV1<unknown, T> | JsonSchema | { schema: StandardSchemaV1<unknown, T>; jsonSchema: JsonSchema }
