/**
 * What a composition can be told. `resolveOptions` decides every default in one visible step and tells apart whom an option is for.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApprovalOptions } from '@toolseam/approval'
import type { CodeModeOptions } from '@toolseam/code-mode'
import { type ToolLogger, type ToolMode, type ToolPlugin, type ToolRuntimeOptions, ToolSeamError } from '@toolseam/core-tools'
import type { ToolExecutorOptions } from '@toolseam/executor-tool'
import type { JournalOptions } from '@toolseam/journal'

/** What `approval` takes: rules, preset, where asks are kept, who answers them. */
export type PolicyOptions = Pick<ApprovalOptions, 'preset' | 'policy' | 'store' | 'answerers' | 'session' | 'secret' | 'asks'>

/** Options of `createToolseam`. One that no composed package answers is refused, never ignored. */
export interface ToolseamOptions extends PolicyOptions {
  /** The folder the tools work in. Default: the current one. */
  root?: string
  /** Confinement of commands: `off` (default), `read-only` or `workspace-write`. */
  sandbox?: SandboxMode
  /** The record of calls: where, how durable, what is masked. Default: one file a process below `.toolseam/journal/`; `false`: none. */
  journal?: false | Omit<JournalOptions, 'root'>
  /** The domain that turns run in: its surface, what a stop undoes, its budget. */
  executor?: ToolExecutorOptions
  /** Programs: the engine and their limits. */
  code?: CodeModeOptions
  /** Further plugins, applied with the composed ones in the order of their needs. */
  plugins?: readonly ToolPlugin[]
  /** How tools are presented: called directly (`native`, the default), through programs (`code`), or `both`. */
  mode?: ToolMode
  /** Width of `executeAll`, and of turns unless `executor` says another. Default 10. */
  maxParallel?: number
  /** Longest wait for an asynchronous tap, in ms. Default 30 000. */
  hookTimeoutMs?: number
  /** Deadline of tool bodies without one of their own, in ms. Default: none. */
  defaultTimeoutMs?: number
  /** How long a body that ignores its abort is awaited, in ms. Default 5000. */
  abortGraceMs?: number
  /** Deepest nesting of calls. Default 16. */
  maxDepth?: number
  /** Default: warn and error of console. */
  logger?: ToolLogger
}

export type SandboxMode = 'off' | 'read-only' | 'workspace-write'
export const sandboxModes: readonly SandboxMode[] = ['off', 'read-only', 'workspace-write']
export const toolModes: readonly ToolMode[] = ['native', 'code', 'both']

/** What the parts of a composition see. */
export interface ResolvedOptions extends Omit<ToolseamOptions, 'plugins' | 'executor' | keyof ToolRuntimeOptions> {
  root: string
  executor: ToolExecutorOptions
}

export interface SplitOptions {
  partOptions: ResolvedOptions
  runtimeOptions: Omit<ToolRuntimeOptions, 'plugins'>
  plugins: readonly ToolPlugin[]
}

/** Throws `TOOLSEAM_ROOT_INVALID` when the root is not a folder. */
export function resolveOptions(options: ToolseamOptions): SplitOptions {
  const { plugins = [], mode, maxParallel, hookTimeoutMs, defaultTimeoutMs, abortGraceMs, maxDepth, logger, ...rest } = options
  const runtimeOptions = given({ mode, maxParallel, hookTimeoutMs, defaultTimeoutMs, abortGraceMs, maxDepth, logger })
  const root = existingFolder(options.root ?? process.cwd())
  const executor = { ...given({ maxParallel }), ...rest.executor }
  return { partOptions: { ...rest, root, executor }, runtimeOptions, plugins }
}

/** The object without its absent fields: an optional field is either there or not. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** Absolute. Throws `TOOLSEAM_ROOT_INVALID`. */
export function existingFolder(path: string): string {
  const root = resolve(path)
  const kind = statSync(root, { throwIfNoEntry: false })
  if (kind?.isDirectory() === true) return root
  const what = kind === undefined ? 'does not exist' : 'is not a folder'
  throw new ToolSeamError('TOOLSEAM_ROOT_INVALID', `the root ${root} ${what}`, { details: { root } })
}
