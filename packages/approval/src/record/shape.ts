/**
 * From stored JSON to a record: the shape is checked before anything believes it. An unknown version or state is told apart from
 * nonsense, as a newer release may have written it.
 */
import type { JsonValue } from '@toolseam/core-tools'
import { APPROVAL_STATES, GRANT_SCOPES, type ApprovalRecord, type Approver, type Grant } from '../definition/record.ts'

type Fields = { readonly [key: string]: unknown }

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined: not a record of version 1 that this release can read. */
export function readRecord(value: unknown): ApprovalRecord | undefined {
  return isFields(value) && hasRecordShape(value) ? (value as Fields & ApprovalRecord) : undefined
}

function hasRecordShape(value: Fields): boolean {
  const { call, tool, view, offer, decision, claim, settled } = value
  return (
    value['v'] === 1 &&
    (APPROVAL_STATES as readonly unknown[]).includes(value['state']) &&
    areStrings(value, ['id', 'key', 'argsHash', 'createdAt', 'expiresAt']) &&
    areInstants(value, ['createdAt', 'expiresAt']) &&
    Number.isSafeInteger(value['revision']) &&
    'args' in value &&
    isFields(call) &&
    areStrings(call, ['callId', 'rootCallId', 'session']) &&
    areAbsentOrStrings(call, ['agent', 'turnId']) &&
    Array.isArray(call['agents']) &&
    Array.isArray(call['parents']) &&
    isFields(tool) &&
    areStrings(tool, ['name', 'source', 'schemaHash']) &&
    isFields(view) &&
    isFields(offer) &&
    Array.isArray(offer['scopes']) &&
    Array.isArray(offer['rules']) &&
    Array.isArray(value['trail']) &&
    (decision === undefined || isStoredDecision(decision)) &&
    (claim === undefined || (isFields(claim) && Number.isSafeInteger(claim['fence']) && areInstants(claim, ['leaseUntil']))) &&
    (settled === undefined || isFields(settled))
  )
}

function isStoredDecision(value: unknown): boolean {
  if (!isFields(value)) return false
  const { edited } = value
  return (
    (value['outcome'] === 'approve' || value['outcome'] === 'reject') &&
    areStrings(value, ['at', 'mac']) &&
    areAbsentOrStrings(value, ['reason', 'grantId']) &&
    isApprover(value['by']) &&
    (edited === undefined || (isFields(edited) && 'args' in edited && areStrings(edited, ['argsHash'])))
  )
}

const APPROVER_KINDS: readonly unknown[] = ['terminal', 'cli', 'callback', 'scripted', 'mcp', 'web']

export function isApprover(value: unknown): value is Approver {
  return (
    isFields(value) &&
    APPROVER_KINDS.includes(value['kind']) &&
    areStrings(value, ['id']) &&
    areAbsentOrStrings(value, ['name']) &&
    typeof value['verified'] === 'boolean'
  )
}

export function readGrant(value: unknown): Grant | undefined {
  if (!isFields(value) || !areStrings(value, ['id', 'tool', 'createdAt', 'mac']) || !isApprover(value['by'])) return undefined
  const { match, scope, inherit } = value
  if (!(GRANT_SCOPES as readonly unknown[]).includes(scope) || typeof inherit !== 'boolean') return undefined
  if (match !== 'exact' && !(isFields(match) && typeof match['rule'] === 'string')) return undefined
  if (!areAbsentOrStrings(value, ['argsHash', 'session', 'agent', 'turnId', 'expiresAt', 'revokedAt', 'revokedReason'])) return undefined
  return value as Fields & Grant
}

function areStrings(value: Fields, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string')
}

function areAbsentOrStrings(value: Fields, names: readonly string[]): boolean {
  return names.every((name) => value[name] === undefined || typeof value[name] === 'string')
}

function areInstants(value: Fields, names: readonly string[]): boolean {
  return names.every((name) => isInstant(value[name]))
}

export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) && !Number.isNaN(Date.parse(value))
}

/** Records are shared between callers, so they are frozen through and through. */
export function deepFreeze<T extends JsonValue | object>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const member of Object.values(value)) deepFreeze(member as JsonValue)
    Object.freeze(value)
  }
  return value
}
