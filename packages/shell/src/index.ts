/**
 * @toolseam/shell: processes and the bash tools.
 */

// the plugin
export { shell } from './plugin.ts'
export type { SandboxOptions, ShellOptions } from './plugin.ts'

// the Shell seam
export { Shell } from './definition/shell.ts'
export type { CancelOrder, CancelReport, Classification, CommandFilter, ShellCommand } from './definition/shell.ts'
export type {
  EndCause,
  OutputEvent,
  OutputSlice,
  Owner,
  ReadOptions,
  ShellExit,
  ShellNote,
  ShellRequest,
  ShellResult,
  ShellSpec,
  SpillInfo,
  State,
  WaitCondition,
} from './definition/command.ts'
export type { ShellLimits } from './definition/limits.ts'

// the Subprocess seam below it
export { Subprocess } from './definition/subprocess.ts'
export type {
  ChildExit,
  ChildHandle,
  KillOptions,
  KillReport,
  OutputPipe,
  SpawnSpec,
  SurvivorInfo,
  WrappedSpawn,
} from './definition/subprocess.ts'
export type { Clock } from './definition/clock.ts'

// the sandbox seam
export type { NetworkMode, Probe, SandboxMode, SandboxPolicy, SandboxRunner } from './definition/sandbox.ts'

// errors
export { isShellError, SHELL_ERROR_CODES, ShellError } from './definition/errors.ts'
export type { ShellErrorCode } from './definition/errors.ts'

// pure helpers
export { classify } from './classify/classify.ts'
export type { ClassifyOptions } from './classify/classify.ts'
export { scrubEnvironment } from './environment/scrub.ts'
export type { ScrubbedEnvironment, ScrubOptions } from './environment/scrub.ts'

// providers
export { bashShell } from './providers/bash/shell.ts'
export type { BashShellOptions } from './providers/bash/shell.ts'
export { localSubprocess } from './providers/local/subprocess.ts'
export type { LocalSubprocess, LocalSubprocessOptions } from './providers/local/subprocess.ts'
export type { ShellDiagnostic } from './lifecycle/ports.ts'

// what the tools take and give
export type {
  BashInput,
  BashInputInput,
  BashKillInput,
  BashOutputInput,
  BashResult,
  BashStarted,
  BashValue,
  JobValue,
} from './consumer/values.ts'
