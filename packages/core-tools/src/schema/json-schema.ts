/**
 * JSON Schema documents become validators here, once, at registration. A document that cannot be used is refused with the reason.
 */
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { JsonIssue, JsonObject } from '../contracts/json.ts'
import { snapshotJson } from '../json/copy.ts'
import type { CompiledSchema, Validate } from './compiled.ts'
import { isDeferrable } from './deferrable.ts'
import { checkWellFormed, createAjv, dialectOf, type Dialect } from './dialect.ts'
import { withAllDefinitions } from './definitions.ts'
import { describeViolation } from './describe-violation.ts'
import { normaliseSchema } from './normalise.ts'

/** Throws an error that says what is wrong. */
export function compileJsonSchema(schema: unknown): CompiledSchema {
  const jsonSchema = readDocument(schema)
  const dialect = dialectOf(jsonSchema['$schema'])
  checkWellFormed(jsonSchema, dialect)
  const normal = normaliseSchema(jsonSchema, dialect)
  if (isDeferrable(jsonSchema))
    return finished(
      jsonSchema,
      deferred(() => compileWith(normal, dialect)),
    )
  const check = compileWith(normal, dialect)
  probe(check)
  const whole = withAllDefinitions(normal)
  if (whole !== undefined) compileWith(whole, dialect)
  return finished(jsonSchema, validator(check))
}

function finished(jsonSchema: JsonObject, validate: Validate): CompiledSchema {
  return Object.freeze({ jsonSchema, validate, kept: jsonSchema })
}

/** Compiled by the first value. What cannot be compiled after all lets nothing through. */
function deferred(compile: () => ValidateFunction): Validate {
  let validate: Validate | undefined
  return (value) => {
    if (validate === undefined) {
      try {
        validate = validator(compile())
      } catch (thrown) {
        return { ok: false, issues: [{ path: '', message: `the schema ${refusal(thrown)}` }] }
      }
    }
    return validate(value)
  }
}

function readDocument(schema: unknown): JsonObject {
  const snapshot = snapshotJson(schema, { ignoreSymbols: true })
  if (!snapshot.ok) {
    const [issue] = snapshot.issues
    throw new Error(`is not a JSON Schema: ${shortPath(issue?.path)} ${issue?.message ?? 'is not JSON'}`)
  }
  const { value } = snapshot
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('must be a Standard Schema or a JSON Schema object')
  }
  return value
}

/** The place of a fault, short where the document is nested very deeply. */
function shortPath(path = ''): string {
  if (path === '') return 'the root'
  return path.length > 80 ? `${path.slice(0, 60)}…` : path
}

function compileWith(schema: JsonObject, dialect: Dialect): ValidateFunction {
  try {
    return createAjv(dialect).compile(schema)
  } catch (thrown) {
    throw new Error(refusal(thrown), { cause: thrown })
  }
}

function refusal(thrown: unknown): string {
  const { missingRef, message } = thrown as { readonly missingRef?: unknown; readonly message?: unknown }
  if (typeof missingRef === 'string')
    return `has a $ref that leads nowhere inside the schema: ${missingRef} (nothing is loaded from elsewhere)`
  if (thrown instanceof RangeError) return 'refers to itself without end, or is nested too deeply'
  return `cannot be used: ${String(message)}`
}

/** A schema that leads back to itself on the same value compiles and then never ends; better refused now than in a call. */
function probe(check: ValidateFunction): void {
  for (const value of [null, true, 0, '', [], {}]) {
    try {
      check(value)
    } catch (thrown) {
      throw new Error(refusal(thrown), { cause: thrown })
    }
  }
}

function validator(check: ValidateFunction): Validate {
  return (value) => {
    try {
      if (check(value)) return { ok: true, value, changed: false }
    } catch (thrown) {
      return {
        ok: false,
        issues: [{ path: '', message: `the validator threw: ${thrown instanceof Error ? thrown.message : String(thrown)}` }],
      }
    }
    return { ok: false, issues: listIssues(check.errors ?? []) }
  }
}

function listIssues(errors: readonly ErrorObject[]): JsonIssue[] {
  return errors.map((error) => ({ path: error.instancePath, message: describeViolation(error) }))
}
