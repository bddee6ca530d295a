/**
 * Error codes and the one error class of core-tools. Errors are told apart by `code`, never by class: two copies of this package may meet.
 */
import type { JsonValue } from './json.ts'

/** The codes that the pipeline and the registry give. Packages add their own (`FS_*`, `SHELL_*`, ...). */
export const ErrorCode = {
  UNKNOWN_TOOL: 'UNKNOWN_TOOL',
  INVALID_TOOL_INPUT: 'INVALID_TOOL_INPUT',
  INVALID_TOOL_OUTPUT: 'INVALID_TOOL_OUTPUT',
  INVALID_REGISTRATION: 'INVALID_REGISTRATION',
  SERVICE_MISSING: 'SERVICE_MISSING',
  TOOL_DENIED: 'TOOL_DENIED',
  APPROVAL_REJECTED: 'APPROVAL_REJECTED',
  APPROVAL_EXPIRED: 'APPROVAL_EXPIRED',
  APPROVAL_CANCELLED: 'APPROVAL_CANCELLED',
  APPROVAL_UNAVAILABLE: 'APPROVAL_UNAVAILABLE',
  HOOK_FAILED: 'HOOK_FAILED',
  HOOK_TIMEOUT: 'HOOK_TIMEOUT',
  HOOK_INVALID_DECISION: 'HOOK_INVALID_DECISION',
  TOOL_TIMEOUT: 'TOOL_TIMEOUT',
  TOOL_ABORTED: 'TOOL_ABORTED',
  TOOL_ABORTED_BEFORE_DISPATCH: 'TOOL_ABORTED_BEFORE_DISPATCH',
  TOOL_FAILED: 'TOOL_FAILED',
  SURFACE_DENIED: 'SURFACE_DENIED',
  ADMISSION_MISSING: 'ADMISSION_MISSING',
  /** A service, plugin or tap that cannot be taken: a second provider, a cycle, a bad option. */
  INVALID_PLUGIN: 'INVALID_PLUGIN',
  INVALID_TAP: 'INVALID_TAP',
  /** A call or an option that is no call or no option: refused by throwing (P-26, P-73). */
  INVALID_CALL: 'INVALID_CALL',
  INVALID_OPTION: 'INVALID_OPTION',
} as const

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode]

/** An error with a code and facts. `details` is JSON and may reach logs and models. */
export class ToolSeamError extends Error {
  readonly code: string
  readonly details?: JsonValue

  constructor(code: string, message: string, options: { details?: JsonValue; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'ToolSeamError'
    this.code = code
    if (options.details !== undefined) this.details = options.details
  }
}

/** The own string `code` of whatever was thrown, read safely; undefined where there is none. */
export function errorCode(thrown: unknown): string | undefined {
  try {
    if (typeof thrown !== 'object' || thrown === null) return undefined
    const code = (thrown as { code?: unknown }).code
    return typeof code === 'string' ? code : undefined
  } catch {
    return undefined
  }
}
