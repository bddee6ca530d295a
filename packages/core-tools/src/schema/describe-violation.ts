/**
 * The words for a violated keyword: ajv's own, with the names and values that it keeps to itself.
 */
import type { ErrorObject } from 'ajv'

/** For example `must NOT have additional properties: "colour"`. */
export function describeViolation({ keyword, message, params }: Pick<ErrorObject, 'keyword' | 'message' | 'params'>): string {
  const said = message ?? `does not satisfy "${keyword}"`
  const named = params[NAMED[keyword] ?? ''] as unknown
  return named === undefined ? said : `${said}: ${shown(named)}`
}

const NAMED: { readonly [keyword: string]: string } = {
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
  propertyNames: 'propertyName',
  enum: 'allowedValues',
  const: 'allowedValue',
}

function shown(value: unknown): string {
  return Array.isArray(value) ? value.map(shown).join(', ') : JSON.stringify(value)
}
