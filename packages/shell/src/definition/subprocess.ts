/**
 * `Subprocess`: starts a program by its argument list, without a shell. The lower seam of this package.
 *
 * Promises: `spawn` rejects only when the process could not be started (`SHELL_START_FAILED`, `SHELL_TERMINAL_UNAVAILABLE`, `SHELL_DISPOSED`).
 * `exit` never rejects. Bytes of one pipe keep their order. `kill` joins a running one, resolves after the observed end of the tree or with
 * the ids that are `stuck`, and never signals an id whose process has been seen to end. Every provider passes `subprocessContract`.
 */
import { defineService, type ServiceToken } from '@toolseam/core-tools'

export interface SpawnSpec {
  file: string
  args: readonly string[]
  cwd: string
  /** The whole environment of the child; the marker is added by the provider. */
  env: Readonly<Record<string, string>>
  input: 'none' | 'pipe' | 'terminal'
  output: 'merged' | 'split'
  /** Value of `TOOLSEAM_CALL` in the environment of the tree (S-16). */
  marker: string
  /** Made by a sandbox runner: the argument list to start instead. */
  wrap?: WrappedSpawn
}

/** What a sandbox runner makes of a spawn. */
export interface WrappedSpawn {
  runner: string
  file: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** Number of the descriptor on which the runner says that the command was started. */
  startDescriptor?: number
}

export interface ChildExit {
  /** Null when a signal ended it. */
  exitCode: number | null
  signal: string | null
}

export interface SurvivorInfo {
  pid: number
  /** The command line, cut to 80 characters. */
  argv: string
}

export interface KillOptions {
  /** Between TERM and KILL, ms. 0: KILL at once. */
  graceMs: number
  /** When it aborts, the remaining grace is skipped. */
  deadline?: AbortSignal
}

export interface KillReport {
  /** Ids still alive after the last KILL. */
  stuck: number[]
}

/** One read end. Chunks come in order; `onData` is called with bytes that are only valid during the call. */
export interface OutputPipe {
  onData(listener: (chunk: Uint8Array) => void): void
  pause(): void
  resume(): void
  /** Resolves at EOF or after `close`. Never rejects. */
  readonly ended: Promise<void>
  /** Stops reading; what still writes gets a broken pipe. */
  close(): void
}

export interface ChildHandle {
  readonly pid: number
  readonly stdout: OutputPipe
  /** Only with `output: 'split'`. */
  readonly stderr?: OutputPipe
  /** Resolves when the bytes were taken. Rejects with `SHELL_INPUT_CLOSED`. */
  write(data: Uint8Array): Promise<void>
  closeInput(): Promise<void>
  /** To the group of the child, while it lives. False: nothing was there to signal. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'SIGTSTP' | 'SIGCONT'): boolean
  /** Ends the whole tree: TERM, grace, KILL, sweep (S-22). A later call with less grace shortens a running one. */
  kill(options: KillOptions): Promise<KillReport>
  /** What of the tree is alive now, without the child itself (S-21). */
  survivors(): Promise<SurvivorInfo[]>
  readonly exit: Promise<ChildExit>
}

export interface Subprocess {
  spawn(spec: SpawnSpec): Promise<ChildHandle>
  /** Ends everything it started and takes its private files away. */
  dispose(): Promise<void>
}

export const Subprocess: ServiceToken<Subprocess> = defineService<Subprocess>('toolseam/subprocess', { package: '@toolseam/shell' })
