/**
 * The tool execution domain. Promises: `handle` returns at once and never throws; N accepted commands are N in flight; every outcome is an
 * event; after `tool.halted` nothing of the stopped work runs or speaks; no command is accepted while an accepted stop is open; after a
 * stop the domain stays halted until `rearm`; nothing here leaves a rejection unhandled.
 */
import type { Disposer } from '@toolseam/core-tools'
import type { HaltFailure, ToolDomainEvent } from './events.ts'
import type { ToolDomainSurface } from './surface.ts'
import type { BlockContext, BlockProgress, HaltOrder, HaltReason, Ident, StopPolicy, StopScope, ToolRunCommand } from './vocabulary.ts'

/** Runs blocks and releases what they owned. `interrupt` and `release` run at most once per `haltId`. */
export interface ToolDomainRunner<R> {
  runBlock(command: ToolRunCommand, context: BlockContext): Promise<R> | R
  /** Terms of an admitted block, read when its command is handed over. Absent or undefined: no turn of its own, waits for its end. */
  terms?(command: ToolRunCommand): BlockTerms | undefined
  interrupt?(order: HaltOrder, scope: StopScope): Promise<void> | void
  release(order: HaltOrder, scope: StopScope & { readonly drained: boolean }): Promise<void> | void
}

export interface BlockTerms {
  readonly turnId?: string
  readonly callId?: string
  readonly stop?: StopPolicy
}

/** Monotonic milliseconds. `after` returns its cancel; 0 is one pass of the event loop. */
export interface DomainClock {
  now(): number
  after(ms: number, run: () => void): () => void
}

export type DomainPhase = 'armed' | 'halting' | 'halted' | 'disposed'

export type RearmAnswer = 'rearmed' | 'not_halted' | 'superseded' | 'draining' | 'parent_halted' | 'disposed'

export interface HaltReport {
  /** `requested`: asked from inside a block that the stop waits for; the closing event tells the rest. */
  readonly status: 'halted' | 'failed' | 'requested' | 'disposed'
  readonly haltId: string
  readonly discarded: readonly Ident[]
  readonly abandoned: readonly Ident[]
  readonly cause?: HaltFailure
  readonly fallback: 'none' | 'ran' | 'threw'
  readonly tookMs: number
}

/** Facts that are no events: late settlements, throwing listeners, ignored failures. `kind` says which. */
export interface DomainDiagnostic {
  readonly kind:
    | 'late_settlement'
    | 'late_release'
    | 'late_interrupt'
    | 'late_fallback'
    | 'listener_failed'
    | 'scope_failed'
    | 'surface_failed'
    | 'interrupt_failed'
    | 'abort_listener_failed'
    | 'callback_failed'
    | 'terms_failed'
    | 'invalid_budget'
  readonly haltId?: string
  readonly ident?: Ident
  readonly error?: unknown
  readonly detail?: string
}

export interface ToolDomainOptions<R> {
  runner: ToolDomainRunner<R>
  surface: ToolDomainSurface
  /** Leads every id that the domain mints. Default `domain`. */
  idPrefix?: string
  /** Budget of `haltToolDomain` and `dispose`, in ms. Default 5000. NaN and negative are a RangeError. */
  haltBudgetMs?: number
  /** How long a hanging interrupt is waited for, in ms; at most half the budget of a bounded stop. Default 2500. */
  interruptMs?: number
  /** How many closed command ids are remembered. Default 10 000. */
  retain?: number
  /** Commands of another turn are rejected as superseded. */
  currentTurn?(): string | undefined
  clock?: DomainClock
  /** Called once when a bounded stop fails. */
  onHaltFailure?(failure: HaltFailure, order: HaltOrder): void
  /** Called once when a bounded stop fails; waited for until the deadline, never beyond. */
  fallbackRelease?(failure: HaltFailure, order: HaltOrder, abandoned: readonly Ident[]): Promise<void> | void
  diagnostics?(diagnostic: DomainDiagnostic): void
}

export interface ChildDomainOptions<R> {
  /** A child of a denied surface is denied whatever it asks for. */
  surface: ToolDomainSurface
  runner?: ToolDomainRunner<R>
  idPrefix?: string
}

export interface DomainSnapshot {
  readonly phase: DomainPhase
  readonly epoch: number
  readonly inFlight: readonly Ident[]
  readonly quarantined: readonly Ident[]
  readonly children: number
}

export interface ToolExecutionDomain<R> {
  /** What bodies of this domain are given; denied where it was withdrawn. */
  readonly surface: ToolDomainSurface
  handle(command: ToolRunCommand): void
  /**
   * Stops without a time limit. Resolves on `tool.halted`, rejects with `ToolHaltError` on `tool.halt_failed` and with the release's own
   * error when the release threw. From inside a block that the stop waits for it resolves at acceptance. The same id joins.
   */
  halt(order: HaltOrder): Promise<void>
  /** Stops within its budget. Never rejects. `haltId` is minted unless given. */
  haltToolDomain(reason: HaltReason, options?: { budgetMs?: number; haltId?: string }): Promise<HaltReport>
  rearm(haltId?: string): RearmAnswer
  /** Only while armed (`DOMAIN_NOT_ARMED`). */
  openChild<C = R>(options: ChildDomainOptions<C>): ToolExecutionDomain<C>
  subscribe(listener: (event: ToolDomainEvent<R>) => void): Disposer
  onProgress(listener: (progress: BlockProgress) => void): Disposer
  snapshot(): DomainSnapshot
  /** `limit` less what still runs in quarantine, at least 1. */
  capacity(limit: number): number
  /** Bounded stop with `terminate`; afterwards every command is rejected as disposed. */
  dispose(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
