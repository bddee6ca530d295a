/** `toolseam run [FILE|-]`: a program through `run_code`; each call that it makes is guarded as a direct one. */
import { randomUUID } from 'node:crypto'
import type { CodeLimits } from '@toolseam/code-mode'
import { type ToolMode, ToolSeamError } from '@toolseam/core-tools'
import type { ApproveMode } from '../calls/answerers.ts'
import { executeRecorded, jsonLine, printResult } from '../calls/recorded.ts'
import { given } from '../options.ts'
import { readSource } from '../terminal/argument.ts'
import { exitOf } from '../terminal/exit.ts'
import { tracerFor } from '../terminal/tracer.ts'
import { type CommandContext, withRuntime } from './context.ts'

export interface RunOptions {
  /** A file, or `-` (default) for standard input. */
  source?: string
  /** How tools are presented beside the program; it runs the same in each. */
  mode?: ToolMode
  /** JSON object of `CodeLimits`. */
  limits?: string
  trace?: boolean
  approve?: ApproveMode
}

export async function run(context: CommandContext, { source, mode, limits, trace, approve }: RunOptions): Promise<number> {
  const { streams, options } = context
  const code = await readSource(source)
  const tracer = tracerFor(streams, trace)
  return withRuntime(context, {
    overrides: { ...given({ mode }), ...(limits === undefined ? {} : { code: { limits: parseLimits(limits) } }) },
    ...given({ approve }),
    plugins: tracer.plugins,
    async run(runtime, { signal }) {
      tracer.start()
      const input = { callId: `run-${randomUUID().slice(0, 8)}`, name: 'run_code', arguments: { code }, signal }
      const call = await executeRecorded(runtime, input)
      await (options.json === true ? streams.out(jsonLine(call)) : printResult(streams, call))
      return exitOf(call.result)
    },
  })
}

/** Names and values are judged by the package whose limits they are. */
function parseLimits(text: string): Partial<CodeLimits> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ToolSeamError('TOOLSEAM_USAGE', `--limits is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new ToolSeamError('TOOLSEAM_USAGE', '--limits must be a JSON object, as in {"busyMs":1000}')
}
