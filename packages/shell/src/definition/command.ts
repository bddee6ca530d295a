/**
 * The words for one command: who owns it, how it ends, what it printed.
 */
import type { AgentId } from '@toolseam/core-tools'
import type { NetworkMode, SandboxMode } from './sandbox.ts'
import type { SurvivorInfo } from './subprocess.ts'

/** Who decides what survives: the turn that started it, or somebody who said so. */
export type Owner = { kind: 'turn'; turnId?: string } | { kind: 'explicit' }

/** Why a command was ended from outside. The first cause wins and is never overwritten (S-24). */
export type EndCause = 'timeout' | 'abort' | 'kill' | 'halt' | 'dispose' | 'limit'

export type State = 'running' | 'exited' | 'timed-out' | 'aborted' | 'killed' | 'lost'

export interface ShellRequest {
  command: string
  /** Absolute, or relative to the root (to the kept directory of the agent where one holds). */
  cwd?: string
  timeoutMs?: number
  /** Wins over the host's environment. */
  env?: Record<string, string>
  /** Keep the directory in which the command ends for the next commands of this agent. */
  persistCwd?: boolean
  background?: boolean
  input?: 'none' | 'pipe' | 'terminal'
  /** Two pipes instead of one in true order. */
  split?: boolean
  sandbox?: SandboxMode
  network?: NetworkMode
  owner?: Owner
  /** The turn in which it is started, whoever owns it. Default: the owner's. */
  turnId?: string
  agent?: AgentId
  callId?: string
  rootCallId?: string
}

/** A request with every default decided. Nothing optional but identity. */
export interface ShellSpec {
  readonly command: string
  readonly cwd: string
  /** Null: none (background). */
  readonly timeoutMs: number | null
  readonly idleTimeoutMs: number | null
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>
  /** Names of host variables that were kept back (S-18). */
  readonly withheld: readonly string[]
  readonly persistCwd: boolean
  readonly background: boolean
  readonly input: 'none' | 'pipe' | 'terminal'
  readonly split: boolean
  readonly sandbox: SandboxMode
  readonly network: NetworkMode
  readonly owner: Owner
  readonly turnId: string | undefined
  readonly agent: AgentId | undefined
  readonly callId: string | undefined
  readonly rootCallId: string | undefined
  /** What was decided otherwise than asked, for the result. */
  readonly notes: readonly ShellNote[]
}

/** A fact worth telling once. Its words are rendered by the consumer. */
export type ShellNote =
  | { kind: 'timeout-clamped'; askedMs: number; timeoutMs: number }
  | { kind: 'cwd-gone'; cwd: string }
  | { kind: 'cwd-unknown' }
  | { kind: 'cwd-refused'; cwd: string }
  | { kind: 'env-withheld'; names: readonly string[] }
  | { kind: 'spill-failed'; code: string }
  | { kind: 'invalid-bytes'; count: number }
  | { kind: 'stuck'; pids: readonly number[] }
  | { kind: 'idle'; idleTimeoutMs: number }

export interface SpillInfo {
  id: string
  /** Relative to the root where it lies under it. */
  path: string
  bytes: number
  complete: boolean
}

/** How a command ended. */
export interface ShellExit {
  readonly state: Exclude<State, 'running'>
  readonly cause?: EndCause
  readonly exitCode: number | null
  readonly signal: string | null
  /** PIPESTATUS of the last pipeline, where it has two or more (S-25). */
  readonly stages?: readonly number[]
  readonly cwd: string
  readonly survivors: readonly SurvivorInfo[]
  /** Ids that outlived the last KILL (S-23). */
  readonly stuck: readonly number[]
  readonly durationMs: number
  readonly notes: readonly ShellNote[]
}

/** The value of `bash`: section 7 of the rules. `omittedAt` is the offset into `output` where bytes are missing. */
export interface ShellResult {
  /** `running`: it was detached while it ran; `job` names it. */
  state: State
  exitCode: number | null
  signal: string | null
  stages?: number[]
  output: string
  stderr?: string
  /** Bytes printed, both pipes together. */
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
  survivors?: SurvivorInfo[]
  notes: ShellNote[]
}

/** A piece of output as it comes: cleaned, coalesced, rate limited (S-33). `skippedBytes` were left out before it. */
export interface OutputEvent {
  stream: 'output' | 'stdout' | 'stderr'
  text: string
  from: number
  next: number
  skippedBytes: number
}

/** A part of a pipe by absolute byte offset. */
export interface OutputSlice {
  /** Raw bytes, joined over a gap. */
  readonly bytes: Uint8Array
  /** Cleaned text (S-32), cut at character starts. */
  readonly text: string
  /** Offset in `text` where bytes are missing. */
  readonly omittedAt: number | undefined
  readonly from: number
  /** Where the next read goes on. */
  readonly next: number
  readonly totalBytes: number
  readonly omittedBytes: number
  readonly lossy: boolean
  readonly missing: { from: number; to: number } | undefined
  readonly invalidBytes: number
  readonly spill: SpillInfo | undefined
}

export interface ReadOptions {
  /** Default 0. */
  from?: number
  maxBytes?: number
  stream?: 'stdout' | 'stderr'
}

export interface WaitCondition {
  /** Text, or a pattern, in the output from `from` on. */
  until?: RegExp | string
  from?: number
  exit?: true
  ms: number
}
