/**
 * Reading a plugin: each field once, whichever copy of the package or hand made it.
 */
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import type { ToolPlugin, ToolRuntime } from '../contracts/runtime.ts'
import type { ServiceToken } from '../contracts/services.ts'
import { isServiceToken } from './services.ts'

export interface ReadPlugin {
  readonly plugin: ToolPlugin
  readonly name: string
  readonly requires: readonly ServiceToken[]
  readonly provides: readonly ServiceToken[]
  apply(runtime: ToolRuntime): unknown
}

/** Throws `INVALID_PLUGIN` for what is no plugin. */
export function readPlugin(plugin: ToolPlugin): ReadPlugin {
  const given: unknown = plugin
  if (typeof given !== 'object' || given === null) throw refusePlugin(undefined, 'a plugin is an object with a name and apply')
  const { name, requires, provides, apply } = given as { readonly [field in keyof ToolPlugin]?: unknown }
  if (typeof name !== 'string' || name === '') throw refusePlugin(undefined, 'a plugin needs a name')
  if (typeof apply !== 'function') throw refusePlugin(name, 'apply must be a function')
  return {
    plugin,
    name,
    requires: readTokens(requires, { name, field: 'requires' }),
    provides: readTokens(provides, { name, field: 'provides' }),
    apply: (runtime) => Reflect.apply(apply, plugin, [runtime]),
  }
}

function readTokens(value: unknown, { name, field }: { name: string; field: string }): readonly ServiceToken[] {
  if (value === undefined) return []
  const tokens = Array.isArray(value) ? Array.from(value as readonly unknown[]) : undefined
  if (tokens?.every(isServiceToken) !== true) throw refusePlugin(name, `${field} must be a list of service tokens`)
  return tokens
}

export function refusePlugin(name: string | undefined, problem: string): ToolSeamError {
  const subject = name === undefined ? 'plugin' : `plugin "${name}"`
  return new ToolSeamError(ErrorCode.INVALID_PLUGIN, `${subject}: ${problem}`, { details: name === undefined ? {} : { plugin: name } })
}
