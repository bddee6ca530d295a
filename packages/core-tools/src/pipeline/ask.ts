/**
 * The ask: one request to the approval service, one closed answer. Anything else is no answer, and the call does not run.
 */
import { EXECUTION_TOKEN, type ToolExecutionToken } from '../contracts/execution.ts'
import type { JsonValue } from '../contracts/json.ts'
import { Approval, type AskRequest } from '../contracts/ports.ts'
import type { ToolCallRecord } from '../contracts/result.ts'
import type { PrepareOptions } from '../contracts/staged.ts'
import { jsonEquals } from '../json/equals.ts'
import { snapshotJson } from '../json/snapshot.ts'
import type { Call } from './call.ts'
import { untilAborted, wasAborted } from './cancellation.ts'
import { describeExecution } from './describe.ts'
import { finalResult, postResult, type Outcome } from './outcome.ts'
import { renderNotApproved, renderSurfaceDenied } from './render-errors.ts'
import { aborted, failure, freezeJson, safeMessage } from './results.ts'

export type Asked = { kind: 'approved'; edited: JsonValue | undefined; author: string } | { kind: 'settled'; outcome: Outcome }

type Outcomes = NonNullable<ToolCallRecord['approval']>['outcome']

interface ReadAnswer {
  readonly outcome: Outcomes
  readonly by: JsonValue | undefined
  readonly reason: string | undefined
  readonly surfaceDenied: boolean
  readonly edited: JsonValue | undefined
}

export async function ask(call: Call, options: PrepareOptions): Promise<Asked> {
  const answer = await obtain(call, options)
  if (answer === 'aborted') return { kind: 'settled', outcome: finalResult(call, aborted(false, call.cancellation.reason)) }
  note(call, answer)
  if (answer.outcome !== 'approved') return { kind: 'settled', outcome: refusal(call, { ...answer, outcome: answer.outcome }) }
  const edited = answer.edited !== undefined && !jsonEquals(answer.edited, call.arguments) ? answer.edited : undefined
  return { kind: 'approved', edited, author: authorOf(answer.by) }
}

async function obtain(call: Call, options: PrepareOptions): Promise<ReadAnswer | 'aborted'> {
  const { parts, cancellation } = call
  const service = parts.services.get(Approval)
  if (service === undefined) return unavailable('no approval service is installed (@toolseam/approval brings one)')
  const view = await untilAborted(describeExecution(parts, call.execution, { preview: true }), cancellation, () => undefined)
  if (wasAborted(view) || cancellation.aborted) return 'aborted'
  options.onAsk?.()
  try {
    const request: AskRequest = requestOf(call, { view })
    const late = (): void => parts.logger.debug('a late answer to an ask was ignored', { callId: call.facts.callId })
    const raw = await untilAborted(Promise.resolve(service.ask(request)), cancellation, late)
    await options.onAnswer?.()
    return wasAborted(raw) || cancellation.aborted ? 'aborted' : readAnswer(raw)
  } catch (error) {
    parts.logger.warn('the approval service failed', { callId: call.facts.callId, error })
    await options.onAnswer?.()
    if (cancellation.aborted) return 'aborted'
    return unavailable(`the approval service failed: ${safeMessage(error) ?? 'unknown error'}`)
  }
}

function requestOf(call: Call, { view }: { view: AskRequest['call'] }): AskRequest {
  const { decision, askers, execution, facts } = call
  const request: AskRequest = {
    execution,
    call: view,
    by: decision.by,
    askers: Object.freeze([...askers].sort((a, b) => Number(b.by === decision.by) - Number(a.by === decision.by))) as AskRequest['askers'],
    parents: parentsOf(facts.parent),
    rootCallId: facts.rootCallId,
    signal: call.cancellation.signal,
  }
  if (decision.reason !== undefined) request.reason = decision.reason
  if (call.surfaceKind !== undefined) request.surface = call.surfaceKind
  return Object.freeze(request)
}

function parentsOf(parent: ToolExecutionToken | undefined): { callId: string; name: string }[] {
  const parents: { callId: string; name: string }[] = []
  for (let token = parent; token !== undefined; token = token[EXECUTION_TOKEN].parent) {
    const { callId, name } = token[EXECUTION_TOKEN]
    parents.unshift(Object.freeze({ callId, name }))
  }
  return Object.freeze(parents) as { callId: string; name: string }[]
}

function readAnswer(raw: unknown): ReadAnswer {
  try {
    if (typeof raw !== 'object' || raw === null) return unavailable('the approval service gave no answer')
    const { outcome, by, reason, code, arguments: edited } = raw as Record<string, unknown>
    if (!isOutcome(outcome)) return unavailable('the approval service gave an unknown answer')
    const author = by === undefined ? undefined : snapshotJson(by)
    const base = {
      outcome,
      by: author?.ok === true ? author.value : undefined,
      reason: typeof reason === 'string' ? reason : undefined,
      surfaceDenied: outcome === 'unavailable' && code === 'SURFACE_DENIED',
    }
    if (outcome !== 'approved' || edited === undefined) return { ...base, edited: undefined }
    const snapshot = snapshotJson(edited)
    return snapshot.ok ? { ...base, edited: snapshot.value } : unavailable('the edited arguments are not JSON')
  } catch {
    return unavailable('the answer of the approval service could not be read')
  }
}

function isOutcome(value: unknown): value is Outcomes {
  return value === 'approved' || value === 'rejected' || value === 'expired' || value === 'cancelled' || value === 'unavailable'
}

function unavailable(reason: string): ReadAnswer {
  return { outcome: 'unavailable', by: undefined, reason, surfaceDenied: false, edited: undefined }
}

function note(call: Call, { outcome, by, reason }: ReadAnswer): void {
  const said = reason === undefined ? {} : { reason }
  call.approval = Object.freeze({ outcome, ...(by === undefined ? {} : { by }), ...said })
  call.note({ stage: 'ask', by: authorOf(by), kind: outcome, effect: 'applied', ...said })
}

function refusal(call: Call, { outcome, by, reason, surfaceDenied }: ReadAnswer & { outcome: Exclude<Outcomes, 'approved'> }): Outcome {
  const details = freezeJson({ asked: call.decision.by, ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) })
  if (surfaceDenied) return postResult(call, failure('SURFACE_DENIED', renderSurfaceDenied(reason), { details }))
  return postResult(call, failure(CODES[outcome], renderNotApproved(outcome, reason), { details }))
}

const CODES = {
  rejected: 'APPROVAL_REJECTED',
  expired: 'APPROVAL_EXPIRED',
  cancelled: 'APPROVAL_CANCELLED',
  unavailable: 'APPROVAL_UNAVAILABLE',
} as const

function authorOf(by: JsonValue | undefined): string {
  if (typeof by === 'string') return by
  if (typeof by === 'object' && by !== null && !Array.isArray(by) && typeof by['id'] === 'string') return by['id']
  return 'approver'
}
