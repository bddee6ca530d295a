/**
 * The domain, read as a table of contents: commands in (accept, run), events out (feed), stops (stop, bounded, release, quarantine), children.
 */
import { deniedSurface, type ToolDomainSurface } from '@toolseam/core-tools'
import type {
  ChildDomainOptions,
  HaltReport,
  RearmAnswer,
  ToolDomainOptions,
  ToolDomainRunner,
  ToolExecutionDomain,
} from '../../definition/domain.ts'
import { ToolExecutorError } from '../../definition/errors.ts'
import type { ToolDomainEvent } from '../../definition/events.ts'
import type { BlockProgress, HaltOrder, HaltReason } from '../../definition/vocabulary.ts'
import { handle } from './accept.ts'
import { acceptBounded, budgetOf, emptyReport, expire, isReason, mintHaltId, reportOf } from './bounded.ts'
import { hostClock } from './clock.ts'
import { asksForItself } from './context.ts'
import { createEventStamp, createFeed } from './feed.ts'
import { mintOrder } from './minted-order.ts'
import { tryRelease } from './release.ts'
import { type ChildDomain, createState, diagnose, type Domain, phaseOf } from './state.ts'
import { acceptStop } from './stop.ts'

export function createToolExecutionDomain<R>(options: ToolDomainOptions<R>): ToolExecutionDomain<R> {
  return createDomain(options, { parent: undefined, onDisposed() {} }).domain
}

interface Assembled<R> {
  readonly domain: ToolExecutionDomain<R>
  readonly state: Domain<R>
}

function createDomain<R>(options: ToolDomainOptions<R>, { parent, onDisposed }: Pick<Domain<R>, 'parent' | 'onDisposed'>): Assembled<R> {
  const clock = options.clock ?? hostClock
  const listenerFailed = (error: unknown): void => diagnose(state, { kind: 'listener_failed', error })
  const events = createFeed<ToolDomainEvent<R>>(listenerFailed)
  const stamp = createEventStamp(
    () => state.epoch,
    () => clock.now(),
  )
  const state: Domain<R> = createState(options, clock, {
    parent,
    progressFeed: createFeed<BlockProgress>(listenerFailed),
    emit: (body) => events.send(stamp(body)),
    advance: (stop) => tryRelease(state, stop),
    requestHalt: (reason) => void haltWithin(state, reason, {}),
    onDisposed,
  })
  const domain: ToolExecutionDomain<R> = {
    surface: options.surface,
    handle: (command) => handle(state, command),
    halt: (order) => halt(state, order),
    haltToolDomain: (reason, limits = {}) => haltWithin(state, reason, limits),
    rearm: (haltId) => rearm(state, haltId),
    openChild: (child) => openChild(state, child),
    subscribe: (listener) => events.subscribe(listener),
    onProgress: (listener) => state.progressFeed.subscribe(listener),
    snapshot: () => ({
      phase: phaseOf(state),
      epoch: state.epoch,
      inFlight: [...state.active.values()].map((block) => block.ident),
      quarantined: [...state.quarantine].map((block) => block.ident),
      children: state.children.size,
    }),
    capacity: (limit) => Math.max(1, limit - state.quarantine.size),
    dispose: () => dispose(state),
    [Symbol.asyncDispose]: () => dispose(state),
  }
  return { domain, state }
}

/** A stop without a limit of time (E-17 to E-19). */
function halt<R>(state: Domain<R>, order: HaltOrder): Promise<void> {
  const { haltId, reason } = readOrder(order)
  if (haltId === undefined || reason === undefined) return invalidOrder()
  const known = state.retired.get(haltId)
  if (known !== undefined) return known.answer
  const itself = asksForItself(state)
  const open = state.stops.find((stop) => stop.haltId === haltId)
  if (open !== undefined) return itself ? Promise.resolve() : open.answer
  if (state.disposing !== undefined) return itself ? Promise.resolve() : state.disposing
  const stop = acceptStop(state, order)
  return itself ? Promise.resolve() : stop.answer
}

/** A stop within a budget, by the id given or one of our own. Never rejects. */
async function haltWithin<R>(state: Domain<R>, reason: HaltReason, limits: { budgetMs?: number; haltId?: string }): Promise<HaltReport> {
  const haltId = limits.haltId ?? mintHaltId(state)
  const itself = asksForItself(state)
  if (state.disposing !== undefined) {
    if (!itself) await state.disposing
    return emptyReport('disposed', haltId)
  }
  const closed = state.retired.get(haltId)
  if (closed !== undefined) return closed.report
  const open = state.stops.find((stop) => stop.haltId === haltId)
  // A reason that is none must not keep work running.
  const order = mintOrder(haltId, isReason(reason) ? reason : 'cancel')
  const stop = open ?? acceptBounded(state, order, budgetOf(state, limits.budgetMs))
  return itself ? emptyReport('requested', haltId) : reportOf(state, stop)
}

