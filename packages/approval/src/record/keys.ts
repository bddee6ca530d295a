/**
 * The identity of an ask: the same call of the same agent in the same session has the same key in every process, so that it finds
 * its record and its answer.
 */
import type { ApprovalCall } from '../definition/record.ts'
import { canonicalJson } from './canonical.ts'

export interface KeyParts {
  call: Pick<ApprovalCall, 'session' | 'agent' | 'callId'>
  tool: string
  argsHash: string
  /** Counts the asks of one call; part of the key from the second on. */
  attempt?: number
}

/** What the key is the hash of. */
export function keyMaterial(parts: KeyParts): string {
  const fields = [parts.call.session, parts.call.agent ?? null, parts.call.callId, parts.tool, parts.argsHash]
  return canonicalJson(parts.attempt === undefined || parts.attempt === 0 ? fields : [...fields, parts.attempt])
}

/** 96 bits of the key: short enough to type, and a store refuses another key under the same id. */
export function idOfKey(key: string): string {
  return `apr_${key.slice(key.indexOf(':') + 1, key.indexOf(':') + 25)}`
}

/**
 * A grant carries the id of its ask, and a nonce of its own: of two decisions that race, the loser's grant is not the one that the durable
 * decision names.
 */
export function grantIdOf(recordId: string, nonce: string): string {
  return `grt_${recordId.slice('apr_'.length)}_${nonce}`
}

export function recordIdOfGrant(grantId: string): string {
  const end = grantId.lastIndexOf('_')
  return `apr_${grantId.slice('grt_'.length, end < 'grt_'.length ? undefined : end)}`
}

/** What an id looks like; anything else is no id and never becomes a file name. */
export const ID_PATTERN: RegExp = /^(?:apr|grt)_[A-Za-z0-9_-]{1,64}$/
