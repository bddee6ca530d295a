/**
 * Which JSON Schema a document is written in, and what makes it whole: known dialect, well-formed by its meta-schema.
 */
import { Ajv, type AnySchemaObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '../contracts/json.ts'

export type Dialect = '2020-12' | 'draft-07'

const DIALECTS: readonly { readonly dialect: Dialect; readonly names: RegExp }[] = [
  { dialect: '2020-12', names: /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/ },
  { dialect: 'draft-07', names: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/ },
]

const META: { readonly [dialect in Dialect]: string } = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema',
}

/** 2020-12 unless `$schema` says draft-07. Throws for any other. */
export function dialectOf(name: unknown): Dialect {
  if (name === undefined) return '2020-12'
  const known = typeof name === 'string' ? DIALECTS.find(({ names }) => names.test(name)) : undefined
  if (known === undefined) throw new Error(`has a $schema that is not known: ${JSON.stringify(name)}; 2020-12 and draft-07 are`)
  return known.dialect
}

/**
 * `meta: false` keeps the meta-schemas out of reach of `$ref`, so that everything outside the document is remote.
 * An instance per schema: two tools may use the same `$id`, and nothing of a removed tool stays behind.
 */
export function createAjv(dialect: Dialect): Ajv | Ajv2020 {
  const options: Options = { ...STRICTNESS, meta: false, validateSchema: false }
  // In draft-07 a $ref replaces what stands beside it; since 2019-09 both hold.
  return dialect === 'draft-07' ? new Ajv({ ...options, ignoreKeywordsWithRef: true }) : new Ajv2020(options)
}

const STRICTNESS: Options = {
  allErrors: true,
  // Tolerates unknown keywords, as the specification does. What is malformed is told by the meta-schema.
  strict: false,
  // `format` is an annotation.
  validateFormats: false,
  ownProperties: true,
  // 19.99 is a multiple of 0.01, though not by binary division.
  multipleOfPrecision: 8,
  logger: false,
  code: { regExp: Object.assign(tolerantRegExp, { code: 'tolerantRegExp' }) },
}

/** Patterns are Unicode regular expressions; many in the wild escape more than those allow, and mean the plain kind. */
export function tolerantRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch (thrown) {
    try {
      return new RegExp(pattern, flags.replace('u', ''))
    } catch {
      throw thrown
    }
  }
}

const metaValidators = new Map<Dialect, Ajv | Ajv2020>()

/** Throws an error that lists what the meta-schema of the dialect does not allow. */
export function checkWellFormed(schema: JsonObject, dialect: Dialect): void {
  const meta = metaValidators.get(dialect) ?? (dialect === 'draft-07' ? new Ajv(STRICTNESS) : new Ajv2020(STRICTNESS))
  metaValidators.set(dialect, meta)
  if (meta.validate(META[dialect], schema satisfies AnySchemaObject)) return
  const faults = new Set(
    (meta.errors ?? []).map(({ instancePath, message, params }) => `${instancePath || 'the root'} ${message}${listed(params)}`),
  )
  throw new Error(`is not a JSON Schema (${dialect}): ${[...faults].slice(0, 5).join('; ')}`)
}

function listed(params: { readonly allowedValues?: unknown }): string {
  return Array.isArray(params.allowedValues) ? ` (${params.allowedValues.join(', ')})` : ''
}
