/**
 * `ask`: the table of contents of one request for approval. Never rejects; no error path yields `approved`.
 */
import type { AskAnswer, AskRequest } from '../definition/approval.ts'
import { MAX_ARGS_BYTES, type ApprovalRecord } from '../definition/record.ts'
import { liftingGrant } from '../grants/lift.ts'
import { recordIdOfGrant } from '../record/keys.ts'
import { maskRecord, maskView } from '../record/mask.ts'
import { messageOf } from './consult.ts'
import { identityOf } from './decision.ts'
import { openRecord } from './open-record.ts'
import { answerersFor, forwardingFor, LEASE_MS, type ApprovalParts } from './parts.ts'
import { renderUnavailable } from './render-ask.ts'
import { settleAsk, type Ending } from './settle-ask.ts'
import { grantCallOf, readSubject, type Subject } from './subject.ts'

/** `batch`: of an `askAll`; else asks of one turn share one. */
export async function ask(parts: ApprovalParts, request: AskRequest, batch?: string): Promise<AskAnswer> {
  const { signal, execution } = request
  const { turnId, agent } = execution
  const { batch: shared, leave } = parts.gatherer.join(
    batch ?? (turnId === undefined ? undefined : JSON.stringify([parts.session, agent ?? null, turnId])),
  )
  let recordId: string | undefined
  try {
    const over = ended(parts, signal)
    if (over !== undefined) return over
    const subject = await readSubject(parts, request)
    const answered = refusal(parts, subject) ?? (await lift(parts, subject)) ?? ended(parts, signal)
    if (answered !== undefined) return answered
    const record = await openRecord(parts, subject, shared)
    recordId = record.id
    return await answerOf(parts, subject, record)
  } catch (error) {
    parts.runtime.logger.warn('an ask failed', { callId: execution.callId, error })
    const reason = renderUnavailable({ why: 'store-failed', message: messageOf(error) })
    return { outcome: 'unavailable', reason, ...(recordId === undefined ? {} : { recordId }) }
  } finally {
    leave()
  }
}

/** A caller or a runtime that is gone: no record, no prompt. */
function ended(parts: ApprovalParts, signal: AbortSignal): AskAnswer | undefined {
  if (signal.aborted) return { outcome: 'cancelled', reason: 'aborted' }
  return parts.closing.aborted ? { outcome: 'cancelled', reason: 'disposed' } : undefined
}

/** What cannot be put to anybody: no record either. */
function refusal(parts: ApprovalParts, { request, agents, tooLarge }: Subject): AskAnswer | undefined {
  if (forwardingFor(parts.asks, agents) === 'refuse')
    return { outcome: 'unavailable', code: 'SURFACE_DENIED', reason: renderUnavailable({ why: 'refused-here' }) }
  if (request.surface === 'denied' && answerersFor(parts.answerers.list, agents).length === 0) {
    return { outcome: 'unavailable', code: 'SURFACE_DENIED', reason: renderUnavailable({ why: 'denied-surface' }) }
  }
  return tooLarge ? { outcome: 'unavailable', reason: renderUnavailable({ why: 'too-large', limit: MAX_ARGS_BYTES }) } : undefined
}

/** A grant needs no record of its own: it stands for any number of calls, and names the ask it came from. A resumed call has its own record. */
async function lift(parts: ApprovalParts, subject: Subject): Promise<AskAnswer | undefined> {
  if (parts.resumed.has(subject.request.execution.callId)) return undefined
  const active = await parts.store.grants({ active: true })
  const identity = identityOf(parts)
  const fitting = await Promise.all(active.map(async (grant) => ((await parts.seal.grantFits(grant, identity)) ? grant : undefined)))
  const grant = liftingGrant({
    ...subject,
    grants: fitting.filter((candidate) => candidate !== undefined),
    call: grantCallOf(subject),
    ruleCovers: (rule, call, unit) => parts.policy.ruleCovers(rule, call, unit),
  })
  return grant === undefined ? undefined : { outcome: 'approved', recordId: recordIdOfGrant(grant.id), by: grant.by, grantId: grant.id }
}

async function answerOf(parts: ApprovalParts, subject: Subject, record: ApprovalRecord): Promise<AskAnswer> {
  if (record.state !== 'pending' && (await isTrusted(parts, record))) return fromRecord(parts, subject, record)
  const { signal, call } = subject.request
  // What this process shows is the whole view; the record may keep less of it.
  const view = { ...maskRecord(pendingForm(record)), view: maskView(call, subject.args) }
  return fromEnding(parts, subject, { record, ending: await settleAsk(parts, { record, view, signal }) })
}

async function isTrusted(parts: ApprovalParts, record: ApprovalRecord): Promise<boolean> {
  if (record.decision === undefined || (await parts.seal.fits(record))) return true
  parts.tell({ kind: 'forged', id: record.id, revision: record.revision })
  return false
}

/** A row whose code does not fit is no decision: the ask is still open. */
export function pendingForm(record: ApprovalRecord): ApprovalRecord {
  if (record.state === 'pending') return record
  const { decision, claim, settled, ...asked } = record
  return { ...asked, state: 'pending' }
}

async function fromEnding(
  parts: ApprovalParts,
  subject: Subject,
  { record, ending }: { record: ApprovalRecord; ending: Ending },
): Promise<AskAnswer> {
  switch (ending.kind) {
    case 'decided':
      return fromRecord(parts, subject, ending.record)
    case 'expired':
      return { outcome: 'expired', recordId: record.id }
    case 'cancelled':
      return { outcome: 'cancelled', recordId: record.id, reason: ending.reason }
    case 'unavailable':
      return { outcome: 'unavailable', recordId: record.id, reason: ending.reason }
    default:
      return ending satisfies never
  }
}

async function fromRecord(parts: ApprovalParts, subject: Subject, record: ApprovalRecord): Promise<AskAnswer> {
  const { decision } = record
  if (record.state === 'rejected' && decision !== undefined) {
    return {
      outcome: 'rejected',
      recordId: record.id,
      by: decision.by,
      ...(decision.reason === undefined ? {} : { reason: decision.reason }),
    }
  }
  if (decision?.outcome !== 'approve') return { outcome: 'unavailable', recordId: record.id, reason: renderUnavailable({ why: 'nobody' }) }
  const claim = await parts.store.claim(record.id, { worker: parts.worker.id, leaseMs: LEASE_MS })
  if (!claim.ok) return unclaimed(record.id, claim.why)
  if (subject.request.signal.aborted) {
    await parts.claims.drop(record.id, claim.fence, 'TOOL_ABORTED_BEFORE_DISPATCH')
    return { outcome: 'cancelled', recordId: record.id, reason: 'aborted' }
  }
  await parts.claims.hold(subject.request.execution.token, { id: record.id, fence: claim.fence })
  return {
    outcome: 'approved',
    recordId: record.id,
    by: decision.by,
    fence: claim.fence,
    ...(decision.edited === undefined ? {} : { arguments: decision.edited.args }),
    ...(decision.grantId === undefined ? {} : { grantId: decision.grantId }),
  }
}

function unclaimed(recordId: string, why: 'not-approved' | 'held' | 'consumed' | 'interrupted'): AskAnswer {
  switch (why) {
    case 'not-approved':
      return { outcome: 'expired', recordId }
    case 'held':
      return { outcome: 'unavailable', recordId, reason: renderUnavailable({ why: 'held' }) }
    case 'consumed':
    case 'interrupted':
      return { outcome: 'cancelled', recordId, reason: 'superseded' }
    default:
      return why satisfies never
  }
}
