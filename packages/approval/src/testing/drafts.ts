/**
 * Drafts and decisions for tests of stores: complete, with keys and hashes that fit.
 */
import type { JsonValue } from '@toolseam/core-tools'
import type { ApprovalDraft, ApprovalRecord, Approver, Grant, GrantScope, StoredDecision } from '../definition/record.ts'
import type { Seal } from '../definition/seal.ts'
import { argumentsHash, sha256 } from '../providers/hash/seal.ts'
import { grantIdOf, idOfKey, keyMaterial } from '../record/keys.ts'

let calls = 0

export interface DraftOptions {
  callId?: string
  session?: string
  agent?: string
  tool?: string
  args?: JsonValue
  /** In ms from now. */
  expiresInMs?: number
}

export function testDraft(options: DraftOptions = {}): ApprovalDraft {
  const { session = 'session-1', agent, tool = 'demo', args = { text: 'hello' }, expiresInMs = 600_000 } = options
  const { callId = `call-${process.pid}-${++calls}` } = options
  const call = { callId, rootCallId: callId, session, agents: agent === undefined ? [] : [agent], parents: [], caller: 'agent' as const }
  const identified = agent === undefined ? call : { ...call, agent }
  const argsHash = argumentsHash(args)
  const key = sha256(keyMaterial({ call: identified, tool, argsHash }))
  return {
    v: 1,
    id: idOfKey(key),
    key,
    call: identified,
    tool: { name: tool, source: 'local', schemaHash: sha256('{}') },
    args,
    argsHash,
    view: { title: tool, kind: 'other' },
    trail: [],
    offer: { scopes: ['once', 'turn', 'session', 'agent', 'project', 'user'], rules: [] },
    requester: { kind: 'runtime', id: 'test', host: 'test', pid: process.pid },
    createdAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
  }
}

export const testApprover: Approver = { kind: 'scripted', id: 'tester', verified: false }

/** A decision without a code that fits; `seal` makes one that does. */
export async function testDecision(record: ApprovalRecord, change: Partial<StoredDecision> = {}, seal?: Seal): Promise<StoredDecision> {
  const { mac, ...words }: StoredDecision = {
    outcome: 'approve',
    by: testApprover,
    at: new Date().toISOString(),
    revision: record.revision,
    mac: 'none',
    ...change,
  }
  return { ...words, mac: seal === undefined ? mac : await seal.sealDecision(record, words) }
}

export function testGrant(record: ApprovalRecord, scope: GrantScope = 'session', change: Partial<Grant> = {}): Grant {
  return {
    id: grantIdOf(record.id, `n${++calls}`),
    scope,
    tool: record.tool.name,
    match: 'exact',
    argsHash: record.argsHash,
    session: record.call.session,
    ...(record.call.agent === undefined ? {} : { agent: record.call.agent }),
    inherit: false,
    by: testApprover,
    createdAt: new Date().toISOString(),
    mac: 'none',
    ...change,
  }
}
