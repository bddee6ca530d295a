/**
 * Inputs and values of the four tools (section 7 of the rules). Values are JSON; programs read them, models read what `render*` makes of them.
 */
import type { NetworkMode, SandboxMode } from '../definition/sandbox.ts'
import type { State, SpillInfo } from '../definition/command.ts'

export interface BashInput {
  command: string
  description?: string
  cwd?: string
  timeoutMs?: number
  background?: boolean
  input?: 'none' | 'pipe' | 'terminal'
  persistCwd?: boolean
  env?: Record<string, string>
  split?: boolean
  sandbox?: SandboxMode
  network?: NetworkMode
}

export interface Survivor {
  pid: number
  argv: string
}

/** Of a command that ran in the foreground. `omittedAt` is the offset into `output` where bytes are missing. */
export interface BashResult {
  state: State
  exitCode: number | null
  signal: string | null
  stages?: number[]
  output: string
  stderr?: string
  totalBytes: number
  omittedBytes: number
  omittedAt?: number
  stderrOmittedBytes?: number
  stderrOmittedAt?: number
  spill?: SpillInfo
  stderrSpill?: SpillInfo
  cwd: string
  durationMs: number
  timeoutMs: number | null
  job?: string
  survivors?: Survivor[]
  notes: string[]
}

/** Of a command started in the background. `exitCode` and `signal` once it has ended. */
export interface BashStarted {
  state: State
  job: string
  pid: number
  output: string
  exitCode?: number | null
  signal?: string | null
  omittedBytes?: number
  omittedAt?: number
}

export type BashValue = BashResult | BashStarted

export interface JobInput {
  job: string
}

export interface BashOutputInput extends JobInput {
  waitMs?: number
  until?: string
  from?: number
}

export interface BashInputInput extends JobInput {
  text?: string
  enter?: boolean
  end?: boolean
  key?: Key
  waitMs?: number
}

export type Key = 'ctrl-c' | 'ctrl-d' | 'ctrl-z' | 'escape' | 'tab' | 'up' | 'down' | 'left' | 'right'

export interface BashKillInput extends JobInput {
  signal?: 'TERM' | 'INT' | 'KILL'
}

/** `ended`: this read is the first to see the end. `elapsed`: the wait was over before what was waited for. */
export interface JobValue {
  job: string
  state: State
  exitCode: number | null
  signal: string | null
  output: string
  stderr?: string
  from: number
  next: number
  omittedBytes: number
  omittedAt?: number
  lossy: boolean
  elapsed: boolean
  ended?: true
  survivors?: Survivor[]
  stuck?: number[]
  spill?: SpillInfo
  written?: number
  already?: true
}
