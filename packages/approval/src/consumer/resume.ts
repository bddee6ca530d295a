/**
 * Resume: from the store alone, what a dead process left is judged anew, waited for and run through the whole pipeline, each call at
 * most once. Approved calls run one after the other in the order of their asks; those that still wait for a human run when they are answered.
 */
import { errorCode, type ToolExecution, type ToolExecutionInput, type ToolResult } from '@toolseam/core-tools'
import { ApprovalError } from '../definition/errors.ts'
import type { ApprovalFilter, ApprovalRecord } from '../definition/record.ts'
import { createFeed } from '../record/change-feed.ts'
import { matchesFilter } from '../record/filter.ts'
import { maskRecord } from '../record/mask.ts'
import { LEASE_MS, type ApprovalParts, type ResumedCall } from './parts.ts'
import { renderLost } from './render-claims.ts'
import { settleAsk } from './settle-ask.ts'
import { policyCallOf } from './subject.ts'

export interface Resumption {
  record: ApprovalRecord
  result: ToolResult
}

export async function* resume(
  parts: ApprovalParts,
  options: { signal?: AbortSignal; filter?: ApprovalFilter } = {},
): AsyncGenerator<Resumption> {
  const stop = new AbortController()
  const signals = [stop.signal, parts.closing, ...(options.signal === undefined ? [] : [options.signal])]
  const signal = AbortSignal.any(signals)
  try {
    const left = await leftBehind(parts, options.filter)
    const done = createFeed<Resumption>(signal, () => undefined)
    const waiting = left.filter(mustWait)
    const ready = left.filter((record) => !mustWait(record))
    const all = [
      runInOrder(parts, ready, { signal, push: done.push }),
      ...waiting.map(async (record) => runWhenReady(parts, record, { signal, push: done.push })),
    ]
    void Promise.all(all).then(done.end, done.fail)
    yield* done.values
  } finally {
    stop.abort()
  }
}

interface Run {
  signal: AbortSignal
  push(resumption: Resumption): void
}

/** Open records whose process is gone, that are what they claim to be. */
async function leftBehind(parts: ApprovalParts, filter: ApprovalFilter | undefined): Promise<ApprovalRecord[]> {
  await parts.store.expire()
  const now = Date.now()
  const open = await parts.store.list({
    ...(filter?.ids === undefined ? {} : { ids: filter.ids }),
    state: ['pending', 'approved', 'claimed'],
  })
  const left: ApprovalRecord[] = []
  for (const record of open) {
    if (!matchesFilter(record, filter) || parts.resumed.has(record.call.callId)) continue
    // Naming an id says that its process is not waited for; a claim that is held is never taken.
    const named = filter?.ids !== undefined && !isHeld(record, now)
    if (!named && isOwned(parts, record)) continue
    if (await parts.seal.fits(record)) left.push(record)
    else parts.tell({ kind: 'forged', id: record.id, revision: record.revision })
  }
  return left
}

function isOwned({ worker }: ApprovalParts, { requester }: ApprovalRecord): boolean {
  if (requester.id === worker.id) return true
  // The same process under another id is an earlier runtime of this process, which is gone.
  return !(requester.pid === worker.pid && requester.host === worker.host) && worker.isAlive(requester)
}

function isHeld({ state, claim }: ApprovalRecord, now: number): boolean {
  return state === 'claimed' && claim !== undefined && Date.parse(claim.leaseUntil) > now
}

/** Pending, interrupted, or claimed by a process that is gone: others do not wait for it. */
function mustWait(record: ApprovalRecord): boolean {
  return record.state === 'pending' || record.claim?.dispatchedAt !== undefined || isHeld(record, Date.now())
}

const RUNNABLE: readonly ApprovalRecord['state'][] = ['pending', 'approved', 'rejected', 'claimed', 'interrupted']

async function runInOrder(parts: ApprovalParts, records: readonly ApprovalRecord[], run: Run): Promise<void> {
  for (const record of records) {
    if (run.signal.aborted) return
    await runOne(parts, record, run)
  }
}

async function runWhenReady(parts: ApprovalParts, record: ApprovalRecord, run: Run): Promise<void> {
  // A call that policy denies or allows by now is not shown to anybody; the pipeline settles it.
  if (record.state === 'pending' && (await verdict(parts, record)) === 'ask') {
    await settleAsk(parts, { record, view: maskRecord(record), signal: run.signal, parked: true })
  }
  if (record.claim !== undefined) await pause(Date.parse(record.claim.leaseUntil) - Date.now(), run.signal)
  if (!run.signal.aborted) await runOne(parts, record, run)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}

