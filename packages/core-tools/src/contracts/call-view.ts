/**
 * The facts of one call, for policy, approval and user interfaces. A field that is absent is not known.
 */

export type CallKind = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'fetch' | 'other'

export interface CallPath {
  /** As given in the arguments. */
  path: string
  /** Absolute, links followed. */
  resolved?: string
  access: 'read' | 'write'
  protected?: boolean
}

export interface CallView {
  title: string
  kind: CallKind
  command?: string
  cwd?: string
  paths?: CallPath[]
  effects?: CommandEffects
  domains?: string[]
  /** Only with `preview`. */
  diff?: string
  /** JSON Pointers into the arguments: masked wherever shown or logged. */
  sensitive?: string[]
  /** `describeCall` failed: no allow rule applies. */
  incomplete?: true
}

export interface SimpleCommand {
  /** Words after quotes are resolved; null where a word is not literal. */
  argv: (string | null)[]
  dynamic: boolean
  redirects: { operator: string; target: string | null; write: boolean }[]
  /** Names of the wrappers around it, outermost first (`env`, `xargs`, ...). */
  wrappedBy?: string[]
}

/** What a command text would do. Made by shell's `classify`; policy reads it and never parses text itself. */
export interface CommandEffects {
  verdict: 'read-only' | 'mutating' | 'unknown'
  commands: SimpleCommand[]
  paths: { path: string; access: 'read' | 'write'; protected?: boolean }[]
  /** `start` and `end` are offsets into the text. */
  reasons: { code: string; text: string; start: number; end: number }[]
}
