/**
 * What the life of a command needs from its provider: no host API is named in this folder.
 */
import type { AgentId, JsonObject } from '@toolseam/core-tools'
import type { Clock } from '../definition/clock.ts'
import type { ShellNote, ShellSpec, SpillInfo } from '../definition/command.ts'
import type { ShellErrorCode } from '../definition/errors.ts'
import type { ShellLimits } from '../definition/limits.ts'
import type { ChildExit, ChildHandle } from '../definition/subprocess.ts'

/** Takes everything a pipe prints from byte 0 on, once it overflows its ring. `write` copies. */
export interface SpillSink {
  /** False: too much waits for the disk; `onDrain` is called when it may go on. */
  write(chunk: Uint8Array): boolean
  onDrain(run: () => void): void
  finish(): Promise<void>
  readonly info: SpillInfo
  /** The system's code, when the file could not be written. */
  readonly failure: string | undefined
}

/** What the shell itself told at its end, read and judged by the provider. */
export interface EndFacts {
  readonly stages?: readonly number[]
  readonly cwd?: string
  readonly notes: readonly ShellNote[]
}

/** For the log: what went wrong beside a result. */
export interface ShellDiagnostic {
  readonly code: ShellErrorCode
  readonly details: JsonObject
}

export interface CommandParts {
  readonly id: string
  readonly spec: ShellSpec
  readonly child: ChildHandle
  readonly clock: Clock
  readonly limits: ShellLimits
  /** What becomes of processes that outlive their shell (S-21). */
  readonly survivors: 'keep' | 'end'
  /** The scope chain of its agent, root first (S-45). */
  readonly lineage: readonly AgentId[]
  /** Undefined: this provider keeps no overflow. */
  openSpill(stream: 'stdout' | 'stderr'): SpillSink | undefined
  facts(exit: ChildExit): Promise<EndFacts>
  /** Throws `SHELL_BAD_REQUEST` where the pattern takes too long. */
  matches(pattern: RegExp | string, text: string): boolean
  report(diagnostic: ShellDiagnostic): void
}

/** Where commands may start (S-15). */
export interface Directories {
  readonly root: string
  /** Absolute and existing. Throws `SHELL_CWD_MISSING`, `SHELL_CWD_OUTSIDE`. */
  check(cwd: string, base: string): string
  /** Why a directory will not do; undefined where it will. */
  refusal(cwd: string): 'missing' | 'outside' | undefined
  /** The kept directory while it holds, else the start. */
  home(kept: string | undefined): string
}