async function verdict(parts: ApprovalParts, record: ApprovalRecord): Promise<'allow' | 'ask' | 'deny'> {
  const { call, tool, args, view, by } = record
  if (parts.runtime.view(call.agent).get(tool.name) === undefined) return 'deny'
  const { decision } = await parts.policy.judge(policyCallOf({ ...call, tool: tool.name, args, view }))
  // Another tap asked: that policy allows says nothing about it.
  return decision === 'allow' && by !== undefined && !by.includes(':') ? 'ask' : decision
}

async function runOne(parts: ApprovalParts, listed: ApprovalRecord, run: Run): Promise<void> {
  const record = (await parts.store.get(listed.id)) ?? listed
  const { callId } = record.call
  // Somebody else ran it, or it ended without an answer, while it was waited for.
  if (parts.resumed.has(callId) || !RUNNABLE.includes(record.state) || isHeld(record, Date.now())) return
  const resumed: ResumedCall = { record }
  parts.resumed.set(callId, resumed)
  try {
    const result = await parts.runtime.execute(inputOf(record, run.signal))
    await parts.claims.drain()
    await closeLeftover(parts, record.id, result)
    run.push({ record: maskRecord((await parts.store.get(record.id)) ?? record), result })
  } finally {
    parts.resumed.delete(callId)
  }
}

function inputOf({ call, tool, args }: ApprovalRecord, signal: AbortSignal): ToolExecutionInput {
  return {
    callId: call.callId,
    rootCallId: call.rootCallId,
    name: tool.name,
    arguments: args,
    caller: call.caller,
    signal,
    ...(call.agent === undefined ? {} : { agent: call.agent }),
    ...(call.turnId === undefined ? {} : { turnId: call.turnId }),
  }
}

/** A call that settled without its approval (a deny by now, a guard, an abort) leaves nothing that could be run again. */
async function closeLeftover(parts: ApprovalParts, id: string, result: ToolResult): Promise<void> {
  const record = await parts.store.get(id)
  if (record === undefined || result.isError === false) return
  // Stopped here, or the tool is not here: another process may run it.
  if (result.error.code === 'TOOL_ABORTED_BEFORE_DISPATCH' || result.error.code === 'UNKNOWN_TOOL') return
  const state = record.state === 'pending' ? 'cancelled' : record.state === 'approved' ? 'expired' : undefined
  if (state === undefined) return
  await parts.store.close(id, { expectedRevision: record.revision, state }).catch((error: unknown) => {
    parts.runtime.logger.warn('what was resumed could not be closed', { id, error })
  })
}

/**
 * For the execute tap: a resumed call that was not asked about again, as policy allows it by now, still needs the claim of its record, so that
 * two processes that resume run it once.
 */
export function adoptResumed(parts: ApprovalParts, execution: ToolExecution): undefined | (() => Promise<ToolResult | undefined>) {
  const resumed = parts.resumed.get(execution.callId)
  if (resumed === undefined || resumed.token !== undefined) return undefined
  if (resumed.record.tool.name !== execution.name || resumed.record.call.agent !== execution.agent) return undefined
  resumed.token = execution.token
  return async () => {
    const { id } = resumed.record
    try {
      return await takeOver(parts, id, execution)
    } catch (error) {
      parts.runtime.logger.warn('a resumed call could not be claimed', { id, error })
      return renderLost(errorCode(error) === 'APPROVAL_ALREADY_DECIDED' ? 'taken' : 'not-kept', { id })
    }
  }
}

async function takeOver(parts: ApprovalParts, id: string, execution: ToolExecution): Promise<ToolResult | undefined> {
  const record = await parts.store.get(id)
  if (record === undefined) throw new ApprovalError('APPROVAL_NOT_FOUND', { id })
  if (record.state === 'pending') {
    // Of two processes one closes it, and that one runs the call.
    await parts.store.close(id, { expectedRevision: record.revision, state: 'cancelled' })
    return undefined
  }
  const claim = await parts.store.claim(id, { worker: parts.worker.id, leaseMs: LEASE_MS })
  if (!claim.ok) return renderLost(claim.why === 'not-approved' ? 'withdrawn' : 'taken', { id })
  await parts.claims.hold(execution.token, { id, fence: claim.fence })
  return undefined
}
