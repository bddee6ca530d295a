/**
 * From whatever a body threw to an error result. An own code is kept, except those that only the pipeline gives; no stack
 * reaches the model.
 */
import type { JsonObject, JsonValue } from '../contracts/json.ts'
import type { ToolFailure } from '../contracts/result.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { failure, freezeJson, safeMessage } from './results.ts'

const OWN_CODE = /^[A-Z0-9_]+$/
const PIPELINE_CODE = /^(UNKNOWN_TOOL$|INVALID_|TOOL_|HOOK_|APPROVAL_(REJECTED|EXPIRED|CANCELLED|UNAVAILABLE)$)/

export function fromThrown(thrown: unknown): ToolFailure {
  const message = safeMessage(thrown) || 'The tool failed without a message.'
  const { code, details } = readFacts(thrown)
  if (code === undefined) return failure('TOOL_FAILED', message, details === undefined ? {} : { details })
  if (PIPELINE_CODE.test(code)) return failure('TOOL_FAILED', message, { details: freezeJson({ ...objectOf(details), code }) })
  return failure(code, message, details === undefined ? {} : { details })
}

/** True for an error that only says "I was aborted". */
export function isAbortError(thrown: unknown, reason: unknown): boolean {
  if (thrown === reason) return true
  try {
    if (typeof thrown !== 'object' || thrown === null) return false
    const { name, code } = thrown as { name?: unknown; code?: unknown }
    return name === 'AbortError' || code === 'ABORT_ERR' || code === 'TOOL_ABORTED'
  } catch {
    return false
  }
}

/** JSON `details` of a thrown error that are an object. */
export function thrownDetails(thrown: unknown): JsonObject {
  return objectOf(readFacts(thrown).details)
}

function readFacts(thrown: unknown): { code: string | undefined; details: JsonValue | undefined } {
  try {
    if (typeof thrown !== 'object' || thrown === null) return { code: undefined, details: undefined }
    const { code, details } = thrown as { code?: unknown; details?: unknown }
    const own = typeof code === 'string' && OWN_CODE.test(code) ? code : undefined
    const snapshot = details === undefined ? undefined : snapshotJson(details)
    return { code: own, details: snapshot?.ok === true ? snapshot.value : undefined }
  } catch {
    return { code: undefined, details: undefined }
  }
}

function objectOf(details: JsonValue | undefined): JsonObject {
  return typeof details === 'object' && details !== null && !Array.isArray(details) ? details : {}
}
