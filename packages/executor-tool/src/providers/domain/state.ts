/**
 * The records of a domain: itself, its blocks, its stops. Each function of this folder reads and changes these and nothing else.
 */
import type {
  BlockTerms,
  DomainClock,
  DomainDiagnostic,
  DomainPhase,
  HaltReport,
  ToolDomainOptions,
  ToolDomainRunner,
} from '../../definition/domain.ts'
import type { HaltFailure, ToolDomainEventBody } from '../../definition/events.ts'
import type { ToolDomainSurface } from '../../definition/surface.ts'
import type { BlockProgress, HaltOrder, Ident, StopPolicy, ToolRunCommand } from '../../definition/vocabulary.ts'
import { callGuarded } from '../../guarding/attempt.ts'
import { BoundedMap } from '../../guarding/bounded-map.ts'
import type { BlockSignal } from './block-signal.ts'
import type { RunningBody } from './context.ts'
import type { Feed } from './feed.ts'
import type { ProgressLane } from './progress.ts'
import type { OwnedScope } from './scope.ts'
import type { SurfaceLease } from './surface-lease.ts'

export const DEFAULT_BUDGET_MS = 5000
const DEFAULT_INTERRUPT_MS = 2500
const DEFAULT_RETAIN = 10_000
const RETIRED_STOPS = 1000

/** One accepted command. */
export interface Block<R> {
  readonly domain: Domain<R>
  readonly command: ToolRunCommand
  readonly ident: Ident
  readonly callId: string | undefined
  readonly policy: StopPolicy
  readonly epoch: number
  readonly outer: RunningBody | undefined
  started: boolean
  /** The body has settled and its scope is closed: its outcome was told or is left to the stop that cut it. */
  bodyDone: boolean
  /** Nothing of it runs any more. */
  ended: boolean
  /** Works that go on after the body. */
  outlived: number
  cut: Stop<R> | undefined
  abandoned: boolean
  // Made when a body first asks for them.
  signal: BlockSignal | undefined
  scope: OwnedScope | undefined
  lease: SurfaceLease | undefined
  progress: ProgressLane | undefined
}

export interface ChildStop {
  readonly expire: () => void
  open: boolean
}

/** One accepted stop. `draining` until its release begins; `failing` while a fallback is waited for. */
export interface Stop<R> {
  readonly order: HaltOrder
  readonly haltId: string
  readonly reason: HaltOrder['reason']
  readonly acceptedAt: number
  /** What this stop lists. */
  readonly cut: readonly Block<R>[]
  /** What this stop still waits for: its cut, and works that outlived their blocks. */
  readonly waiting: Set<Block<R>>
  readonly children: ChildStop[]
  /** Cut by older stops whose release never began; released with this one. */
  readonly joined: Block<R>[]
  /** Given up by this stop, their scopes still to be closed. */
  readonly leftBehind: Block<R>[]
  readonly interruptControl: AbortController
  readonly releaseControl: AbortController
  readonly timers: Set<() => void>
  readonly bounded: Bounded | undefined
  readonly answer: Promise<void>
  readonly onClosed: (() => void)[]
  phase: 'draining' | 'releasing' | 'failing' | 'closed'
  interruptRuns: boolean
  interruptExpired: boolean
  childFailed: boolean
  failure: HaltFailure | undefined
  releaseError: { readonly error: unknown } | undefined
  fallback: 'none' | 'ran' | 'threw'
  settle: (rejection: { readonly error: unknown } | undefined) => void
}

export interface Bounded {
  readonly budgetMs: number
  deadlinePassed: boolean
}

export interface Domain<R> {
  readonly runner: ToolDomainRunner<R>
  readonly surface: ToolDomainSurface
  readonly clock: DomainClock
  readonly idPrefix: string
  readonly haltBudgetMs: number
  readonly interruptMs: number
  readonly options: ToolDomainOptions<R>
  readonly parent: { readonly domain: Ancestor } | undefined
  readonly children: Set<ChildDomain>
  /** Accepted and not closed, by command id. */
  readonly active: Map<string, Block<R>>
  /** Everything that a stop would wait for. */
  readonly working: Set<Block<R>>
  readonly quarantine: Set<Block<R>>
  readonly closedIds: BoundedMap<true>
  /** Open stops, oldest first. */
  readonly stops: Stop<R>[]
  /** Answers and reports of closed stops. */
  readonly retired: BoundedMap<{ readonly answer: Promise<void>; readonly report: HaltReport }>
  readonly progressFeed: Feed<BlockProgress>
  emit(body: ToolDomainEventBody<R>): void
  /** A stop waits for less than before: does its release begin? */
  advance(stop: Stop<R>): void
  /** Accepts a bounded stop on behalf of a body. */
  requestHalt(reason: HaltOrder['reason']): void
  /** Told once, when this domain is disposed. */
  onDisposed(): void
  armed: boolean
  epoch: number
  newest: string | undefined
  minted: number
  childrenOpened: number
  disposing: Promise<void> | undefined
  disposed: boolean
}

/** What a domain needs to know of the ones above it. */
export interface Ancestor {
  readonly armed: boolean
  readonly parent: { readonly domain: Ancestor } | undefined
}

/** What a domain needs to do with the ones below it. */
export interface ChildDomain {
  readonly name: string
  /** Accepts the parent's stop; `closed` is told once, with whether it failed. Undefined where the child is gone. */
  stop(order: HaltOrder, budgetMs: number | undefined, closed: (failed: boolean) => void): (() => void) | undefined
  markDisposed(): void
}

export type DomainParts<R> = Pick<Domain<R>, 'parent' | 'progressFeed' | 'emit' | 'advance' | 'requestHalt' | 'onDisposed'>

/** `resolve` of the options: the one place where defaults are decided. */
export function createState<R>(options: ToolDomainOptions<R>, clock: DomainClock, parts: DomainParts<R>): Domain<R> {
  const { haltBudgetMs = DEFAULT_BUDGET_MS, interruptMs = DEFAULT_INTERRUPT_MS } = options
  if (!isBudget(haltBudgetMs)) throw new RangeError(`haltBudgetMs must be a number of milliseconds >= 0, not ${String(haltBudgetMs)}`)
  if (!isBudget(interruptMs)) throw new RangeError(`interruptMs must be a number of milliseconds >= 0, not ${String(interruptMs)}`)
  return {
    ...parts,
    options,
    runner: options.runner,
    surface: options.surface,
    clock,
    idPrefix: options.idPrefix ?? 'domain',
    haltBudgetMs,
    interruptMs,
    children: new Set(),
    active: new Map(),
    working: new Set(),
    quarantine: new Set(),
    closedIds: new BoundedMap(options.retain ?? DEFAULT_RETAIN),
    stops: [],
    retired: new BoundedMap(RETIRED_STOPS),
    armed: true,
    epoch: 0,
    newest: undefined,
    minted: 0,
    childrenOpened: 0,
    disposing: undefined,
    disposed: false,
  }
}

export function isBudget(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

export function phaseOf<R>(domain: Domain<R>): DomainPhase {
  if (domain.disposed) return 'disposed'
  if (domain.armed) return 'armed'
  return domain.stops.length > 0 ? 'halting' : 'halted'
}

export function diagnose<R>(domain: Domain<R>, diagnostic: DomainDiagnostic): void {
  callGuarded(() => domain.options.diagnostics?.(diagnostic), ignore)
}

function ignore(): void {
  // Diagnostics are the last instance.
}

export type { BlockTerms }
