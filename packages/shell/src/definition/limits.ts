/**
 * Every number this package works with, in one place. A plugin may set the ones in `ShellLimits`.
 */

export interface ShellLimits {
  /** Deadline of a foreground command, ms (S-26). */
  timeoutMs: number
  /** Largest deadline a request may ask for, ms; larger is clamped and noted (S-26). */
  maxTimeoutMs: number
  /** Silence after which a command is ended as timed out, ms; 0: never (S-26). */
  idleTimeoutMs: number
  /** Between TERM and KILL, ms (S-22). */
  graceMs: number
  /** Live commands per agent (S-17). */
  jobs: number
  /** Bytes kept from the start of each pipe (S-30). */
  headBytes: number
  /** Bytes kept from the end of each pipe (S-30). */
  tailBytes: number
  /** Most bytes one spill file takes (S-31). */
  spillBytes: number
  /** Most bytes of all spill files together (S-31). */
  spillTotalBytes: number
  /** Age at which spill files are removed, ms (S-31). */
  spillAgeMs: number
}

export const DEFAULT_LIMITS: ShellLimits = {
  timeoutMs: 120_000,
  maxTimeoutMs: 600_000,
  idleTimeoutMs: 0,
  graceMs: 2_000,
  jobs: 16,
  headBytes: 8 * 1024,
  tailBytes: 24 * 1024,
  spillBytes: 64 * 1024 * 1024,
  spillTotalBytes: 512 * 1024 * 1024,
  spillAgeMs: 7 * 24 * 3_600_000,
}

/** Above this many bytes the text goes through a private script file: one argument holds at most 131,071 (S-12). */
export const INLINE_COMMAND_BYTES = 100_000
/** Largest command text, bytes (S-12). */
export const MAX_COMMAND_BYTES: number = 1024 * 1024
/** Quiet time after which a held pipe is left alone, ms (S-20). */
export const DRAIN_QUIET_MS = 250
/** Longest drain after the shell's exit, ms (S-20). */
export const DRAIN_MAX_MS = 1_000
/** How long the last KILL may take to be seen, ms (S-23). */
export const KILL_CONFIRM_MS = 500
/** Events are coalesced to this, ms and bytes, and limited to this many bytes a second (S-33). */
export const EVENT_INTERVAL_MS = 50
export const EVENT_BYTES: number = 16 * 1024
export const EVENT_BYTES_PER_SECOND: number = 64 * 1024
/** The pipe is paused while this many bytes wait for the disk (S-31). */
export const SPILL_BACKLOG_BYTES: number = 1024 * 1024
/** Bytes of the tail given up for the omission notice, so that both stay within the ring (S-52). */
export const NOTICE_BYTES = 256
/** Survivors' command lines are cut to this many characters (S-21). */
export const ARGV_CHARS = 80
/** Ended commands that stay readable by their id. */
export const RETAINED_COMMANDS = 64
/** What `bash` waits before it answers for a background command, ms (section 7). */
export const BACKGROUND_WAIT_MS = 150
