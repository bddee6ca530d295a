/** `toolseam turn [FILE|-]`: the calls of one model message through the executor domain. */
import { randomUUID } from 'node:crypto'
import type { ToolExecutionInput } from '@toolseam/core-tools'
import { type RevertMode, ToolExecutor, type ToolExecutorOptions, type TurnMode, type TurnOutcome } from '@toolseam/executor-tool'
import type { ApproveMode } from '../calls/answerers.ts'
import { callFields, type ExecutedCall, printResult, recordsOf } from '../calls/recorded.ts'
import { parseTurnCalls } from '../calls/turn-calls.ts'
import { given } from '../options.ts'
import { readSource } from '../terminal/argument.ts'
import { Exit, exitOf } from '../terminal/exit.ts'
import { inline, printable } from '../terminal/render.ts'
import { renderEventLine, renderReceipt, renderReleased } from '../terminal/render-turn.ts'
import type { Streams } from '../terminal/streams.ts'
import { tracerFor } from '../terminal/tracer.ts'
import { type CommandContext, withRuntime } from './context.ts'

export interface TurnOptions {
  /** A file, or `-` (default) for standard input. */
  source?: string
  mode?: TurnMode
  /** What a stop undoes. */
  revert?: RevertMode
  trace?: boolean
  approve?: ApproveMode
}

export const turnModes: readonly TurnMode[] = ['serial', 'parallel']
export const revertModes: readonly RevertMode[] = ['unapplied', 'turn', 'none']

export async function turn(context: CommandContext, { source, mode, revert, trace, approve }: TurnOptions): Promise<number> {
  const { streams, options } = context
  const turnId = `turn-${randomUUID().slice(0, 8)}`
  const calls = parseTurnCalls(await readSource(source), turnId)
  const tracer = tracerFor(streams, trace)
  return withRuntime(context, {
    overrides: { executor: { ...given({ mode, revert }), ...tellingReleases(streams) } },
    ...given({ approve }),
    plugins: tracer.plugins,
    async run(runtime, interruption) {
      const { domain, driver } = runtime.services.require(ToolExecutor)
      const records = recordsOf(runtime)
      const unsubscribe = domain.subscribe((event) => {
        if (options.json === true) void streams.out(renderEventLine(event))
        if (event.kind === 'tool.halted' || event.kind === 'tool.halt_failed') void streams.err(renderReceipt(event, calls))
      })
      // The first signal is the turn's own stop; the second takes that over and ends background work too.
      interruption.onSecond(() => void driver.halt('terminate'))
      interruption.signal.addEventListener('abort', () => void streams.err('toolseam: stopping the turn; again terminates it\n'))
      tracer.start()
      const outcome = await driver.execute({ turnId, calls, signal: interruption.signal })
      // What the end of the runtime stops is no part of the turn.
      unsubscribe()
      const executed = calls.map((call, at) => executedCall(call, { outcome, at, record: records.of(call.callId) }))
      await (options.json === true ? streams.out(lastLine(outcome, executed)) : printAll(streams, executed))
      return outcome.status === 'halted' ? Exit.interrupted : Math.max(Exit.ok, ...outcome.results.map(exitOf))
    },
  })
}

/** What was released and undone goes to standard error in either form: it is no event of the domain. */
function tellingReleases({ err }: Streams): Pick<ToolExecutorOptions, 'onReleased' | 'onReleaseError'> {
  return {
    onReleased: (report) => void err(renderReleased(report)),
    onReleaseError: (error, _order, which) =>
      void err(`toolseam: ${which} failed: ${inline(error instanceof Error ? error.message : String(error))}\n`),
  }
}

function executedCall(
  { callId, name }: ToolExecutionInput,
  { outcome, at, record }: { outcome: TurnOutcome; at: number; record: ExecutedCall['record'] },
): ExecutedCall {
  const result = outcome.results[at]
  if (result === undefined) throw new Error(`the turn gave no result for call ${at}`)
  return { callId, name, result, record }
}

function lastLine({ turnId, status }: TurnOutcome, executed: readonly ExecutedCall[]): string {
  return `${JSON.stringify({ turnId, status, results: executed.map(callFields) })}\n`
}

async function printAll(streams: Streams, executed: readonly ExecutedCall[]): Promise<void> {
  for (const call of executed) {
    await streams.out(`${streams.outColors.bold(`${printable(call.callId)}  ${printable(call.name)}`)}\n`)
    await printResult(streams, call)
  }
}
