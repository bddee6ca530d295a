/**
 * Reading the options of a tap: only the four that the contract names are taken, each checked, nothing smuggled through.
 */
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'

export interface ReadTapOptions {
  name: string
  stage?: number
  before?: string | string[]
  timeoutMs?: number
}

export const LONGEST_TIMER_MS = 2_147_483_647

/** Throws `INVALID_TAP` naming the hook and the option. `known` are the names already tapped on the same layer. */
export function readTapOptions(
  hook: string,
  options: unknown,
  { known, timeout }: { known: readonly string[]; timeout: boolean },
): ReadTapOptions {
  if (typeof options === 'string') return { name: readName(hook, options) }
  if (typeof options !== 'object' || options === null) throw refuse(hook, 'a tap needs a name or an options object with one')
  const given = options as { name?: unknown; stage?: unknown; before?: unknown; timeoutMs?: unknown }
  const read: ReadTapOptions = { name: readName(hook, given.name) }
  const { stage, before, timeoutMs } = given
  if (stage !== undefined) {
    if (typeof stage !== 'number' || !Number.isFinite(stage)) throw refuse(hook, `stage of tap "${read.name}" must be a finite number`)
    read.stage = stage
  }
  if (before !== undefined) read.before = readBefore(hook, before, { tap: read.name, known })
  if (timeoutMs !== undefined) {
    if (!timeout) throw refuse(hook, `tap "${read.name}" cannot have a timeoutMs: this hook does not wait`)
    if (typeof timeoutMs !== 'number' || !Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > LONGEST_TIMER_MS)
      throw refuse(hook, `timeoutMs of tap "${read.name}" must be a whole number of ms from 1 to ${LONGEST_TIMER_MS}`)
    read.timeoutMs = timeoutMs
  }
  return read
}

function readName(hook: string, name: unknown): string {
  if (typeof name !== 'string' || name.trim() === '') throw refuse(hook, 'a tap needs a non-empty name')
  return name.trim()
}

function readBefore(hook: string, before: unknown, { tap, known }: { tap: string; known: readonly string[] }): string | string[] {
  const names: unknown[] = Array.isArray(before) ? before : [before]
  const read = names.map((name) => {
    if (typeof name !== 'string') throw refuse(hook, `before of tap "${tap}" must be a tap name or a list of them`)
    if (!known.includes(name)) {
      const there = known.length === 0 ? 'no taps are there' : `there are: ${known.join(', ')}`
      throw refuse(hook, `before of tap "${tap}" names "${name}", which is no tap of this layer (${there})`)
    }
    return name
  })
  return typeof before === 'string' ? before : read
}

export function refuse(hook: string, message: string): ToolSeamError {
  return new ToolSeamError(ErrorCode.INVALID_TAP, `${hook}: ${message}`, { details: { hook } })
}
