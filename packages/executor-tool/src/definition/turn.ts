/**
 * A turn as data: what happened (events), what is to be done (commands), and the state between. All of it is JSON, so that it can be recorded
 * and folded again.
 */
import type { JsonValue, ToolConcurrency } from '@toolseam/core-tools'
import type { AdmissionMiss, HaltFailure, RejectReason } from './events.ts'
import type { HaltOrder, HaltReason, Ident, ToolRunCommand, TurnMode } from './vocabulary.ts'

/** A failure as it is recorded: code, message and, where a tool returned one, its result. */
export interface JournalledFailure {
  readonly code: string
  readonly message: string
  readonly why?: AdmissionMiss
  readonly result?: JsonValue
}

/** A domain event as it is recorded: outputs are JSON, errors are code and message. */
export type JournalledToolEvent = { readonly seq?: number; readonly epoch?: number; readonly at?: number } & (
  | ({ readonly kind: 'tool.block_result'; readonly output: JsonValue } & Ident)
  | ({ readonly kind: 'tool.block_failed'; readonly failure: JournalledFailure } & Ident)
  | ({ readonly kind: 'tool.rejected'; readonly reason: RejectReason } & Ident)
  | {
      readonly kind: 'tool.halted'
      readonly haltId: string
      readonly reason: HaltReason
      readonly discarded: readonly Ident[]
      readonly quarantined?: number
      readonly releaseError?: JsonValue
    }
  | {
      readonly kind: 'tool.halt_failed'
      readonly haltId: string
      readonly reason: HaltReason
      readonly discarded: readonly Ident[]
      readonly abandoned: readonly Ident[]
      readonly cause: { readonly code: HaltFailure['code']; readonly message: string }
    }
)

/** One call of a turn, as the turn begins. */
export interface TurnBlockInput {
  readonly dlineTid: string
  readonly callId: string
  readonly concurrency: ToolConcurrency
  /** Needs no run: its result is known already. */
  readonly settled?: true
  readonly idempotent?: true
  /** First attempt to run; default 1. */
  readonly attempt?: number
}

export interface TurnCreated {
  readonly kind: 'turn.created'
  readonly turnId: string
  readonly mode: TurnMode
  readonly limit: number
  readonly blocks: readonly TurnBlockInput[]
}

/**
 * What the driver tells of one block. `withdrawn`: later blocks that have a `run` but were not prepared for it; where it is absent the
 * reducer takes those that were granted after this block, since the driver prepares in model order.
 */
export interface BlockTold {
  readonly kind: 'block.settled' | 'block.asking' | 'block.answered' | 'block.exclusive'
  readonly turnId: string
  readonly dlineTid: string
  readonly withdrawn?: readonly string[]
}

/** A finalized success asked to end the turn. `withdrawn` as above; where it is absent, what has a `run` finishes. */
export interface TurnConcluded {
  readonly kind: 'turn.concluded'
  readonly turnId: string
  readonly dlineTid: string
  readonly withdrawn?: readonly string[]
}

/** An executor threw over a command. */
export interface ExecutorFailed {
  readonly kind: 'executor.failed'
  readonly command: JsonValue
  readonly error: { readonly code: string; readonly message: string }
}

export type ToolTurnEvent =
  | TurnCreated
  | BlockTold
  | TurnConcluded
  | { readonly kind: 'stop.requested'; readonly order: HaltOrder }
  | { readonly kind: 'turn.left'; readonly turnId: string }
  | ExecutorFailed
  | JournalledToolEvent

export type SkipReason = 'concluded' | 'halted' | 'disposed' | HaltReason

export type ToolTurnCommand =
  | { readonly kind: 'run'; readonly command: ToolRunCommand }
  | { readonly kind: 'halt'; readonly order: HaltOrder }
  | { readonly kind: 'rearm'; readonly haltId: string }
  | { readonly kind: 'skip'; readonly turnId: string; readonly dlineTid: string; readonly reason: SkipReason }
  | { readonly kind: 'turn.done'; readonly turnId: string }

/** How a block ended, as the reducer's side stores it. */
export type BlockOutcome =
  | { readonly kind: 'result'; readonly output: JsonValue }
  | { readonly kind: 'failed'; readonly failure: JournalledFailure }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | { readonly kind: 'discarded' | 'abandoned'; readonly haltId: string; readonly reason: HaltReason }
  | { readonly kind: 'settled' }

export interface TurnBlock {
  readonly dlineTid: string
  readonly callId: string
  readonly concurrency: ToolConcurrency
  readonly state: 'waiting' | 'asking' | 'running' | 'settled'
  readonly attempt: number
  readonly idempotent: boolean
  /** Number of the grant that it runs on; 0 before the first. */
  readonly grant: number
  readonly outcome?: BlockOutcome
}

export interface ToolTurnState {
  readonly phase: 'idle' | 'running' | 'stopping' | 'stopped' | 'done'
  readonly turnId?: string
  readonly mode?: TurnMode
  readonly limit: number
  readonly blocks: readonly TurnBlock[]
  /** Index of the block that concluded the turn. */
  readonly concludedAt?: number
  /** Stops that were asked for and have not closed, oldest first. */
  readonly openStops: readonly string[]
  /** The newest stop; what `rearm` names. */
  readonly haltId?: string
  /** Stops of before, oldest first: an order that is repeated is known. Bounded. */
  readonly knownStops: readonly string[]
  /** `turn.done` was given for this turn. */
  readonly told?: true
  readonly grants: number
}

export type RefusalCode =
  | 'STALE_TURN'
  | 'STALE_COMMAND'
  | 'UNKNOWN_BLOCK'
  | 'ALREADY_SETTLED'
  | 'NOT_RUNNING'
  | 'TURN_OPEN'
  | 'INVALID_TURN'
  | 'STOP_KNOWN'
  | 'ALREADY_CONCLUDED'
  | 'UNKNOWN_EVENT'

export interface Reduction<State, Command> {
  readonly state: State
  readonly commands: readonly Command[]
  readonly refused?: { readonly code: string }
}

export type ToolTurnReduction = Reduction<ToolTurnState, ToolTurnCommand> & { readonly refused?: { readonly code: RefusalCode } }