function readOrder(order: HaltOrder): { haltId: string | undefined; reason: HaltReason | undefined } {
  try {
    const { haltId, reason } = order
    return { haltId: typeof haltId === 'string' && haltId !== '' ? haltId : undefined, reason: isReason(reason) ? reason : undefined }
  } catch {
    return { haltId: undefined, reason: undefined }
  }
}

function invalidOrder(): Promise<void> {
  const refused = Promise.reject(
    new ToolExecutorError('HALT_INVALID', 'a halt order needs a haltId and a reason of cancel, terminate or detach'),
  )
  refused.catch(() => {})
  return refused
}

/** First match answers; anything but `rearmed` changes nothing (E-23). */
function rearm<R>(state: Domain<R>, haltId: string | undefined): RearmAnswer {
  if (state.disposing !== undefined) return 'disposed'
  if (state.armed) return 'not_halted'
  if (haltId !== undefined && haltId !== state.newest) return 'superseded'
  if (state.stops.length > 0) return 'draining'
  if (state.parent !== undefined && !state.parent.domain.armed) return 'parent_halted'
  state.armed = true
  return 'rearmed'
}

/** Bounded stop with `terminate`; never rejects. From inside a block it does not wait for that block. */
function dispose<R>(state: Domain<R>): Promise<void> {
  const itself = asksForItself(state)
  if (state.disposing === undefined) {
    const order = mintOrder(mintHaltId(state), 'terminate')
    const stop = acceptBounded(state, order, state.haltBudgetMs)
    state.disposing = reportOf(state, stop).then(() => markDisposed(state))
  }
  return itself ? Promise.resolve() : state.disposing
}

function markDisposed<R>(state: Domain<R>): void {
  state.disposing ??= Promise.resolve()
  for (const stop of state.stops.slice()) expire(state, stop)
  state.armed = false
  if (state.disposed) return
  state.disposed = true
  for (const child of state.children) child.markDisposed()
  state.onDisposed()
}

function openChild<P, C>(state: Domain<P>, options: ChildDomainOptions<C>): ToolExecutionDomain<C> {
  if (!state.armed || state.disposing !== undefined) {
    throw new ToolExecutorError('DOMAIN_NOT_ARMED', 'a child domain can only be opened while its parent is armed', {
      phase: phaseOf(state),
    })
  }
  state.childrenOpened += 1
  const name = options.idPrefix ?? `child-${state.childrenOpened}`
  const { retain, clock, interruptMs, haltBudgetMs, diagnostics } = state.options
  const inherited = { retain, clock, interruptMs, haltBudgetMs, diagnostics }
  const given = Object.fromEntries(Object.entries(inherited).filter(([, value]) => value !== undefined))
  const entry: { current: ChildDomain | undefined } = { current: undefined }
  const child = createDomain<C>(
    {
      ...given,
      // Where none is given, the child's blocks are run as its parent's are.
      runner: options.runner ?? (state.runner as ToolDomainRunner<never>),
      surface: narrowed(state.surface, options.surface),
      idPrefix: `${state.idPrefix}/${name}`,
    },
    {
      parent: { domain: state },
      onDisposed: () => {
        if (entry.current !== undefined) state.children.delete(entry.current)
      },
    },
  )
  entry.current = childEntry(child.state, name)
  state.children.add(entry.current)
  return child.domain
}

/** A child of a denied surface is denied whatever it asks for (E-27). */
function narrowed(parent: ToolDomainSurface, wanted: ToolDomainSurface): ToolDomainSurface {
  return parent.kind === 'denied' && wanted.kind !== 'denied' ? deniedSurface(parent.reason) : wanted
}

/** What a parent does with its child: it is known to it until it is disposed. */
function childEntry<C>(child: Domain<C>, name: string): ChildDomain {
  return {
    name,
    stop(order, budgetMs, closed) {
      if (child.disposed) return undefined
      const stop = budgetMs === undefined ? acceptStop(child, order) : acceptBounded(child, order, budgetMs)
      stop.onClosed.push(() => closed(stop.failure !== undefined))
      return () => expire(child, stop)
    },
    markDisposed: () => markDisposed(child),
  }
}
