/**
 * Errors of this package, told by `code`.
 */
import type { AdmissionMiss, HaltFailure } from './events.ts'

/** A stop closed with `tool.halt_failed`. `cause` is what the failure names as its cause. */
export class ToolHaltError extends Error {
  readonly code: HaltFailure['code']
  readonly haltId: string

  constructor(failure: HaltFailure, haltId: string) {
    super(`stop '${haltId}' left work behind: ${failure.message}`, 'cause' in failure ? { cause: failure.cause } : undefined)
    this.name = 'ToolHaltError'
    this.code = failure.code
    this.haltId = haltId
  }
}

export type ExecutorErrorCode =
  | 'ADMISSION_MISSING'
  | 'ADMISSION_CONSUMED'
  | 'DOMAIN_NOT_ARMED'
  | 'HALT_INVALID'
  | 'SCOPE_CLOSED'
  | 'PROCESSES_STUCK'
  | 'KERNEL_FULL'
  | 'KERNEL_FAILED'
  | 'KERNEL_CLOSED'
  | 'JOURNAL_NONDETERMINISM'

/** Facts of an executor error, by their name. */
export interface ExecutorErrorFacts {
  readonly why?: AdmissionMiss
  readonly dlineTid?: string
  readonly phase?: string
  readonly seq?: number
  readonly pids?: readonly number[]
  readonly cause?: unknown
}

/** Base of all our own errors but `ToolHaltError`. */
export class ToolExecutorError extends Error {
  readonly code: ExecutorErrorCode
  readonly why?: AdmissionMiss
  readonly facts: ExecutorErrorFacts

  constructor(code: ExecutorErrorCode, message: string, facts: ExecutorErrorFacts = {}) {
    super(message, 'cause' in facts ? { cause: facts.cause } : undefined)
    this.name = 'ToolExecutorError'
    this.code = code
    this.facts = facts
    if (facts.why !== undefined) this.why = facts.why
  }
}

/** The recorded commands and the ones of this reducer differ; `seq` is the first record where they do. */
export class JournalReplayError extends ToolExecutorError {
  readonly seq: number

  constructor(seq: number, message: string) {
    super('JOURNAL_NONDETERMINISM', message, { seq })
    this.name = 'JournalReplayError'
    this.seq = seq
  }
}
