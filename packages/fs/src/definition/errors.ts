/**
 * The refusals of this package. An `FsError` carries a code and facts; the sentence a model reads is rendered by the consumer.
 * Told apart by `code` (or `isFsError`), never by `instanceof`: two copies of this package may meet in one process.
 */

export const FS_ERROR_CODES = [
  'FS_BAD_PATH',
  'FS_OUTSIDE_ROOT',
  'FS_LOOP',
  'FS_NOT_FOUND',
  'FS_AMBIGUOUS_NAME',
  'FS_IS_DIRECTORY',
  'FS_NOT_DIRECTORY',
  'FS_NOT_REGULAR',
  'FS_NOT_EMPTY',
  'FS_ALREADY_EXISTS',
  'FS_PROTECTED',
  'FS_NOT_OBSERVED',
  'FS_STALE_VERSION',
  'FS_EMPTY_MATCH',
  'FS_NO_CHANGE',
  'FS_NO_MATCH',
  'FS_AMBIGUOUS_MATCH',
  'FS_OVERLAPPING_EDITS',
  'FS_PATCH_REJECTED',
  'FS_BINARY',
  'FS_ENCODING',
  'FS_TOO_LARGE',
  'FS_RANGE',
  'FS_UNSUPPORTED_MEDIA',
  'FS_INVALID_PATTERN',
  'FS_SEARCH_FAILED',
  'FS_DISK_FULL',
  'FS_PERMISSION',
  'FS_READ_ONLY',
  'FS_BUSY',
  'FS_IO',
  'FS_HARD_LINK',
  'FS_UNDO_CONFLICT',
] as const

/** Every code of rule F-72, plus `TOOL_ABORTED` of core-tools for work whose signal was aborted (F-73, F-74). */
export type FsErrorCode = (typeof FS_ERROR_CODES)[number] | 'TOOL_ABORTED'

/** Facts of a refusal. JSON values only: they travel in the tool result. */
export interface FsErrorDetails {
  /** As shown to callers: relative to the first root where possible. */
  path?: string
  [fact: string]: FactValue | undefined
}

export type FactValue = null | boolean | number | string | readonly FactValue[] | { readonly [key: string]: FactValue | undefined }

const brand = Symbol.for('toolseam.fs.error')

export class FsError extends Error {
  override readonly name: string = 'FsError'
  readonly code: FsErrorCode
  readonly details: FsErrorDetails

  /** `message` defaults to the code and the path: enough for a log, not meant for a model. */
  constructor(code: FsErrorCode, details: FsErrorDetails = {}, options: { cause?: unknown; message?: string } = {}) {
    const { cause, message } = options
    super(message ?? (details.path === undefined ? code : `${code}: ${details.path}`), cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
    Object.defineProperty(this, brand, { value: true })
  }
}

export function isFsError(error: unknown): error is FsError {
  return typeof error === 'object' && error !== null && brand in error
}
