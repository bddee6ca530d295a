/**
 * From a call to its record: the same call finds the record it has; where that can no longer be used, the next attempt gets a record
 * of its own, which names the one before.
 */
import type { CallView } from '@toolseam/core-tools'
import { errorCode } from '@toolseam/core-tools'
import { MAX_VIEW_BYTES, type ApprovalDraft, type ApprovalRecord, type StoredDecision } from '../definition/record.ts'
import { idOfKey, keyMaterial } from '../record/keys.ts'
import { maskView } from '../record/mask.ts'
import { answerersFor, type ApprovalParts } from './parts.ts'
import { renderSuperseded } from './render-ask.ts'
import { byteLength, mayRunAgain, offerFor, trailOf, type Subject } from './subject.ts'

/** Asks end after 15 minutes where a human sits, after 7 days where they are parked. */
const INTERACTIVE_MS = 900_000
const PARKED_MS = 604_800_000

type Superseded = NonNullable<ApprovalRecord['supersedes']>

export async function openRecord(parts: ApprovalParts, subject: Subject, batch: string | undefined): Promise<ApprovalRecord> {
  let attempt = parts.resumed.get(subject.request.execution.callId)?.record.attempt ?? 0
  let supersedes: Superseded | undefined
  let before: ApprovalRecord | undefined
  for (;;) {
    const draft = draftOf(parts, subject, { attempt, supersedes, batch })
    const { record, created } = await parts.store.request(draft)
    if (created) return supersedes?.why === 'interrupted' && before !== undefined ? repeatIfIdempotent(parts, record, before) : record
    const found = await outOfTime(parts, record)
    const why = await unusable(parts, found, subject)
    if (why === undefined) return found
    before = found
    supersedes = { id: found.id, why }
    attempt++
  }
}

function draftOf(
  parts: ApprovalParts,
  subject: Subject,
  more: { attempt: number; supersedes: Superseded | undefined; batch: string | undefined },
): ApprovalDraft {
  const { request, args, argsHash, tool, agents, session, judgement } = subject
  const { execution } = request
  const now = Date.now()
  const at = new Date(now).toISOString()
  const call = {
    callId: execution.callId,
    rootCallId: request.rootCallId,
    session,
    agents,
    parents: request.parents.map((parent) => ({ callId: parent.callId, tool: parent.name })),
    caller: execution.caller,
    ...(execution.turnId === undefined ? {} : { turnId: execution.turnId }),
    ...(execution.agent === undefined ? {} : { agent: execution.agent }),
  }
  const attempt = more.attempt === 0 ? {} : { attempt: more.attempt }
  const key = parts.seal.hash(keyMaterial({ call, tool: tool.name, argsHash, ...attempt }))
  const past = more.supersedes === undefined ? undefined : renderSuperseded(more.supersedes.why)
  const reason = [past, request.reason].filter((text) => text !== undefined).join(' ')
  return {
    v: 1,
    id: idOfKey(key),
    key,
    call,
    tool,
    args,
    argsHash,
    view: fittingView(maskView(request.call, args)),
    by: request.by,
    trail: trailOf(judgement, request.askers, at),
    offer: offerFor(parts, subject),
    requester: { kind: 'runtime', id: parts.worker.id, host: parts.worker.host, pid: parts.worker.pid },
    createdAt: at,
    expiresAt: new Date(now + lifetime(parts, subject)).toISOString(),
    ...attempt,
    ...(reason === '' ? {} : { reason }),
    ...(more.supersedes === undefined ? {} : { supersedes: more.supersedes }),
    ...(more.batch === undefined ? {} : { batch: more.batch }),
  }
}

function lifetime(parts: ApprovalParts, { agents }: Subject): number {
  const interactive = answerersFor(parts.answerers.list, agents).some((answerer) => answerer.interactive)
  return parts.policy.askExpiresMs ?? (interactive ? INTERACTIVE_MS : PARKED_MS)
}

/** The biggest part goes first; the prompt of this process shows the whole view all the same. */
function fittingView(view: CallView): CallView {
  const fits = (candidate: CallView): boolean => byteLength(JSON.stringify(candidate)) <= MAX_VIEW_BYTES
  if (fits(view)) return view
  const { diff, ...rest } = view
  if (fits(rest)) return rest
  const { title, kind, sensitive } = view
  const bare: CallView = { title: title.slice(0, 1000), kind, incomplete: true }
  return sensitive === undefined ? bare : { ...bare, sensitive }
}

/** Ends what is over by the store's clock, so that it is not waited for. */
async function outOfTime(parts: ApprovalParts, record: ApprovalRecord): Promise<ApprovalRecord> {
  const read = async (): Promise<ApprovalRecord> => (await parts.store.get(record.id)) ?? record
  const isOpen = record.state === 'pending' || record.state === 'approved'
  if (isOpen && Date.parse(record.expiresAt) <= Date.now()) {
    await parts.store.expire()
    return read()
  }
  if (record.state !== 'claimed') return record
  // It may be a call of this runtime whose end is being written.
  await parts.claims.drain()
  const { state, claim } = await read()
  const isInterrupted = state === 'claimed' && claim?.dispatchedAt !== undefined && Date.parse(claim.leaseUntil) <= Date.now()
  // The claim finds a run that was interrupted, and says so in the record.
  if (isInterrupted) await parts.store.claim(record.id, { worker: parts.worker.id, leaseMs: 1 })
  return read()
}

/** Undefined: this record is the ask. Pending, approved and rejected ones are, as long as the tool is what it was. */
async function unusable(parts: ApprovalParts, record: ApprovalRecord, { tool }: Subject): Promise<Superseded['why'] | undefined> {
  switch (record.state) {
    case 'pending':
    case 'approved':
    case 'rejected':
      if (record.tool.schemaHash === tool.schemaHash && record.tool.source === tool.source) return undefined
      await closeStale(parts, record)
      return 'stale'
    case 'claimed':
      return undefined
    case 'interrupted':
    case 'consumed':
    case 'expired':
    case 'cancelled':
    case 'unavailable':
      return record.state
    default:
      return record.state satisfies never
  }
}

async function closeStale(parts: ApprovalParts, record: ApprovalRecord): Promise<void> {
  if (record.state === 'rejected') return
  const state = record.state === 'pending' ? 'cancelled' : 'expired'
  await parts.store.close(record.id, { expectedRevision: record.revision, state }).catch((error: unknown) => {
    // Somebody else ended it at the same time.
    if (errorCode(error) !== 'APPROVAL_ALREADY_DECIDED' && errorCode(error) !== 'APPROVAL_STALE_REVISION') throw error
  })
}

/** an interrupted call is run again without a new answer only where the tool is trusted to be idempotent. */
async function repeatIfIdempotent(parts: ApprovalParts, record: ApprovalRecord, before: ApprovalRecord): Promise<ApprovalRecord> {
  const { decision } = before
  const repeatable =
    decision?.outcome === 'approve' &&
    before.tool.schemaHash === record.tool.schemaHash &&
    mayRunAgain(parts, record.tool.name, record.call.agent)
  if (!repeatable || !(await parts.seal.fits(before))) return record
  const { mac, grantId, ...words } = decision
  const repeated: Omit<StoredDecision, 'mac'> = { ...words, revision: record.revision }
  const sealed = { ...repeated, mac: await parts.seal.sealDecision(record, repeated) }
  return parts.store.decide(record.id, { expectedRevision: record.revision, decision: sealed })
}
