/**
 * The way from drained to closed: release once per stop, the callbacks of a failed bounded stop, the closing event strictly last (E-13 to E-16).
 */
import { ToolHaltError } from '../../definition/errors.ts'
import type { HaltReport } from '../../definition/domain.ts'
import type { HaltFailure } from '../../definition/events.ts'
import type { Ident, StopScope } from '../../definition/vocabulary.ts'
import { type Attempt, attempt, callGuarded } from '../../guarding/attempt.ts'
import { messageOf } from '../../guarding/thrown.ts'
import { diagnose, type Domain, type Stop } from './state.ts'

/** The release begins when this is the oldest open stop and nothing is waited for any more. */
export function tryRelease<R>(domain: Domain<R>, stop: Stop<R>): void {
  if (stop.phase !== 'draining' || domain.stops[0] !== stop) return
  if (stop.waiting.size > 0 || stop.children.some((child) => child.open)) return
  if (stop.interruptRuns && !stop.interruptExpired) return
  beginRelease(domain, stop)
}

export function beginRelease<R>(domain: Domain<R>, stop: Stop<R>): void {
  stop.phase = 'releasing'
  if (stop.interruptRuns) giveUpInterrupt(stop)
  const drained = stop.leftBehind.length === 0 && !stop.childFailed
  const scope = { order: stop.order, signal: stop.releaseControl.signal, blocks: blocksOf(stop), drained }
  const closing = stop.leftBehind.map((block) => block.scope?.close())
  const released = attempt(() => domain.runner.release(stop.order, scope))
  void Promise.all([released, ...closing]).then(([outcome]) => onReleased(domain, stop, outcome))
}

function giveUpInterrupt<R>(stop: Stop<R>): void {
  stop.interruptRuns = false
  const failure: HaltFailure = { code: 'INTERRUPT_TIMEOUT', message: 'the interrupt did not return in its time' }
  stop.interruptControl.abort(new ToolHaltError(failure, stop.haltId))
  fail(stop, failure)
}

function onReleased<R>(domain: Domain<R>, stop: Stop<R>, outcome: Attempt<void>): void {
  if (stop.phase !== 'releasing') {
    diagnose(domain, { kind: 'late_release', haltId: stop.haltId, ...(outcome.ok ? {} : { error: outcome.error }) })
    return
  }
  if (!outcome.ok) stop.releaseError = { error: outcome.error }
  conclude(domain, stop)
}

/** The release is over, one way or the other. A bounded stop that failed tells its host before it closes (E-21). */
export function conclude<R>(domain: Domain<R>, stop: Stop<R>): void {
  const failure = failureOf(stop)
  if (stop.bounded === undefined || failure === undefined) {
    close(domain, stop)
    return
  }
  stop.phase = 'failing'
  const report = (detail: string, error: unknown): void => diagnose(domain, { kind: 'callback_failed', haltId: stop.haltId, detail, error })
  callGuarded(
    () => domain.options.onHaltFailure?.(failure, stop.order),
    (error) => report('onHaltFailure', error),
  )
  const { fallbackRelease } = domain.options
  if (fallbackRelease === undefined) {
    close(domain, stop)
    return
  }
  stop.fallback = 'ran'
  void attempt(() => {
    try {
      return fallbackRelease(failure, stop.order, abandonedBy(stop))
    } catch (error) {
      stop.fallback = 'threw'
      throw error
    }
  }).then((outcome) => {
    if (!outcome.ok) report('fallbackRelease', outcome.error)
    if (stop.phase !== 'failing') {
      diagnose(domain, { kind: 'late_fallback', haltId: stop.haltId })
      return
    }
    if (!outcome.ok) stop.fallback = 'threw'
    close(domain, stop)
  })
  if (stop.bounded.deadlinePassed) close(domain, stop)
}

/** Closes once: the state first, then the event, then the answer, then the next stop. */
export function close<R>(domain: Domain<R>, stop: Stop<R>): void {
  if (stop.phase === 'closed') return
  stop.phase = 'closed'
  for (const cancel of stop.timers) cancel()
  stop.timers.clear()
  domain.stops.splice(domain.stops.indexOf(stop), 1)
  domain.retired.set(stop.haltId, { answer: stop.answer, report: closedReport(domain, stop) })
  emitClosing(domain, stop)
  stop.settle(rejectionOf(stop))
  for (const told of stop.onClosed) told()
  const next = domain.stops[0]
  if (next !== undefined) tryRelease(domain, next)
}

function emitClosing<R>(domain: Domain<R>, stop: Stop<R>): void {
  const { haltId, reason, failure } = stop
  const discarded = discardedBy(stop)
  if (failure !== undefined) {
    domain.emit({ kind: 'tool.halt_failed', haltId, reason, discarded, abandoned: abandonedBy(stop), cause: Object.freeze(failure) })
    return
  }
  const halted = { kind: 'tool.halted', haltId, reason, discarded, quarantined: domain.quarantine.size } as const
  domain.emit(stop.releaseError === undefined ? halted : { ...halted, releaseError: stop.releaseError.error })
}

function rejectionOf<R>(stop: Stop<R>): { readonly error: unknown } | undefined {
  return stop.failure === undefined ? stop.releaseError : { error: new ToolHaltError(stop.failure, stop.haltId) }
}

/** What a report names: the stop's own failure, else a release that threw. */
export function failureOf<R>(stop: Stop<R>): HaltFailure | undefined {
  if (stop.failure !== undefined || stop.releaseError === undefined) return stop.failure
  const { error } = stop.releaseError
  return { code: 'RELEASE_FAILED', message: `the release threw: ${messageOf(error)}`, cause: error }
}

export function closedReport<R>(domain: Domain<R>, stop: Stop<R>): HaltReport {
  const cause = failureOf(stop)
  return Object.freeze({
    status: cause === undefined ? 'halted' : 'failed',
    haltId: stop.haltId,
    discarded: discardedBy(stop),
    abandoned: abandonedBy(stop),
    ...(cause === undefined ? {} : { cause }),
    fallback: stop.fallback,
    tookMs: domain.clock.now() - stop.acceptedAt,
  })
}

/** The first failure names the stop. */
export function fail<R>(stop: Stop<R>, failure: HaltFailure): void {
  stop.failure ??= failure
}

export function discardedBy<R>(stop: Stop<R>): Ident[] {
  const left = new Set(stop.leftBehind)
  return stop.cut.filter((block) => !left.has(block)).map((block) => block.ident)
}

export function abandonedBy<R>(stop: Stop<R>): Ident[] {
  return stop.leftBehind.filter((block) => block.cut === stop).map((block) => block.ident)
}

export function blocksOf<R>(stop: Stop<R>): StopScope['blocks'] {
  return [...stop.joined, ...stop.cut].map(({ ident, callId }) => (callId === undefined ? ident : { ...ident, callId }))
}

/** A timer of a stop: gone when the stop closes. */
export function later<R>(domain: Domain<R>, stop: Stop<R>, ms: number, run: () => void): void {
  const cancel = domain.clock.after(ms, () => {
    stop.timers.delete(cancel)
    run()
  })
  stop.timers.add(cancel)
}
