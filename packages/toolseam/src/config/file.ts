/**
 * A configuration file, read and checked: every fault is named with its place and, for a wrong word, the nearest right one. What the
 * file may hold is this list and nothing else.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { POLICY_PRESETS, type PolicyContent, type PolicyPreset } from '@toolseam/approval'
import type { JsonValue, ToolMode } from '@toolseam/core-tools'
import { ToolSeamError } from '@toolseam/core-tools'
import { nearest } from '../terminal/nearest.ts'
import { type SandboxMode, sandboxModes, toolModes } from '../options.ts'

export interface PluginEntry {
  name: string
  options?: JsonValue
}

/** A checked configuration. `file` is absolute; plugins and relative paths are found from its folder. */
export interface ToolseamConfig {
  file: string
  plugins: readonly PluginEntry[]
  preset?: PolicyPreset
  mode?: ToolMode
  sandbox?: SandboxMode
  /** Of the session. */
  policy?: { session: PolicyContent }
}

const keys = ['plugins', 'preset', 'mode', 'sandbox', 'policy', '$schema']

/** Reads FILE. Throws `TOOLSEAM_CONFIG_INVALID` naming the file and the fault. */
export function readConfig(path: string): ToolseamConfig {
  const file = resolve(path)
  const fields = parse(file)
  for (const key of Object.keys(fields)) {
    if (!keys.includes(key))
      throw invalid(file, `unknown key "${key}"${nearest.hint(key, keys)}; known are ${keys.slice(0, -1).join(', ')}`)
  }
  const { plugins, preset, mode, sandbox, policy } = fields
  const config: ToolseamConfig = { file, plugins: pluginEntries(file, plugins) }
  if (preset !== undefined) config.preset = oneOf(file, { key: 'preset', value: preset, allowed: POLICY_PRESETS })
  if (mode !== undefined) config.mode = oneOf(file, { key: 'mode', value: mode, allowed: toolModes })
  if (sandbox !== undefined) config.sandbox = oneOf(file, { key: 'sandbox', value: sandbox, allowed: sandboxModes })
  if (policy !== undefined) config.policy = policySource(file, policy)
  return config
}

function parse(file: string): { [key: string]: JsonValue } {
  let source: string
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    throw invalid(file, `cannot be read: ${messageOf(error)}`, error)
  }
  let value: JsonValue
  try {
    value = JSON.parse(source) as JsonValue
  } catch (error) {
    throw invalid(file, `is not JSON: ${messageOf(error)}${placeOf(error, source)}`, error)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(file, 'must hold one JSON object')
  return value
}

function pluginEntries(file: string, value: JsonValue | undefined): PluginEntry[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalid(file, '"plugins" must be an array of names or [name, options] pairs')
  return value.map((entry, at) => {
    const [name, options, ...rest] = Array.isArray(entry) ? entry : [entry]
    if (typeof name !== 'string' || name === '' || rest.length > 0) {
      throw invalid(file, `"plugins[${at}]" must be a package name or a pair [name, options]`)
    }
    return options === undefined ? { name } : { name, options }
  })
}

function oneOf<T extends string>(file: string, { key, value, allowed }: { key: string; value: JsonValue; allowed: readonly T[] }): T {
  const found = allowed.find((word) => word === value)
  if (found !== undefined) return found
  const hint = typeof value === 'string' ? nearest.hint(value, allowed) : ''
  throw invalid(file, `"${key}" must be one of ${allowed.join(', ')}; it is ${JSON.stringify(value)}${hint}`)
}

/**
 * A policy is its content, or the path of its file seen from this one. It is the session's, whatever keys it holds: a configuration does not
 * stand in for the managed or the user's policy. Its content is judged by the package that reads it, with the words of a policy file.
 */
function policySource(file: string, value: JsonValue): { session: PolicyContent } {
  if (typeof value === 'string') return { session: resolve(dirname(file), value) }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { session: value as object as PolicyContent }
  throw invalid(file, '"policy" must be a policy object or the path of a policy file')
}

function invalid(file: string, fault: string, cause?: unknown): ToolSeamError {
  return new ToolSeamError('TOOLSEAM_CONFIG_INVALID', `${file}: ${fault}`, { details: { file }, ...(cause !== undefined && { cause }) })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Node names a character position; people count lines. */
function placeOf(error: unknown, source: string): string {
  const at = /at position (\d+)(?!.*line)/.exec(messageOf(error))?.[1]
  if (at === undefined) return ''
  const before = source.slice(0, Number(at)).split('\n')
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`
}
