/**
 * Words of the domain. A command carries identity only: what it runs was admitted before and is found by its `dlineTid`,
 * the stable id of one admitted tool block.
 */
import type { ToolDomainSurface } from '@toolseam/core-tools'

export interface ToolRunCommand {
  readonly commandId: string
  /** A command without a turn is bound to none and is never superseded. */
  readonly turnId?: string
  readonly dlineTid: string
  /** Carried, never read by the domain (E-3): serial and parallel are the business of the turn driver. */
  readonly mode?: TurnMode
}

export type TurnMode = 'serial' | 'parallel'

/** `cancel` keeps explicit background work, `terminate` ends it, `detach` ends nothing. */
export type HaltReason = 'cancel' | 'terminate' | 'detach'

export interface HaltOrder {
  readonly haltId: string
  readonly reason: HaltReason
}

/** Which command an event is about. */
export interface Ident {
  readonly commandId: string
  readonly turnId?: string
  readonly dlineTid: string
}

/** How long a stop waits for a block: to its end (default), not at all, or for `graceMs`. The stop's own deadline always wins. */
export type StopPolicy = 'wait' | 'abandon' | { readonly graceMs: number }

/** What a stop is about: its order, the blocks it cut, and a signal that aborts when the stop stops waiting for its callee. */
export interface StopScope {
  readonly order: HaltOrder
  readonly signal: AbortSignal
  readonly blocks: readonly (Ident & { readonly callId?: string })[]
}

/** What a turn owns outside the runtime. Each is called at most once per `haltId`; failures are reported, never rethrown. */
export interface OwnedToolResources {
  /** Undoes the files that the stopped work wrote. Runs in the release, after the drain. */
  revertDiff(scope?: StopScope): Promise<void>
  /** Ends the processes that the stopped work started. Starts in the interrupt, before the drain. */
  cancelCommand(scope?: StopScope): Promise<void>
}

/** A message of a running block. Coalesced to the newest; never journalled. */
export interface BlockProgress extends Ident {
  readonly at: number
  readonly update: unknown
}

/** Resources of one block. Closed last in, first out when the body settles, before its outcome is told (E-9). */
export interface BlockScope {
  /** Opens a resource and registers its close. Refused (`SCOPE_CLOSED`) when the block has ended or was given up. */
  acquire<T>(open: () => Promise<T> | T, close: (resource: T) => Promise<void> | void): Promise<T>
  /** Registers a close. On a scope already closed it runs at once. */
  defer(close: () => Promise<void> | void): void
}

/** What a body is handed. */
export interface BlockContext {
  readonly command: ToolRunCommand
  readonly epoch: number
  /** Aborts when a stop is accepted; the reason is the `HaltOrder` itself. */
  readonly signal: AbortSignal
  /** The only route to a user. Revoked when the block closes or is cut. */
  readonly surface: ToolDomainSurface
  readonly scope: BlockScope
  progress(update: unknown): void
  /** Asks for a bounded stop of this block's domain; does not wait for it. */
  requestHalt(reason: HaltReason): void
  /** Keeps the block in the drain set until `work` settles, also after its outcome. */
  outlived(work: Promise<unknown>): void
}
