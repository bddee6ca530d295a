/**
 * JSON values: what arguments, results and schemas are made of.
 */

/** Any value that JSON text can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

export type JsonObject = { [key: string]: JsonValue }

/** A JSON Schema document, read as 2020-12 (as draft-07 where its `$schema` says so). Source: json-schema.org. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** One violation of a schema or of JSON itself. `path` is a JSON Pointer (RFC 6901), empty for the root. */
export interface JsonIssue {
  readonly path: string
  readonly message: string
}
