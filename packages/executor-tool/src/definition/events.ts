/**
 * What the domain tells. Every accepted command ends in exactly one of: a result, a failure, or a listing in one stop's closing event (E-5).
 */
import type { ToolResult } from '@toolseam/core-tools'
import type { HaltReason, Ident } from './vocabulary.ts'

export type AdmissionMiss = 'never_prepared' | 'consumed' | 'discarded'

export interface BlockFailure {
  /** The thrown value's own string `code`, else `TOOL_FAILED`. */
  readonly code: string
  readonly message: string
  /** What was thrown, as it was. */
  readonly cause?: unknown
  /** With `ADMISSION_MISSING` only. */
  readonly why?: AdmissionMiss
  /** The tool result with `isError` that the body returned. */
  readonly result?: ToolResult
}

export interface HaltFailure {
  readonly code: 'DRAIN_TIMEOUT' | 'ABANDONED' | 'INTERRUPT_TIMEOUT' | 'RELEASE_TIMEOUT' | 'RELEASE_FAILED' | 'CHILD_FAILED' | 'TAKEN_OVER'
  readonly message: string
  readonly cause?: unknown
}

export type RejectReason = 'halted' | 'superseded' | 'duplicate' | 'invalid' | 'disposed'

export interface EventStamp {
  /** Gapless per domain, from 1. */
  readonly seq: number
  readonly epoch: number
  /** Milliseconds of the domain's clock: monotonic, no date. */
  readonly at: number
}

export interface BlockResultEvent<R> extends Ident {
  readonly kind: 'tool.block_result'
  readonly output: R
}

export interface BlockFailedEvent extends Ident {
  readonly kind: 'tool.block_failed'
  readonly failure: BlockFailure
}

/** A rejected command leaves no trace: it may be handed over again, and its admission stays. */
export interface RejectedEvent extends Ident {
  readonly kind: 'tool.rejected'
  readonly reason: RejectReason
}

/** Proof: everything of the cut has ended and the release has returned. */
export interface HaltedEvent {
  readonly kind: 'tool.halted'
  readonly haltId: string
  readonly reason: HaltReason
  readonly discarded: readonly Ident[]
  /** Blocks of earlier stops that still run somewhere, given up. */
  readonly quarantined: number
  /** What the runner's release threw; the property is there only if it threw. */
  readonly releaseError?: unknown
}

/** The stop closed, but something was left behind. Never followed by `tool.halted` of the same id. */
export interface HaltFailedEvent {
  readonly kind: 'tool.halt_failed'
  readonly haltId: string
  readonly reason: HaltReason
  readonly discarded: readonly Ident[]
  readonly abandoned: readonly Ident[]
  readonly cause: HaltFailure
}

export type ToolDomainEvent<R> = EventStamp & ToolDomainEventBody<R>

export type ToolDomainEventBody<R> = BlockResultEvent<R> | BlockFailedEvent | RejectedEvent | HaltedEvent | HaltFailedEvent
