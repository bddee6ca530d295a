/**
 * `Shell`: runs command texts and keeps hold of what they started.
 *
 * Promises. S-1 `run` settles for every started command; non-zero exits, signals and timeouts are values. S-2 It settles after the observed end
 * of a tree it had to kill, at most grace + 500 ms after the cause. S-3 Output bytes of a pipe are never reordered and never lost uncounted.
 * S-4 Memory for one command is bounded by its ring, whatever it prints. S-5 Every provider passes `shellContract` of `testing.ts`.
 */
import { defineService, type AgentId, type CommandEffects, type ServiceToken } from '@toolseam/core-tools'
import type {
  EndCause,
  OutputEvent,
  OutputSlice,
  Owner,
  ReadOptions,
  ShellExit,
  ShellRequest,
  ShellResult,
  ShellSpec,
  State,
  WaitCondition,
} from './command.ts'
import type { SurvivorInfo } from './subprocess.ts'

/** Declared in core-tools: policy reads it there, nobody imports it from here. */
export type Classification = CommandEffects

export interface ShellCommand {
  readonly id: string
  readonly pid: number
  readonly spec: ShellSpec
  readonly state: State
  readonly owner: Owner
  /** Something of its tree is alive, as far as is known without asking. */
  readonly live: boolean
  /** Monotonic; grows with every byte printed. */
  readonly totalBytes: number
  /** By absolute byte offset; never consumes; says `lossy`. */
  read(options?: ReadOptions): OutputSlice
  /** `SHELL_BAD_REQUEST` for a pattern that takes too long. */
  waitFor(condition: WaitCondition, signal?: AbortSignal): Promise<'matched' | 'exited' | 'elapsed'>
  /** Rejects with `SHELL_INPUT_CLOSED`. */
  write(data: string | Uint8Array): Promise<void>
  closeInput(): Promise<void>
  /** A signal to its group. False: nothing was there. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'SIGTSTP' | 'SIGCONT'): boolean
  /** Ends the tree (S-22). Idempotent; joins a running one; the first cause stays. */
  terminate(cause: EndCause, options?: { graceMs?: number; deadline?: AbortSignal }): Promise<ShellExit>
  /** From its turn to `explicit`. */
  detach(): void
  /** What of the tree is alive now. */
  survivors(): Promise<SurvivorInfo[]>
  /** Resolves after the drain. Never rejects. */
  readonly exit: Promise<ShellExit>
}

export interface CancelOrder {
  rootCallIds?: readonly string[]
  turnId?: string
  agent?: AgentId
  /** Default cancel. */
  reason?: 'cancel' | 'terminate' | 'detach'
  /** When it aborts, the remaining grace is skipped. */
  signal?: AbortSignal
}

export interface CancelReport {
  /** Process ids still alive. */
  survivors: number[]
  ended: string[]
  kept: string[]
}

export interface CommandFilter {
  agent?: AgentId
  owner?: Owner['kind']
  turnId?: string
  state?: State
}

export interface Shell {
  /** Throws `ShellError`: `SHELL_BAD_REQUEST`, `SHELL_COMMAND_TOO_LARGE`, `SHELL_CWD_*`, `SHELL_UNAVAILABLE`, `SHELL_SANDBOX_UNAVAILABLE`. */
  resolve(request: ShellRequest): ShellSpec
  /** Rejects only when the process could not be started: `SHELL_START_FAILED`, `SHELL_JOB_LIMIT`, `SHELL_HALTED`, `SHELL_DISPOSED`, ... */
  start(spec: ShellSpec): Promise<ShellCommand>
  /** `start` and the drained exit. Rejects with the reason of `signal` when nothing was started. */
  run(spec: ShellSpec, options: { signal: AbortSignal; onOutput?(event: OutputEvent): void }): Promise<ShellResult>
  /** What `run` gives for a command that was started with `start`. */
  result(command: ShellCommand): Promise<ShellResult>
  /** As seen by `agent` (S-45); without one, as seen by the host. */
  get(id: string, agent?: AgentId): ShellCommand | undefined
  list(filter?: CommandFilter): readonly ShellCommand[]
  /** The directory in which the next command of this agent starts. */
  cwdOf(agent?: AgentId): string
  cancelForeground(order: CancelOrder): Promise<CancelReport>
  classify(command: string, options?: { cwd?: string; env?: Record<string, string> }): Classification
  /** Ends all, joins, takes the private files away. */
  dispose(): Promise<void>
}

export const Shell: ServiceToken<Shell> = defineService<Shell>('toolseam/shell', { package: '@toolseam/shell' })
