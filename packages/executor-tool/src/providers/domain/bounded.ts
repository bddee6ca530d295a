/**
 * Stops with a budget: the last fifth is kept for the release, and both the drain and the release end when their time is over (E-20 to E-22).
 */
import { ToolHaltError } from '../../definition/errors.ts'
import type { HaltReport } from '../../definition/domain.ts'
import type { HaltFailure } from '../../definition/events.ts'
import type { HaltOrder, HaltReason } from '../../definition/vocabulary.ts'
import { abandon } from './quarantine.ts'
import { beginRelease, close, closedReport, conclude, fail, later } from './release.ts'
import { DEFAULT_BUDGET_MS, diagnose, type Domain, isBudget, type Stop } from './state.ts'
import { acceptStop, takeOver } from './stop.ts'

const LONGEST_RESERVE_MS = 1000

/** Accepts a stop that closes in `budgetMs`. */
export function acceptBounded<R>(domain: Domain<R>, order: HaltOrder, budgetMs: number): Stop<R> {
  const drainMs = budgetMs === Number.POSITIVE_INFINITY ? budgetMs : budgetMs - Math.min(LONGEST_RESERVE_MS, budgetMs / 5)
  const stop = acceptStop(domain, order, { budgetMs, drainMs })
  if (stop.phase === 'closed' || budgetMs === Number.POSITIVE_INFINITY) return stop
  atPass(domain, stop, drainMs, () => endDrain(domain, stop))
  atPass(domain, stop, budgetMs, () => endRelease(domain, stop))
  return stop
}

/** One pass of the event loop after the time is over: what has happened already, but was not told yet, still counts. */
function atPass<R>(domain: Domain<R>, stop: Stop<R>, ms: number, run: () => void): void {
  if (ms > 0) later(domain, stop, ms, () => later(domain, stop, 0, run))
  else later(domain, stop, 0, run)
}

/** The drain's time is over: older stops are closed, children too, stragglers are given up, and the release runs with what time is left. */
function endDrain<R>(domain: Domain<R>, stop: Stop<R>): void {
  if (stop.phase !== 'draining') return
  while (domain.stops[0] !== undefined && domain.stops[0] !== stop) closeOlder(domain, domain.stops[0], stop)
  for (const child of stop.children) if (child.open) child.expire()
  if (stop.waiting.size > 0) fail(stop, drainTimeout(`${stop.waiting.size} block(s) had not ended when the drain's time was over`))
  for (const block of stop.waiting) abandon(block, stop)
  // The last child may have let the release begin.
  if (stop.phase === 'draining') beginRelease(domain, stop)
}

function closeOlder<R>(domain: Domain<R>, older: Stop<R>, stop: Stop<R>): void {
  fail(stop, drainTimeout(`the earlier stop '${older.haltId}' had not closed when the drain's time was over`))
  takeOver(older, stop, (taken) => {
    if (taken.bounded !== undefined) taken.bounded.deadlinePassed = true
    if (taken.phase === 'failing') close(domain, taken)
    else conclude(domain, taken)
  })
}

function endRelease<R>(domain: Domain<R>, stop: Stop<R>): void {
  if (stop.phase === 'closed') return
  if (stop.bounded !== undefined) stop.bounded.deadlinePassed = true
  if (stop.phase === 'draining') endDrain(domain, stop)
  if (stop.phase === 'releasing') giveUpRelease(domain, stop)
  else if (stop.phase === 'failing') close(domain, stop)
}

function giveUpRelease<R>(domain: Domain<R>, stop: Stop<R>): void {
  const failure: HaltFailure = { code: 'RELEASE_TIMEOUT', message: 'the release did not return in its time' }
  stop.releaseControl.abort(new ToolHaltError(failure, stop.haltId))
  fail(stop, failure)
  conclude(domain, stop)
}

/** Ends an open stop now, whatever it still waits for: the parent's drain is over. */
export function expire<R>(domain: Domain<R>, stop: Stop<R>): void {
  endRelease(domain, stop)
}

function drainTimeout(message: string): HaltFailure {
  return { code: 'DRAIN_TIMEOUT', message }
}

export function mintHaltId<R>(domain: Domain<R>): string {
  let id: string
  do {
    domain.minted += 1
    id = `${domain.idPrefix}-halt-${domain.minted}`
  } while (domain.retired.has(id) || domain.stops.some((stop) => stop.haltId === id))
  return id
}

/** A budget that is none becomes the default and a diagnostic. */
export function budgetOf<R>(domain: Domain<R>, given: unknown): number {
  if (given === undefined) return domain.haltBudgetMs
  if (isBudget(given)) return given
  diagnose(domain, { kind: 'invalid_budget', detail: `budgetMs must be a number >= 0, not ${String(given)}` })
  return domain.haltBudgetMs ?? DEFAULT_BUDGET_MS
}

/** The report of a stop, when it has closed. */
export function reportOf<R>(domain: Domain<R>, stop: Stop<R>): Promise<HaltReport> {
  if (stop.phase === 'closed') return Promise.resolve(closedReport(domain, stop))
  return new Promise((resolve) => {
    stop.onClosed.push(() => resolve(closedReport(domain, stop)))
  })
}

/** A report of a stop that has not closed yet, or never opened. */
export function emptyReport(status: 'requested' | 'disposed', haltId: string): HaltReport {
  return Object.freeze({ status, haltId, discarded: [], abandoned: [], fallback: 'none', tookMs: 0 })
}

export function isReason(value: unknown): value is HaltReason {
  return value === 'cancel' || value === 'terminate' || value === 'detach'
}
