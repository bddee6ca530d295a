/**
 * Accepting a stop: synchronous and atomic. The phase, the epoch and the cut are taken in one step, children included, before any signal
 * aborts, so that nothing that an abort sets off can slip in between (E-11, E-13).
 */
import { ToolHaltError } from '../../definition/errors.ts'
import type { HaltOrder, StopScope } from '../../definition/vocabulary.ts'
import { attempt } from '../../guarding/attempt.ts'
import { messageOf } from '../../guarding/thrown.ts'
import { mintOrder } from './minted-order.ts'
import { abandon, blockEnded } from './quarantine.ts'
import { blocksOf, fail, later, tryRelease } from './release.ts'
import { type Block, type Bounded, diagnose, type Domain, type Stop } from './state.ts'

export function acceptStop<R>(domain: Domain<R>, order: HaltOrder, bounded?: { budgetMs: number; drainMs: number }): Stop<R> {
  const stop = openStop(domain, order, bounded)
  domain.armed = false
  domain.epoch += 1
  domain.newest = order.haltId
  domain.stops.push(stop)
  for (const block of stop.cut) block.cut = stop
  stopChildren(domain, stop, bounded?.drainMs)
  for (const block of stop.cut) interruptBlock(block, stop)
  for (const block of stop.waiting) armGrace(domain, stop, block)
  startInterrupt(domain, stop, bounded?.budgetMs)
  tryRelease(domain, stop)
  return stop
}

function openStop<R>(domain: Domain<R>, order: HaltOrder, bounded: { budgetMs: number } | undefined): Stop<R> {
  const { haltId, reason } = order
  const limits: Bounded | undefined = bounded && { budgetMs: bounded.budgetMs, deadlinePassed: false }
  let settle: Stop<R>['settle'] = () => {}
  const answer = new Promise<void>((resolve, reject) => {
    settle = (rejection) => (rejection === undefined ? resolve() : reject(rejection.error))
  })
  // Callers may drop the promise of a stop.
  answer.then(undefined, () => {})
  const cut = [...domain.active.values()].filter((block) => block.cut === undefined)
  return {
    order,
    haltId,
    reason,
    acceptedAt: domain.clock.now(),
    cut,
    waiting: new Set([...domain.working].filter((block) => block.cut === undefined)),
    children: [],
    joined: [],
    leftBehind: [],
    interruptControl: new AbortController(),
    releaseControl: new AbortController(),
    timers: new Set(),
    bounded: limits,
    answer,
    onClosed: [],
    phase: 'draining',
    interruptRuns: false,
    interruptExpired: false,
    childFailed: false,
    failure: undefined,
    releaseError: undefined,
    fallback: 'none',
    settle,
  }
}

/** Newest child first; each shares the parent's drain deadline and is closed before the parent's release begins (E-27). */
function stopChildren<R>(domain: Domain<R>, stop: Stop<R>, drainMs: number | undefined): void {
  for (const child of [...domain.children].toReversed()) {
    const order = mintOrder(`${stop.haltId}/${child.name}`, stop.reason)
    const record = { open: true, expire: (): void => {} }
    const expire = child.stop(order, drainMs, (failed) => {
      record.open = false
      if (failed && !stop.childFailed) {
        stop.childFailed = true
        fail(stop, { code: 'CHILD_FAILED', message: `the child domain '${child.name}' left work behind` })
      }
      tryRelease(domain, stop)
    })
    if (expire === undefined) continue
    record.expire = expire
    stop.children.push(record)
  }
}

/** Unstarted blocks have ended by this; started ones lose their surface and hear the order itself. */
function interruptBlock<R>(block: Block<R>, stop: Stop<R>): void {
  const { domain } = block
  if (!block.started) {
    block.bodyDone = true
    domain.active.delete(block.ident.commandId)
    domain.closedIds.set(block.ident.commandId, true)
    blockEnded(block)
    return
  }
  block.progress?.close()
  block.lease?.revoke()
  block.signal?.abort(stop.order)
}

function armGrace<R>(domain: Domain<R>, stop: Stop<R>, block: Block<R>): void {
  if (block.policy === 'wait') return
  const graceMs = block.policy === 'abandon' ? 0 : block.policy.graceMs
  later(domain, stop, graceMs, () => {
    if (!stop.waiting.has(block)) return
    abandon(block, stop)
    fail(stop, { code: 'ABANDONED', message: `block '${block.ident.dlineTid}' did not end in its grace of ${graceMs} ms` })
    tryRelease(domain, stop)
  })
}

/** Starts at once. One that throws is reported and ignored; one that hangs is waited for `interruptMs`, at most half the budget (E-15). */
function startInterrupt<R>(domain: Domain<R>, stop: Stop<R>, budgetMs: number | undefined): void {
  const { runner } = domain
  if (runner.interrupt === undefined) return
  stop.interruptRuns = true
  const scope: StopScope = { order: stop.order, signal: stop.interruptControl.signal, blocks: blocksOf(stop) }
  void attempt(() => runner.interrupt?.(stop.order, scope)).then((outcome) => {
    if (!stop.interruptRuns) diagnose(domain, { kind: 'late_interrupt', haltId: stop.haltId })
    stop.interruptRuns = false
    if (!outcome.ok)
      diagnose(domain, { kind: 'interrupt_failed', haltId: stop.haltId, error: outcome.error, detail: messageOf(outcome.error) })
    tryRelease(domain, stop)
  })
  const waitMs = budgetMs === undefined ? domain.interruptMs : Math.min(domain.interruptMs, budgetMs / 2)
  later(domain, stop, waitMs, () => {
    stop.interruptExpired = true
    tryRelease(domain, stop)
  })
}

/** A newer bounded stop closes an older one: a release under way is given up, one that had not begun joins the newer one's (E-20). */
export function takeOver<R>(older: Stop<R>, by: Stop<R>, close: (stop: Stop<R>) => void): void {
  if (older.phase === 'draining') {
    for (const block of older.waiting) abandon(block, older)
    by.joined.push(...older.joined, ...older.cut)
    by.leftBehind.push(...older.leftBehind)
  }
  if (older.phase !== 'failing') {
    older.failure = { code: 'TAKEN_OVER', message: `the stop '${by.haltId}' ran out of time and closed it` }
    const error = new ToolHaltError(older.failure, older.haltId)
    older.interruptControl.abort(error)
    older.releaseControl.abort(error)
    older.interruptRuns = false
  }
  close(older)
}
