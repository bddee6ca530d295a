/**
 * The seal on `node:crypto`: SHA-256 of canonical JSON, HMAC-SHA-256 with the user's key. The key is asked for when it is first needed, so
 * that a runtime that never asks never makes one.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { JsonValue } from '@toolseam/core-tools'
import type { ApprovalRecord, StoredDecision } from '../../definition/record.ts'
import type { Seal } from '../../definition/seal.ts'
import { canonicalJson } from '../../record/canonical.ts'
import { idOfKey, keyMaterial } from '../../record/keys.ts'
import { decisionMacInput, grantMacInput } from '../../record/mac-input.ts'

/** `sha256:` and the hex digest of a text. */
export function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`
}

/** The hash that an approval binds: of the canonical JSON of the arguments. Throws `APPROVAL_NOT_CANONICAL`. */
export function argumentsHash(args: JsonValue): string {
  return sha256(canonicalJson(args))
}

/** `key`: gives the secret; called once. */
export function createSeal(key: () => Promise<string | Uint8Array>): Seal {
  let secret: Promise<string | Uint8Array> | undefined
  const code = async (text: string): Promise<string> => {
    secret ??= key()
    try {
      return `hmac-sha256:${createHmac('sha256', await secret)
        .update(text, 'utf8')
        .digest('hex')}`
    } catch (error) {
      secret = undefined
      throw error
    }
  }
  return {
    hash: sha256,
    sealDecision: async (record, decision) => code(decisionMacInput(record, decision)),
    fits: async (record) =>
      hashesFit(record) && (record.decision === undefined || same(record.decision.mac, await decisionCode(record, record.decision))),
    sealGrant: async (grant, store) => code(grantMacInput(grant, store)),
    grantFits: async (grant, store) => same(grant.mac, await code(grantMacInput(grant, store))),
  }

  async function decisionCode(record: ApprovalRecord, decision: StoredDecision): Promise<string> {
    return code(decisionMacInput(record, decision))
  }
}

/** What runs is what was hashed, and the record is filed under its own key. What cannot even be hashed does not fit. */
function hashesFit(record: ApprovalRecord): boolean {
  try {
    return requireHashes(record)
  } catch {
    return false
  }
}

function requireHashes(record: ApprovalRecord): boolean {
  const { call, tool, args, argsHash, attempt, decision } = record
  if (argumentsHash(args) !== argsHash) return false
  if (decision?.edited !== undefined && argumentsHash(decision.edited.args) !== decision.edited.argsHash) return false
  const key = sha256(keyMaterial({ call, tool: tool.name, argsHash, ...(attempt === undefined ? {} : { attempt }) }))
  return record.key === key && record.id === idOfKey(key)
}

function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
