/** A call with the record that its `tools/result` carried, as the one line of `--json` and as text for people. */
import type { ToolCallRecord, ToolResult, ToolRuntime } from '@toolseam/core-tools'
import { renderContent, renderFailure } from '../terminal/render.ts'
import type { Streams } from '../terminal/streams.ts'

export interface ExecutedCall {
  callId: string
  name: string
  result: ToolResult
  record: ToolCallRecord | undefined
}

export async function executeRecorded(runtime: ToolRuntime, input: Parameters<ToolRuntime['execute']>[0]): Promise<ExecutedCall> {
  const records = recordsOf(runtime)
  try {
    const result = await runtime.execute(input)
    return { callId: input.callId, name: input.name, result, record: records.of(input.callId) }
  } finally {
    records.stop()
  }
}

/** Remembers the record of every call until it is stopped. */
export function recordsOf(runtime: ToolRuntime): { of(callId: string): ToolCallRecord | undefined; stop(): void } {
  const records = new Map<string, ToolCallRecord>()
  const stop = runtime.hooks.result.tap('toolseam/record', (execution, _result, told) => void records.set(execution.callId, told))
  return { of: (callId) => records.get(callId), stop }
}

/** callId, name, isError, value or error, content, durationMs, decision where policy ran. */
export function callFields({ callId, name, result, record }: ExecutedCall): object {
  const outcome = result.isError ? { isError: true, error: result.error } : { isError: false, value: result.value }
  const decision = record?.decision === undefined ? {} : { decision: record.decision }
  return { callId, name, ...outcome, content: result.content, durationMs: record?.durationMs ?? 0, ...decision }
}

/** Exactly one line. */
export function jsonLine(call: ExecutedCall): string {
  return `${JSON.stringify(callFields(call))}\n`
}

export async function printResult(streams: Streams, { result }: Pick<ExecutedCall, 'result'>): Promise<void> {
  if (result.isError) return streams.err(`toolseam: ${renderFailure(result, streams.errColors)}`)
  const text = renderContent(result.content)
  await streams.out(text === '' || text.endsWith('\n') ? text : `${text}\n`)
}
