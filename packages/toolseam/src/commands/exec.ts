/** `toolseam exec TOOL [JSON|@FILE|-]`: one call through the pipeline. */
import { randomUUID } from 'node:crypto'
import type { ToolRuntime } from '@toolseam/core-tools'
import type { ApproveMode } from '../calls/answerers.ts'
import { executeRecorded, jsonLine, printResult } from '../calls/recorded.ts'
import { given } from '../options.ts'
import { readArgument } from '../terminal/argument.ts'
import { exitOf } from '../terminal/exit.ts'
import { nearest } from '../terminal/nearest.ts'
import type { Streams } from '../terminal/streams.ts'
import { tracerFor } from '../terminal/tracer.ts'
import { type CommandContext, withRuntime } from './context.ts'

export interface ExecOptions {
  tool: string
  /** JSON, `@FILE` or `-`; absent is `{}`. */
  argument?: string
  trace?: boolean
  /** Presets the answer to an ask. Default: the terminal, where there is one. */
  approve?: ApproveMode
}

export async function exec(context: CommandContext, { tool, argument, trace, approve }: ExecOptions): Promise<number> {
  const { streams, options } = context
  const text = await readArgument(argument)
  const tracer = tracerFor(streams, trace)
  return withRuntime(context, {
    ...given({ approve }),
    plugins: tracer.plugins,
    async run(runtime, { signal }) {
      tracer.start()
      const call = await executeRecorded(runtime, { callId: `exec-${randomUUID().slice(0, 8)}`, name: tool, arguments: text, signal })
      await (options.json === true ? streams.out(jsonLine(call)) : printResult(streams, call))
      if (call.result.isError && call.result.error.code === 'UNKNOWN_TOOL') await hint(streams, { runtime, tool })
      return exitOf(call.result)
    },
  })
}

async function hint({ err }: Streams, { runtime, tool }: { runtime: ToolRuntime; tool: string }): Promise<void> {
  const names = runtime.view().presented
  const near = nearest.find(tool, names)
  await err(near === undefined ? `toolseam: the tools are ${names.join(', ')}\n` : `toolseam: did you mean ${near}?\n`)
}
