/** `toolseam exec TOOL [JSON|@FILE|-]`: one call through the pipeline. */
import { randomUUID } from 'node:crypto'
import { type Answerer, approve, terminal } from '@toolseam/approval'
import type { ToolCallRecord, ToolPlugin, ToolResult, ToolRuntime } from '@toolseam/core-tools'
import { readArgument } from '../terminal/argument.ts'
import { exitOf } from '../terminal/exit.ts'
import { nearest } from '../terminal/nearest.ts'
import { renderContent, renderFailure, renderStage } from '../terminal/render.ts'
import { type StageEvent, stageObserver } from '../terminal/stages.ts'
import type { Streams } from '../terminal/streams.ts'
import { type CommandContext, withRuntime } from './context.ts'

export interface ExecOptions {
  tool: string
  /** JSON, `@FILE` or `-`; absent is `{}`. */
  argument?: string
  trace?: boolean
  /** Presets the answer to an ask. Default: the terminal, where there is one. */
  approve?: ApproveMode
}

export type ApproveMode = (typeof approveModes)[number]
export const approveModes: readonly ['once', 'never', 'wait'] = ['once', 'never', 'wait']

export interface ExecutedCall {
  callId: string
  name: string
  result: ToolResult
  record: ToolCallRecord | undefined
}

export async function exec(context: CommandContext, { tool, argument, trace, approve: mode }: ExecOptions): Promise<number> {
  const text = await readArgument(argument)
  const tracer = trace === true ? createTracer(context.streams) : undefined
  return withRuntime(context, {
    overrides: mode === undefined ? {} : { answerers: answerersFor(mode) },
    plugins: tracer === undefined ? [] : [tracer.plugin],
    async run(runtime, { signal }) {
      tracer?.start()
      const call = await executeRecorded(runtime, { callId: `exec-${randomUUID().slice(0, 8)}`, name: tool, arguments: text, signal })
      await (context.options.json === true ? context.streams.out(jsonLine(call)) : printResult(context.streams, call))
      if (call.result.isError && call.result.error.code === 'UNKNOWN_TOOL') await hint(context.streams, { runtime, tool })
      return exitOf(call.result)
    },
  })
}

/** `wait` prompts too where a terminal is; a decision from elsewhere ends the prompt. */
function answerersFor(mode: ApproveMode): Answerer[] {
  return mode === 'wait' ? [terminal(), approve(mode)] : [approve(mode)]
}

/** The call and the record that its `tools/result` carried. */
export async function executeRecorded(runtime: ToolRuntime, input: Parameters<ToolRuntime['execute']>[0]): Promise<ExecutedCall> {
  let record: ToolCallRecord | undefined
  const dispose = runtime.hooks.result.tap('toolseam/record', (execution, _result, told) => {
    if (execution.callId === input.callId) record = told
  })
  try {
    const result = await runtime.execute(input)
    return { callId: input.callId, name: input.name, result, record }
  } finally {
    dispose()
  }
}

/** Exactly one line: callId, name, isError, value or error, content, durationMs, decision where policy ran. */
export function jsonLine({ callId, name, result, record }: ExecutedCall): string {
  const outcome = result.isError ? { isError: true, error: result.error } : { isError: false, value: result.value }
  const decision = record?.decision === undefined ? {} : { decision: record.decision }
  return `${JSON.stringify({ callId, name, ...outcome, content: result.content, durationMs: record?.durationMs ?? 0, ...decision })}\n`
}

async function printResult(streams: Streams, { result }: ExecutedCall): Promise<void> {
  if (result.isError) return streams.err(`toolseam: ${renderFailure(result, streams.errColors)}`)
  const text = renderContent(result.content)
  await streams.out(text === '' || text.endsWith('\n') ? text : `${text}\n`)
}

async function hint({ err }: Streams, { runtime, tool }: { runtime: ToolRuntime; tool: string }): Promise<void> {
  const names = runtime.view().presented
  const near = nearest.find(tool, names)
  await err(near === undefined ? `toolseam: the tools are ${names.join(', ')}\n` : `toolseam: did you mean ${near}?\n`)
}

/** Each stage on standard error as it happens; nested calls indented under the call that made them. */
function createTracer({ err, errColors }: Streams): { plugin: ToolPlugin; start(): void } {
  let started = performance.now()
  const depths = new Map<string, number>()
  const depthOf = ({ execution }: StageEvent): number => {
    const known = depths.get(execution.callId)
    if (known !== undefined) return known
    const parent = execution.callId.slice(0, execution.callId.lastIndexOf(':'))
    const depth = execution.parent === undefined ? 0 : (depths.get(parent) ?? 0) + 1
    depths.set(execution.callId, depth)
    return depth
  }
  const plugin = stageObserver((event) => {
    void err(renderStage(event, { colors: errColors, sinceMs: performance.now() - started, depth: depthOf(event) }))
  })
  const start = (): void => {
    started = performance.now()
  }
  return { plugin, start }
}
