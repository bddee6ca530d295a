/**
 * From what somebody said to a decision that can be stored: shape, scope, rule and edit are checked, the code is made.
 */
import type { JsonIssue } from '@toolseam/core-tools'
import type { Answer } from '../definition/answerer.ts'
import { ApprovalError } from '../definition/errors.ts'
import type { PolicyCall, PolicyJudgement } from '../definition/policy.ts'
import {
  GRANT_SCOPES,
  type ApprovalRecord,
  type Approver,
  type Decision,
  type Grant,
  type GrantScope,
  type StoredDecision,
} from '../definition/record.ts'
import { defaultExpiry } from '../grants/bind.ts'
import { canonicalJson } from '../record/canonical.ts'
import { grantIdOf } from '../record/keys.ts'
import { unmaskArguments } from '../record/mask.ts'
import { isApprover, isFields, isInstant } from '../record/shape.ts'
import type { ApprovalParts } from './parts.ts'
import { offerFor, policyCallOf, trailOf } from './subject.ts'

export interface SealedDecision {
  decision: StoredDecision
  grant?: Grant
}

/** A copy with the known fields alone; undefined where it is no decision. Fields are read once. */
export function parseDecision(value: unknown): Decision | undefined {
  try {
    return isFields(value) ? readDecision({ ...value }) : undefined
  } catch {
    return undefined
  }
}

/** The same, with who said it. */
export function parseAnswer(value: unknown): Answer | undefined {
  try {
    if (!isFields(value)) return undefined
    const fields = { ...value }
    const by = fields['by']
    const decision = readDecision(fields)
    if (decision === undefined || !isApprover(by)) return undefined
    const { kind, id, name, verified } = by
    return { ...decision, by: { kind, id, verified, ...(name === undefined ? {} : { name }) } }
  } catch {
    return undefined
  }
}

