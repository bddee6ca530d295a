/**
 * The limits of a run. All are on; `resolveLimits` is the one place where defaults are decided.
 */
import { CodeModeError } from './errors.ts'

export interface CodeLimits {
  /** Time in which the guest itself computes, in ms. Waiting for tools or people is free. Default 10 000. */
  busyMs: number
  /** Time from start to end, in ms; stands still while an approval is open. Default 600 000. */
  wallMs: number
  /** Memory of the guest. Default 64 MiB. */
  memoryBytes: number
  /** Stack of the guest. Default 256 KiB, at most 512 KiB. */
  stackBytes: number
  /** Longest program. Default 256 KiB. */
  sourceBytes: number
  /** Printed text that is kept; a program that prints 20 times as much is ended. Default 64 KiB. */
  logBytes: number
  /** JSON text of the value that is kept. Default 256 KiB. */
  resultBytes: number
  /** Characters of the result that the model is shown. Default 24 000. */
  resultChars: number
  /** JSON text of the arguments of one call. Default 1 MiB. */
  argumentBytes: number
  /** JSON text of the value of one call. Default 8 MiB. */
  toolResultBytes: number
  /** Calls of one run. Default 1000. */
  calls: number
  /** Calls that run at the same time. Default 16. */
  inFlight: number
}

const KIB = 1024
const MIB = 1024 * KIB

const DEFAULTS: CodeLimits = {
  busyMs: 10_000,
  wallMs: 600_000,
  memoryBytes: 64 * MIB,
  stackBytes: 256 * KIB,
  sourceBytes: 256 * KIB,
  logBytes: 64 * KIB,
  resultBytes: 256 * KIB,
  resultChars: 24_000,
  argumentBytes: MIB,
  toolResultBytes: 8 * MIB,
  calls: 1000,
  inFlight: 16,
}

// What the engine can take: below, it cannot even start; above, its addresses or timers end.
const BOUNDS: { readonly [K in keyof CodeLimits]?: readonly [least: number, most: number] } = {
  busyMs: [1, 2_000_000_000],
  wallMs: [1, 2_000_000_000],
  memoryBytes: [2 * MIB, 2048 * MIB],
  stackBytes: [32 * KIB, 512 * KIB],
}

/** Printing more than this many times `logBytes` ends a run. */
export const LOG_FLOOD = 20

/** Deepest nesting of values that cross the boundary; the same as in the pipeline. */
export const MAX_NESTING = 512

/** Throws `CODE_INVALID_OPTION` for an unknown name or a value that is no whole number in range. */
export function resolveLimits(given: Partial<CodeLimits> = {}): CodeLimits {
  const limits = { ...DEFAULTS }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!isLimit(name)) throw new CodeModeError('CODE_INVALID_OPTION', `"${name}" is not a limit`, { details: { option: name } })
    const [least, most] = BOUNDS[name] ?? [1, Number.MAX_SAFE_INTEGER]
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new CodeModeError('CODE_INVALID_OPTION', `limit "${name}" must be a whole number from ${least} to ${most}`, {
        details: { option: name },
      })
    }
    limits[name] = value
  }
  return Object.freeze(limits)
}

function isLimit(name: string): name is keyof CodeLimits {
  return Object.hasOwn(DEFAULTS, name)
}
