/**
 * Whatever a body throws becomes facts: a code, a sentence, the thrown value itself (E-4).
 */
import type { ToolFailure } from '@toolseam/core-tools'
import type { AdmissionMiss, BlockFailure } from '../../definition/events.ts'
import { codeOf, messageOf, read } from '../../guarding/thrown.ts'

const FALLBACK = 'TOOL_FAILED'

export function failureOf(thrown: unknown): BlockFailure {
  const code = codeOf(thrown) ?? FALLBACK
  const failure = { code, message: messageOf(thrown), cause: thrown }
  const why = code === 'ADMISSION_MISSING' ? missOf(thrown) : undefined
  return Object.freeze(why === undefined ? failure : { ...failure, why })
}

export function failureOfResult(result: ToolFailure): BlockFailure {
  const error = read(result, 'error')
  return Object.freeze({ code: codeOf(error) ?? FALLBACK, message: messageOf(error), result })
}

function missOf(thrown: unknown): AdmissionMiss | undefined {
  const why = read(thrown, 'why')
  return why === 'never_prepared' || why === 'consumed' || why === 'discarded' ? why : undefined
}
