/**
 * Asking the answerers, in order, until one has something to say. Whatever goes wrong with one ends the ask: the next is not
 * tried, as the first may have meant to refuse.
 */
import { errorCode, type JsonIssue } from '@toolseam/core-tools'
import type { Answer, Answerer, AskView } from '../definition/answerer.ts'
import { ApprovalError } from '../definition/errors.ts'
import type { ApprovalRecord } from '../definition/record.ts'
import { issuesOf, parseAnswer, sealDecision, type SealedDecision } from './decision.ts'
import { answerersFor, type ApprovalParts } from './parts.ts'
import { renderUnavailable, type Unavailable } from './render-ask.ts'

/** How often an answerer is called again about an edit that does not fit. */
const MAX_EDIT_RETRIES = 3

export type Consulted =
  | { kind: 'decided'; record: ApprovalRecord }
  | { kind: 'cancelled' }
  | { kind: 'unavailable'; reason: string }
  /** Every answerer passed, or there was none. */
  | { kind: 'nobody' }
  /** The ask ended meanwhile; nothing is to be done. */
  | { kind: 'late' }

export interface Consultation {
  record: ApprovalRecord
  /** As shown: masked, with the whole view. */
  view: AskView
  /** Aborts when the ask is over. */
  signal: AbortSignal
}

export async function consult(parts: ApprovalParts, ask: Consultation): Promise<Consulted> {
  for (const answerer of answerersFor(parts.answerers.list, ask.record.call.agents)) {
    const said = await consultOne(parts, ask, answerer)
    if (said !== 'not-mine') return said
  }
  return { kind: 'nobody' }
}

async function consultOne(parts: ApprovalParts, ask: Consultation, answerer: Answerer): Promise<Consulted | 'not-mine'> {
  let problems: readonly JsonIssue[] | undefined
  for (let retries = 0; retries <= MAX_EDIT_RETRIES; retries++) {
    const heard = await listen(parts, ask, { answerer, problems })
    if (heard === undefined) return ask.signal.aborted ? { kind: 'late' } : 'not-mine'
    if ('kind' in heard) return heard
    const sealed = await seal(parts, ask, { answer: heard.answer, answerer })
    if ('decision' in sealed) return commit(parts, ask, { sealed, answerer })
    if ('kind' in sealed) return sealed
    problems = sealed.problems
  }
  return unavailable({ why: 'bad-edits', answerer: answerer.name })
}

/** What the answerer says, or how it failed. */
async function listen(
  parts: ApprovalParts,
  ask: Consultation,
  { answerer, problems }: { answerer: Answerer; problems: readonly JsonIssue[] | undefined },
): Promise<{ answer: Answer } | Consulted | undefined> {
  let raw: unknown
  try {
    const view = problems === undefined ? ask.view : { ...ask.view, problems }
    raw =
      problems === undefined ? await parts.gatherer.offer(answerer, view, ask.signal) : await answerer.answer(view, { signal: ask.signal })
  } catch (error) {
    if (ask.signal.aborted) return { kind: 'late' }
    if (errorCode(error) === 'APPROVAL_CANCELLED') return { kind: 'cancelled' }
    return unavailable({ why: 'answerer-failed', answerer: answerer.name, message: messageOf(error) })
  }
  if (raw === undefined) return undefined
  const answer = parseAnswer(raw)
  if (ask.signal.aborted) return late(parts, ask, { answerer, outcome: answer?.outcome ?? 'nonsense' })
  return answer === undefined ? unavailable({ why: 'answerer-nonsense', answerer: answerer.name }) : { answer }
}

async function seal(
  parts: ApprovalParts,
  ask: Consultation,
  { answer, answerer }: { answer: Answer; answerer: Answerer },
): Promise<SealedDecision | { problems: readonly JsonIssue[] } | Consulted> {
  const { by, ...decision } = answer
  try {
    return await sealDecision(parts, ask.record, { decision, by })
  } catch (error) {
    if (!(errorCode(error) === 'INVALID_TOOL_INPUT' && error instanceof ApprovalError)) {
      const isNonsense = errorCode(error) === 'APPROVAL_NOT_OFFERED' || errorCode(error) === 'APPROVAL_INVALID_DECISION'
      parts.runtime.logger.warn('a decision could not be taken', { id: ask.record.id, answerer: answerer.name, error })
      return isNonsense
        ? unavailable({ why: 'answerer-nonsense', answerer: answerer.name })
        : unavailable({ why: 'store-failed', message: messageOf(error) })
    }
    return { problems: issuesOf(error) }
  }
}

/** Makes the decision durable. Where another was first, that one stands. */
async function commit(
  parts: ApprovalParts,
  ask: Consultation,
  { sealed, answerer }: { sealed: SealedDecision; answerer: Answerer },
): Promise<Consulted> {
  const { record } = ask
  try {
    return { kind: 'decided', record: await parts.store.decide(record.id, { expectedRevision: record.revision, ...sealed }) }
  } catch (error) {
    const lost = errorCode(error) === 'APPROVAL_ALREADY_DECIDED' || errorCode(error) === 'APPROVAL_STALE_REVISION'
    if (!lost) return unavailable({ why: 'store-failed', message: messageOf(error) })
    late(parts, ask, { answerer, outcome: sealed.decision.outcome })
    const there = await parts.store.get(record.id).catch(() => undefined)
    return there === undefined ? unavailable({ why: 'store-failed', message: messageOf(error) }) : { kind: 'decided', record: there }
  }
}

function late(parts: ApprovalParts, { record }: Consultation, { answerer, outcome }: { answerer: Answerer; outcome: string }): Consulted {
  parts.tell({ kind: 'late', id: record.id, revision: record.revision, answerer: answerer.name, outcome })
  return { kind: 'late' }
}

function unavailable(reason: Unavailable): Consulted {
  return { kind: 'unavailable', reason: renderUnavailable(reason) }
}

export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'an error that cannot be shown'
  }
}
