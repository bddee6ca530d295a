/**
 * Validation by a Standard Schema. Its output is the typed input; issues become JSON Pointers.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonIssue, JsonValue } from '../contracts/json.ts'
import { pointer } from '../json/pointer.ts'
import type { Validate, Validation } from './compiled.ts'
import type { StandardParts } from './read-standard.ts'

type Outcome = StandardSchemaV1.Result<unknown>

/**
 * Values are frozen, and some libraries (arktype with morphs) write what they parse into what they were given. Such a one is told by the
 * TypeError of that write; from then on it gets a copy of its own.
 */
export function standardValidator(run: StandardParts['validate']): Validate {
  let writes = false

  const thawed = (value: JsonValue): Validation | Promise<Validation> => {
    try {
      const outcome = run(thaw(value))
      // It wrote into the copy: what comes back may be the copy itself and still differ from what was put in.
      return isPromise(outcome)
        ? Promise.resolve(outcome).then((late) => readOutcome(late, THAWED), violation)
        : readOutcome(outcome, THAWED)
    } catch (thrown) {
      return violation(thrown)
    }
  }
  const failed = (thrown: unknown, value: JsonValue): Validation | Promise<Validation> => {
    if (!isWriteError(thrown) || typeof value !== 'object' || value === null) return violation(thrown)
    writes = true
    return thawed(value)
  }

  return (value) => {
    if (writes) return thawed(value)
    try {
      const outcome = run(value)
      return isPromise(outcome)
        ? Promise.resolve(outcome).then(
            (late) => readOutcome(late, value),
            (thrown: unknown) => failed(thrown, value),
          )
        : readOutcome(outcome, value)
    } catch (thrown) {
      return failed(thrown, value)
    }
  }
}

const THAWED: unique symbol = Symbol('a value that no output is identical with')

function readOutcome(outcome: Outcome, given: JsonValue | typeof THAWED): Validation {
  try {
    const { issues } = outcome
    if (issues) return { ok: false, issues: readIssues(issues) }
    const value: unknown = 'value' in outcome ? outcome.value : undefined
    return { ok: true, value, changed: value !== given }
  } catch (thrown) {
    return violation(thrown)
  }
}

function readIssues(issues: readonly StandardSchemaV1.Issue[]): JsonIssue[] {
  const read = Array.from(issues, ({ message, path }) => ({ path: pointer(Array.from(path ?? [], readStep)), message: String(message) }))
  return read.length > 0 ? read : [{ path: '', message: 'does not fit the schema' }]
}

function readStep(step: PropertyKey | StandardSchemaV1.PathSegment): string | number {
  const key = typeof step === 'object' ? step.key : step
  return typeof key === 'number' ? key : String(key)
}

function violation(thrown: unknown): Validation {
  return { ok: false, issues: [{ path: '', message: `the validator threw: ${thrownText(thrown)}` }] }
}

function thrownText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'something that cannot be shown'
  }
}

function isWriteError(thrown: unknown): boolean {
  try {
    return thrown instanceof TypeError
  } catch {
    return false
  }
}

function isPromise(outcome: Outcome | Promise<Outcome>): outcome is Promise<Outcome> {
  return typeof (outcome as { readonly then?: unknown } | undefined)?.then === 'function'
}

function thaw(value: JsonValue): JsonValue {
  return structuredClone(value)
}
