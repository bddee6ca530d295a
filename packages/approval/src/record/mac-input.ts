/**
 * What the authentication codes of decisions and grants cover. Everything that gives power is in: whose decision it is, on which
 * record, schema and arguments, edited ones too, and what it leaves behind as a grant.
 */
import type { JsonObject } from '@toolseam/core-tools'
import type { ApprovalRecord, Approver, Grant, StoredDecision } from '../definition/record.ts'
import { canonicalJson } from './canonical.ts'

type Unsealed<T> = Omit<T, 'mac'>

/** The record as it was asked for; a decision copied from another record gives another text. */
export function decisionMacInput(
  record: Pick<ApprovalRecord, 'id' | 'key' | 'argsHash' | 'tool'>,
  decision: Unsealed<StoredDecision>,
): string {
  return canonicalJson({
    what: 'toolseam approval decision 1',
    id: record.id,
    key: record.key,
    tool: record.tool.name,
    schemaHash: record.tool.schemaHash,
    argsHash: record.argsHash,
    editedArgsHash: decision.edited?.argsHash ?? null,
    revision: decision.revision ?? null,
    outcome: decision.outcome,
    by: approverFields(decision.by),
    at: decision.at,
    reason: decision.reason ?? null,
    grant: decision.grantId ?? null,
  })
}

/** `store` is the identity of the store that the grant was given in; a grant for the user holds in every store. */
export function grantMacInput(grant: Unsealed<Grant>, store: string | undefined): string {
  return canonicalJson({
    what: 'toolseam approval grant 1',
    store: grant.scope === 'user' ? null : (store ?? null),
    id: grant.id,
    scope: grant.scope,
    tool: grant.tool,
    match: grant.match === 'exact' ? 'exact' : { rule: grant.match.rule },
    argsHash: grant.argsHash ?? null,
    session: grant.session ?? null,
    agent: grant.agent ?? null,
    turnId: grant.turnId ?? null,
    inherit: grant.inherit,
    by: approverFields(grant.by),
    createdAt: grant.createdAt,
    expiresAt: grant.expiresAt ?? null,
  })
}

function approverFields(by: Approver): JsonObject {
  return { kind: by.kind, id: by.id, name: by.name ?? null, verified: by.verified }
}
