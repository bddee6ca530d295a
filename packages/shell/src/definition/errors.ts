/**
 * The errors of this package: a code and facts. The sentence shown to a model is rendered from both elsewhere (`consumer/render-error.ts`).
 * Errors are told apart by `code`, never by class: two copies of this package may meet.
 */
import type { JsonObject } from '@toolseam/core-tools'

export const SHELL_ERROR_CODES = [
  'SHELL_UNAVAILABLE',
  'SHELL_BAD_REQUEST',
  'SHELL_COMMAND_TOO_LARGE',
  'SHELL_CWD_MISSING',
  'SHELL_CWD_OUTSIDE',
  'SHELL_START_FAILED',
  'SHELL_SANDBOX_UNAVAILABLE',
  'SHELL_SANDBOX_FAILED',
  'SHELL_JOB_UNKNOWN',
  'SHELL_JOB_LIMIT',
  'SHELL_INPUT_CLOSED',
  'SHELL_TERMINAL_UNAVAILABLE',
  'SHELL_HALTED',
  'SHELL_HELPER_LOST',
  'SHELL_KILL_FAILED',
  'SHELL_DISPOSED',
] as const

export type ShellErrorCode = (typeof SHELL_ERROR_CODES)[number]

const BRAND: unique symbol = Symbol.for('toolseam.shell.error')

/** An error of this package. `details` are JSON facts and hold no secret: names of variables, never values. */
export class ShellError extends Error {
  readonly code: ShellErrorCode
  readonly details: JsonObject

  constructor(code: ShellErrorCode, details: JsonObject = {}, cause?: unknown) {
    super(`${code}${Object.keys(details).length > 0 ? ` ${JSON.stringify(details)}` : ''}`, cause === undefined ? undefined : { cause })
    this.name = 'ShellError'
    this.code = code
    this.details = details
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** Whether a thrown value is a `ShellError` of any copy of this package. */
export function isShellError(thrown: unknown): thrown is ShellError {
  return typeof thrown === 'object' && thrown !== null && BRAND in thrown
}
