/**
 * The refusals of the registry: thrown at once, with a code and a message that names the thing.
 */
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'

/** `subject` is what was to be registered, for example `tool "read"`; `field` is the part of it that is wrong. */
export function refuse(subject: string, problem: string, options: { field?: string; cause?: unknown } = {}): ToolSeamError {
  const { field, cause } = options
  return new ToolSeamError(ErrorCode.INVALID_REGISTRATION, `${subject}: ${problem}`, {
    details: field === undefined ? { subject } : { subject, field },
    ...(cause === undefined ? {} : { cause }),
  })
}

export function codeEntryMissing(mode: string): ToolSeamError {
  return new ToolSeamError(
    ErrorCode.SERVICE_MISSING,
    `mode "${mode}" needs the tool run_code, which is not registered; @toolseam/code-mode brings it`,
    { details: { mode, tool: 'run_code', package: '@toolseam/code-mode' } },
  )
}
