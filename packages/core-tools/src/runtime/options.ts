/**
 * Options of a runtime: checked, defaults decided here.
 */
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import type { ToolMode } from '../contracts/registry.ts'
import type { ToolLogger, ToolPlugin, ToolRuntimeOptions } from '../contracts/runtime.ts'
import { LONGEST_TIMER_MS } from '../hooks/tap-options.ts'
import type { PipelineLimits } from '../pipeline/parts.ts'

export interface ResolvedOptions {
  readonly plugins: readonly ToolPlugin[]
  readonly mode: ToolMode
  readonly limits: PipelineLimits
  readonly logger: ToolLogger
}

/** Throws `INVALID_OPTION` naming the option and what it takes. */
export function resolveOptions(options: ToolRuntimeOptions): ResolvedOptions {
  if (typeof options !== 'object' || options === null) throw refuse('options must be an object')
  const { plugins = [], mode = 'native', logger = consoleLogger } = options
  if (!Array.isArray(plugins)) throw refuse('plugins must be an array of plugins')
  if (mode !== 'native' && mode !== 'code' && mode !== 'both')
    throw refuse(`mode must be "native", "code" or "both", not ${JSON.stringify(mode)}`)
  return {
    plugins,
    mode,
    logger: checkLogger(logger),
    limits: Object.freeze({
      maxParallel: whole('maxParallel', options.maxParallel ?? 10, { least: 1, most: Number.MAX_SAFE_INTEGER }),
      maxDepth: whole('maxDepth', options.maxDepth ?? 16, { least: 0, most: Number.MAX_SAFE_INTEGER }),
      hookTimeoutMs: whole('hookTimeoutMs', options.hookTimeoutMs ?? 30_000, { least: 1, most: LONGEST_TIMER_MS }),
      abortGraceMs: whole('abortGraceMs', options.abortGraceMs ?? 5000, { least: 0, most: LONGEST_TIMER_MS }),
      defaultTimeoutMs:
        options.defaultTimeoutMs === undefined
          ? undefined
          : whole('defaultTimeoutMs', options.defaultTimeoutMs, { least: 1, most: LONGEST_TIMER_MS }),
    }),
  }
}

function whole(name: string, value: unknown, { least, most }: { least: number; most: number }): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw refuse(`${name} must be a whole number from ${least} to ${most}, not ${String(value)}`)
}

function checkLogger(logger: ToolLogger): ToolLogger {
  const missing = (['debug', 'info', 'warn', 'error'] as const).find((level) => typeof logger?.[level] !== 'function')
  if (missing !== undefined) throw refuse(`logger needs a function "${missing}"`)
  return guarded(logger)
}

/** A logger that throws must not reach a call. */
function guarded(logger: ToolLogger): ToolLogger {
  const level =
    (name: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, details?: object): void => {
      try {
        logger[name](message, details)
      } catch {
        // Nowhere left to say it.
      }
    }
  return Object.freeze({ debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') })
}

const consoleLogger: ToolLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, details) => console.warn(`[toolseam] ${message}`, ...shown(details)),
  error: (message, details) => console.error(`[toolseam] ${message}`, ...shown(details)),
}

function shown(details: object | undefined): object[] {
  return details === undefined ? [] : [details]
}

function refuse(message: string): ToolSeamError {
  return new ToolSeamError(ErrorCode.INVALID_OPTION, message)
}
