/**
 * How a run can end badly, and the error class of this package. Errors are told by `code`, never by class.
 */
import type { JsonValue } from '@toolseam/core-tools'

/**
 * syntax: nothing ran. exception: the program threw. tool-error: a rejected call was not caught. timeout: busy or wall time is used up.
 * deadlock: the program waits for what nobody will settle. engine: not the program's fault.
 */
export type CodeErrorKind =
  | 'syntax'
  | 'exception'
  | 'tool-error'
  | 'timeout'
  | 'deadlock'
  | 'memory'
  | 'output-limit'
  | 'call-limit'
  | 'abort'
  | 'engine'

/** The outcome of a program that did not end well. A value: nothing is thrown for it. */
export interface CodeError {
  readonly kind: CodeErrorKind
  /** Name of the error class in the program, such as `TypeError`. */
  readonly name: string
  readonly message: string
  /** Line in the source that the model wrote, from 1. */
  readonly line?: number
  /** That line. */
  readonly source?: string
  /** The tool whose call was rejected, and the code it was rejected with. */
  readonly tool?: string
  readonly code?: string
}

/** `CODE_` and the kind in capitals; an abort keeps the pipeline's name. */
export function codeOfKind(kind: CodeErrorKind): string {
  return kind === 'abort' ? 'TOOL_ABORTED' : `CODE_${kind.toUpperCase().replaceAll('-', '_')}`
}

/** Wrong use of this package, and the error that `run_code` throws for a failed program. */
export class CodeModeError extends Error {
  readonly code: string
  readonly details?: JsonValue

  constructor(code: string, message: string, options: { details?: JsonValue; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'CodeModeError'
    this.code = code
    if (options.details !== undefined) this.details = options.details
  }
}
