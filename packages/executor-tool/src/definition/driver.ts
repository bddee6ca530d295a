/**
 * The turn driver: the tool calls of one model message through the pipeline and the domain. Promises: one result for every call, in model
 * order; policy, approval and hooks meet each call once; what was stopped has a result that says so.
 */
import type { ToolDomainSurface, ToolExecution, ToolExecutionInput, ToolResult, ToolRuntime } from '@toolseam/core-tools'
import type { AdmissionStore } from './admissions.ts'
import type { HaltReport, ToolExecutionDomain } from './domain.ts'
import type { JournalPort } from './ports.ts'
import type { Recovery } from './recovery.ts'
import type { ToolTurnState } from './turn.ts'
import type { HaltReason, TurnMode } from './vocabulary.ts'

export interface TurnDriverOptions {
  runtime: ToolRuntime
  domain: ToolExecutionDomain<ToolResult>
  /** The store that the domain's runner takes from. */
  admissions: AdmissionStore<ToolResult>
  /** Given, or found when the first turn begins. */
  journal?: JournalPort | (() => JournalPort | undefined)
  /** Default parallel. */
  mode?: TurnMode
  /** Default 10. */
  maxParallel?: number
  /** Names the records of this driver where several share one journal. */
  lane?: string
  /** What the nested calls of a call are given. Default: denied, `code_mode` for `run_code`, else `nested_call`. */
  nestedSurface?(execution: ToolExecution): ToolDomainSurface
}

export interface TurnRequest {
  turnId: string
  calls: readonly ToolExecutionInput[]
  mode?: TurnMode
  /** Aborting it is a bounded stop with reason `cancel`. */
  signal?: AbortSignal
}

export interface TurnOutcome {
  readonly turnId: string
  readonly status: 'completed' | 'concluded' | 'halted'
  /** In model order, one for each call. */
  readonly results: readonly ToolResult[]
  readonly haltId?: string
}

export interface ResumeRequest {
  /** What `recoverTools` said. */
  recovery: Recovery
  /** The calls of the turn that was open, as they were. */
  calls: readonly ToolExecutionInput[]
  /** `dlineTid`s to run: only those that never began, or that are rerunnable; others keep what is known of them. Default none. */
  run?: readonly string[]
}

export interface TurnDriver {
  /** One turn at a time; a second waits for the first. Rejects only where an input is no call, before anything starts. */
  execute(request: TurnRequest): Promise<TurnOutcome>
  /** Goes on with a turn that a crash ended. */
  resume(request: ResumeRequest): Promise<TurnOutcome>
  /** A bounded stop, recorded; the domain is stopped in its time even where the journal hangs. */
  halt(reason: HaltReason, options?: { budgetMs?: number }): Promise<HaltReport>
  readonly state: ToolTurnState
  /** Takes no more turns and lets go of runtime and domain. */
  close(): Promise<void>
}
