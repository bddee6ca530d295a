/**
 * Errors as tool bodies throw them: code and details as they were, the message in words for the model.
 */
import type { JsonObject } from '@toolseam/core-tools'
import { isShellError, type ShellErrorCode } from '../definition/errors.ts'
import { renderError } from './render-notes.ts'

class ToolBodyError extends Error {
  readonly code: string
  readonly details: object

  constructor(message: string, { code, details, cause }: { code: string; details: object; cause?: unknown }) {
    super(message, { cause })
    this.name = code === 'TOOL_ABORTED' ? 'AbortError' : 'ShellError'
    this.code = code
    this.details = details
  }
}

/** Runs a body; a `ShellError` gets its sentence. */
export async function withWords<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    if (!isShellError(error)) throw error
    throw shellFailure(error.code, error.details, error)
  }
}

export function shellFailure(code: ShellErrorCode, details: JsonObject, cause?: unknown): Error {
  return new ToolBodyError(renderError(code, details), { code, details, cause })
}

/** S-40: the call was cancelled; what was printed until then travels in `details.result`. */
export function abortedWith(message: string, result: object): Error {
  return new ToolBodyError(message, { code: 'TOOL_ABORTED', details: { result } })
}
