/**
 * One open ask until it is over: the answerers, the store, the clock, the caller and the end of the runtime race; the first durable
 * decision wins, and whatever ends the ask otherwise is in the record before anybody is told.
 */
import { errorCode } from '@toolseam/core-tools'
import type { ApprovalRecord } from '../definition/record.ts'
import { consult, messageOf, type Consulted, type Consultation } from './consult.ts'
import type { ApprovalParts } from './parts.ts'
import { renderUnavailable } from './render-ask.ts'

export type Ending =
  | { kind: 'decided'; record: ApprovalRecord }
  | { kind: 'expired' }
  | { kind: 'cancelled'; reason: 'aborted' | 'disposed' | 'superseded' }
  | { kind: 'unavailable'; reason: string }

export interface OpenAsk extends Omit<Consultation, 'signal'> {
  /** The caller's. */
  signal: AbortSignal
  /** A parked ask of another process: an abort ends the waiting, not the ask, and without an answerer the store is waited for. */
  parked?: boolean
}

/** Again, where the clock of the store is behind ours. */
const EXPIRY_RETRY_MS = 250
/** Timers cannot be longer. */
const LONGEST_TIMER_MS = 2_147_483_647

export async function settleAsk(parts: ApprovalParts, ask: OpenAsk): Promise<Ending> {
  const over = new AbortController()
  const endings = [untilAborted(ask.signal, over.signal, 'aborted'), untilAborted(parts.closing, over.signal, 'disposed')]
  const answers = [untilStored(parts, ask.record, over.signal), untilAnswered(parts, ask, over.signal)]
  try {
    return await conclude(parts, ask, await Promise.race([...endings, ...answers]))
  } catch (error) {
    return { kind: 'unavailable', reason: renderUnavailable({ why: 'store-failed', message: messageOf(error) }) }
  } finally {
    over.abort()
  }
}

async function untilAborted(signal: AbortSignal, over: AbortSignal, reason: 'aborted' | 'disposed'): Promise<Ending> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ kind: 'cancelled', reason })
    if (signal.aborted) return end()
    signal.addEventListener('abort', end, { once: true, signal: over })
  })
}

async function untilAnswered(parts: ApprovalParts, ask: OpenAsk, over: AbortSignal): Promise<Ending> {
  const said: Consulted = await consult(parts, { record: ask.record, view: ask.view, signal: over })
  if (said.kind === 'cancelled') return { kind: 'cancelled', reason: 'aborted' }
  if (said.kind === 'nobody' && ask.parked !== true) return { kind: 'unavailable', reason: renderUnavailable({ why: 'nobody' }) }
  // Over already, or only the store can tell: the race has its winner elsewhere.
  return said.kind === 'late' || said.kind === 'nobody' ? new Promise(() => undefined) : said
}

/** A decision that came through the store, or the end of time. */
async function untilStored(parts: ApprovalParts, record: ApprovalRecord, over: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    const look = async (): Promise<void> => {
      const now = await parts.store.get(record.id)
      if (over.aborted || now === undefined || now.state === 'pending') return
      if (now.decision !== undefined && !(await parts.seal.fits(now))) {
        parts.tell({ kind: 'forged', id: now.id, revision: now.revision })
        return
      }
      resolve(now.state === 'expired' ? { kind: 'expired' } : { kind: 'decided', record: now })
    }
    const lookSafely = (): void => {
      look().catch((error: unknown) => parts.runtime.logger.warn('an ask could not be read', { id: record.id, error }))
    }
    const expire = async (): Promise<void> => {
      await parts.store.expire().catch((error: unknown) => parts.runtime.logger.warn('the expiry sweep failed', { id: record.id, error }))
      lookSafely()
      if (!over.aborted) timer = setTimeout(() => void expire(), EXPIRY_RETRY_MS)
    }
    const unfollow = parts.hub.follow(record.id, ({ problem, revision }) => {
      if (problem !== undefined) parts.tell({ kind: problem, id: record.id, revision })
      lookSafely()
    })
    const wait = Math.max(0, Date.parse(record.expiresAt) - Date.now())
    let timer = setTimeout(() => void expire(), Math.min(wait, LONGEST_TIMER_MS))
    over.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        unfollow()
      },
      { once: true },
    )
    lookSafely()
  })
}

/** Writes what ended the ask. Where a decision was durable first, it stands, except for a caller that is gone. */
async function conclude(parts: ApprovalParts, { record, parked }: OpenAsk, ending: Ending): Promise<Ending> {
  if (ending.kind === 'decided') return fromState(ending.record)
  if (ending.kind === 'expired' || (parked === true && ending.kind === 'cancelled' && ending.reason === 'aborted')) return ending
  const there = await close(parts, record, ending.kind)
  if (there === undefined) return ending
  // The caller is gone: what was approved for it must not be run by anybody later.
  if (ending.kind === 'cancelled' && there.state === 'approved') await close(parts, there, 'expired')
  return ending.kind === 'cancelled' ? ending : fromState(there)
}

/** Undefined: closed. Else the record as somebody else left it. */
async function close(
  parts: ApprovalParts,
  record: ApprovalRecord,
  state: 'cancelled' | 'unavailable' | 'expired',
): Promise<ApprovalRecord | undefined> {
  try {
    await parts.store.close(record.id, { expectedRevision: record.revision, state })
    return undefined
  } catch (error) {
    const lost = errorCode(error) === 'APPROVAL_ALREADY_DECIDED' || errorCode(error) === 'APPROVAL_STALE_REVISION'
    if (!lost) parts.runtime.logger.warn('an ask could not be closed', { id: record.id, state, error })
    if (!lost) return undefined
    const there = await parts.store.get(record.id)
    return there !== undefined && (there.decision === undefined || (await parts.seal.fits(there))) ? there : undefined
  }
}

/** An ask that somebody else ended. */
function fromState(record: ApprovalRecord): Ending {
  switch (record.state) {
    case 'expired':
      return { kind: 'expired' }
    case 'cancelled':
      return { kind: 'cancelled', reason: 'superseded' }
    case 'unavailable':
      return { kind: 'unavailable', reason: renderUnavailable({ why: 'nobody' }) }
    default:
      return { kind: 'decided', record }
  }
}
