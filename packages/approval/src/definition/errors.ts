/**
 * The errors of this package: a code and facts. Told apart by `code`, never by class.
 */
import { ToolSeamError, type JsonObject } from '@toolseam/core-tools'

export type ApprovalErrorCode =
  | 'APPROVAL_ALREADY_DECIDED'
  | 'APPROVAL_STALE_REVISION'
  | 'APPROVAL_NOT_FOUND'
  | 'APPROVAL_LEASE_LOST'
  | 'APPROVAL_STALE'
  | 'APPROVAL_CANCELLED'
  | 'APPROVAL_INVALID_DECISION'
  | 'APPROVAL_NOT_OFFERED'
  | 'APPROVAL_FORGED'
  | 'APPROVAL_NOT_CANONICAL'
  | 'APPROVAL_KEY_UNSAFE'
  | 'APPROVAL_RECORD_UNREADABLE'
  | 'APPROVAL_STORE_KIND'
  | 'APPROVAL_STORE_DRIVER_MISSING'
  | 'APPROVAL_STORE_UNSAFE'
  | 'APPROVAL_STORE_FAILED'
  | 'APPROVAL_CLOSED'
  | 'INVALID_TOOL_INPUT'

const SENTENCES: { readonly [code in ApprovalErrorCode]: string } = {
  APPROVAL_ALREADY_DECIDED: 'The ask has its answer already',
  APPROVAL_STALE_REVISION: 'The record changed since it was read',
  APPROVAL_NOT_FOUND: 'No such ask or grant',
  APPROVAL_LEASE_LOST: 'The claim on this approval was lost to another worker',
  APPROVAL_STALE: 'The approval no longer fits the call',
  APPROVAL_CANCELLED: 'The prompt was cancelled',
  APPROVAL_INVALID_DECISION: 'Not a valid decision',
  APPROVAL_NOT_OFFERED: 'The scope or rule was not offered for this call',
  APPROVAL_FORGED: 'The authentication code of the decision does not fit',
  APPROVAL_NOT_CANONICAL: 'The value has no canonical JSON form',
  APPROVAL_KEY_UNSAFE: 'The key file is not safe to use',
  APPROVAL_RECORD_UNREADABLE: 'The record is of an unknown version or state and was left alone',
  APPROVAL_STORE_KIND: 'The folder belongs to a store of another kind',
  APPROVAL_STORE_DRIVER_MISSING: 'This kind of store has no driver here',
  APPROVAL_STORE_UNSAFE: 'The store path is not safe to use',
  APPROVAL_STORE_FAILED: 'The approval store could not be used',
  APPROVAL_CLOSED: 'The approval store is closed',
  INVALID_TOOL_INPUT: 'The edited arguments do not fit the tool',
}

export class ApprovalError extends ToolSeamError {
  declare readonly code: ApprovalErrorCode

  constructor(code: ApprovalErrorCode, details: JsonObject = {}, options: { cause?: unknown } = {}) {
    super(code, `${code}: ${SENTENCES[code]} (${factsOf(details)})`, { details, ...options })
    this.name = 'ApprovalError'
  }
}

function factsOf(details: JsonObject): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
  return text === '' ? 'no details' : text.slice(0, 400)
}