function readDecision(fields: { readonly [key: string]: unknown }): Decision | undefined {
  const { outcome, reason, scope, match, inherit, expiresAt, arguments: edited } = fields
  if (reason !== undefined && typeof reason !== 'string') return undefined
  const said = reason === undefined ? {} : { reason }
  if (outcome === 'reject') return { outcome, ...said }
  if (outcome !== 'approve') return undefined
  if (scope !== undefined && !isScope(scope)) return undefined
  const matched = match === undefined ? undefined : readMatch(match)
  if (match !== undefined && matched === undefined) return undefined
  if (inherit !== undefined && typeof inherit !== 'boolean') return undefined
  if (expiresAt !== undefined && !isInstant(expiresAt)) return undefined
  return {
    outcome,
    ...said,
    ...(scope === undefined ? {} : { scope }),
    ...(matched === undefined ? {} : { match: matched }),
    ...(inherit === undefined ? {} : { inherit }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    // What has no canonical form is no JSON, and no decision.
    ...(edited === undefined ? {} : { arguments: JSON.parse(canonicalJson(edited)) as never }),
  }
}

function isScope(value: unknown): value is GrantScope {
  return (GRANT_SCOPES as readonly unknown[]).includes(value)
}

function readMatch(match: unknown): 'exact' | { rule: string } | undefined {
  if (match === 'exact') return match
  return isFields(match) && typeof match['rule'] === 'string' && match['rule'] !== '' ? { rule: match['rule'] } : undefined
}

/**
 * Checks a decision against the record and seals it. Throws `INVALID_TOOL_INPUT` (details `issues`), `APPROVAL_NOT_OFFERED` or
 * `APPROVAL_INVALID_DECISION`.
 */
export async function sealDecision(
  parts: ApprovalParts,
  record: ApprovalRecord,
  said: { decision: Decision; by: Approver },
): Promise<SealedDecision> {
  const { decision, by } = said
  const at = new Date().toISOString()
  const edited = decision.outcome === 'approve' ? await readEdit(parts, record, { decision, at }) : undefined
  const grant = decision.outcome === 'approve' ? await grantOf(parts, record, { decision, by, at, edited }) : undefined
  const unsealed: Omit<StoredDecision, 'mac'> = {
    outcome: decision.outcome,
    by,
    at,
    revision: record.revision,
    ...(decision.reason === undefined ? {} : { reason: decision.reason }),
    ...(edited === undefined ? {} : { edited: edited.stored }),
    ...(grant === undefined ? {} : { grantId: grant.id }),
  }
  const sealed = { ...unsealed, mac: await parts.seal.sealDecision(record, unsealed) }
  return grant === undefined ? { decision: sealed } : { decision: sealed, grant }
}

type Approve = Extract<Decision, { outcome: 'approve' }>

interface Edit {
  stored: NonNullable<StoredDecision['edited']>
  policyCall: PolicyCall
  judgement: PolicyJudgement
}

/** The edit as it is to run, valid for the tool where this process has it. */
async function readEdit(
  parts: ApprovalParts,
  record: ApprovalRecord,
  { decision, at }: { decision: Approve; at: string },
): Promise<Edit | undefined> {
  if (decision.arguments === undefined) return undefined
  const args = unmaskArguments(decision.arguments, record.args, record.view.sensitive)
  const argsHash = parts.seal.hash(canonicalJson(args))
  if (argsHash === record.argsHash) return undefined
  const call = { name: record.tool.name, arguments: args, ...(record.call.agent === undefined ? {} : { agent: record.call.agent }) }
  const known = parts.runtime.view(record.call.agent).get(record.tool.name) !== undefined
  const validated = known ? await parts.runtime.validate(call) : { ok: true as const }
  if (!validated.ok)
    throw new ApprovalError('INVALID_TOOL_INPUT', {
      id: record.id,
      issues: validated.issues.map(({ path, message }) => ({ path, message })),
    })
  const policyCall = policyCallOf({ ...record.call, tool: record.tool.name, args, view: await parts.runtime.describe(call) })
  const judgement = await parts.policy.judge(policyCall)
  return { stored: { args, argsHash, trail: trailOf(judgement, [], at) }, policyCall, judgement }
}

/** The issues of an edit that does not fit, for the answerer that sent it. */
export function issuesOf(error: ApprovalError): JsonIssue[] {
  const issues = isFields(error.details) ? error.details['issues'] : undefined
  return Array.isArray(issues)
    ? issues.flatMap((issue: unknown) => (isFields(issue) ? [{ path: String(issue['path']), message: String(issue['message']) }] : []))
    : []
}

async function grantOf(
  parts: ApprovalParts,
  record: ApprovalRecord,
  more: { decision: Approve; by: Approver; at: string; edited: Edit | undefined },
): Promise<Grant | undefined> {
  const { decision, by, at, edited } = more
  const { scope = 'once', match = 'exact' } = decision
  if (scope === 'once') return undefined
  const { policyCall, judgement } = edited ?? (await judgedRecord(parts, record))
  requireOffered(parts, record, { scope, match, policyCall, judgement, edited: edited !== undefined })
  const expiresAt = decision.expiresAt ?? defaultExpiry(scope, Date.parse(at))
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(at))
    throw new ApprovalError('APPROVAL_INVALID_DECISION', { id: record.id, expiresAt })
  const { session, agent, turnId } = record.call
  const unsealed: Omit<Grant, 'mac'> = {
    id: grantIdOf(record.id, crypto.randomUUID().slice(0, 8)),
    scope,
    tool: record.tool.name,
    match,
    session,
    inherit: decision.inherit ?? false,
    by,
    createdAt: at,
    ...(match === 'exact' ? { argsHash: edited?.stored.argsHash ?? record.argsHash } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(turnId === undefined ? {} : { turnId }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
  return { ...unsealed, mac: await parts.seal.sealGrant(unsealed, identityOf(parts)) }
}

async function judgedRecord(parts: ApprovalParts, record: ApprovalRecord): Promise<{ policyCall: PolicyCall; judgement: PolicyJudgement }> {
  const policyCall = policyCallOf({ ...record.call, tool: record.tool.name, args: record.args, view: record.view })
  return { policyCall, judgement: await parts.policy.judge(policyCall) }
}

interface Remembered {
  scope: GrantScope
  match: 'exact' | { rule: string }
  policyCall: PolicyCall
  judgement: PolicyJudgement
  edited: boolean
}

/** Of an edited call the offer is made anew: what was offered was about other arguments. */
function requireOffered(parts: ApprovalParts, record: ApprovalRecord, { scope, match, policyCall, judgement, edited }: Remembered): void {
  const facts: { [name: string]: string } = { id: record.id, scope }
  const offer = edited
    ? offerFor(parts, { policyCall, judgement, policyAsks: judgement.decision === 'ask', othersAsk: record.offer.rules.length === 0 })
    : record.offer
  if (!record.offer.scopes.includes(scope) || !offer.scopes.includes(scope)) throw new ApprovalError('APPROVAL_NOT_OFFERED', facts)
  if (match === 'exact') return
  // Asks without an offered rule are those that only an exact grant may lift.
  const refused = record.offer.rules.length === 0 ? 'no rule was offered' : parts.policy.refuseGrantRule(match.rule, policyCall, judgement)
  if (refused !== undefined) throw new ApprovalError('APPROVAL_NOT_OFFERED', { ...facts, rule: match.rule, why: refused })
}

/** What binds grants to their store, where the store has an identity. */
export function identityOf(parts: ApprovalParts): string | undefined {
  const { store } = parts
  return 'identity' in store && typeof store.identity === 'string' ? store.identity : undefined
}
