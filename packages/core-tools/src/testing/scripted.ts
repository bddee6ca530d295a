/**
 * Scripted tools and a recorder: real tools with bodies that a test steers, and everything the hooks showed of a run.
 */
import type { JsonValue } from '../contracts/json.ts'
import type { ToolCallRecord, ToolResult } from '../contracts/result.ts'
import type { ToolPlugin } from '../contracts/runtime.ts'
import type { ToolDefinition, ToolRunContext } from '../contracts/tool.ts'

/** What a scripted body does on one call: gives a value, throws, waits, or runs a function. */
export type Script =
  | { value: JsonValue }
  | { throws: unknown }
  /** Until the signal aborts; then throws its reason. */
  | { hangs: 'until-aborted' }
  /** For ever, deaf to its signal. */
  | { hangs: 'for-ever' }
  | { run(input: unknown, context: ToolRunContext): unknown }

export interface ScriptedTool extends ToolDefinition {
  /** Inputs of the bodies started so far. */
  readonly calls: readonly { input: unknown; context: ToolRunContext }[]
}

/** The n-th call follows the n-th script; the last one is repeated. */
export function scriptedTool(name: string, options: Partial<ToolDefinition> & { script?: Script | readonly Script[] } = {}): ScriptedTool {
  const { script = { run: (input: unknown) => input as JsonValue }, ...definition } = options
  const scripts: readonly Script[] = Array.isArray(script) ? script : [script as Script]
  const calls: { input: unknown; context: ToolRunContext }[] = []
  return {
    name,
    description: `Scripted tool ${name}`,
    input: { type: 'object' },
    ...definition,
    calls,
    execute(input, context) {
      calls.push({ input, context })
      const step = scripts[Math.min(calls.length, scripts.length) - 1]
      return follow(step ?? { value: null }, { input, context }) as JsonValue
    },
  }
}

function follow(step: Script, { input, context }: { input: unknown; context: ToolRunContext }): unknown {
  if ('value' in step) return step.value
  if ('throws' in step) throw step.throws
  if ('run' in step) return step.run(input, context)
  if (step.hangs === 'for-ever') return new Promise(() => undefined)
  const { signal } = context
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

export type RecordedEvent =
  | { kind: 'pre-execute'; callId: string; decision: string }
  | { kind: 'execute'; callId: string }
  | { kind: 'body-settled'; callId: string }
  | { kind: 'post-execute'; callId: string }
  | { kind: 'progress'; callId: string; message: string | undefined }
  | { kind: 'result'; callId: string; result: ToolResult; record: ToolCallRecord }

export interface Recorder extends ToolPlugin {
  readonly events: readonly RecordedEvent[]
  /** Results by callId. */
  resultOf(callId: string): ToolResult | undefined
  recordOf(callId: string): ToolCallRecord | undefined
  /** `kind callId` lines, for comparing an order. */
  lines(): string[]
}

/** Records what the global hooks saw. Abstains everywhere. */
export function recorder(): Recorder {
  const events: RecordedEvent[] = []
  const settled = (callId: string): Extract<RecordedEvent, { kind: 'result' }> | undefined =>
    events.find((event): event is Extract<RecordedEvent, { kind: 'result' }> => event.kind === 'result' && event.callId === callId)
  return {
    name: 'toolseam/recorder',
    events,
    resultOf: (callId) => settled(callId)?.result,
    recordOf: (callId) => settled(callId)?.record,
    lines: () => events.map(({ kind, callId }) => `${kind} ${callId}`),
    apply({ hooks }) {
      hooks.preExecute.tap('toolseam/recorder', (decision, { callId }) => {
        events.push({ kind: 'pre-execute', callId, decision: decision.kind })
        return decision
      })
      hooks.execute.tap('toolseam/recorder', (dispatch, { callId }) => async (options) => {
        events.push({ kind: 'execute', callId })
        try {
          return await dispatch(options)
        } finally {
          events.push({ kind: 'body-settled', callId })
        }
      })
      hooks.postExecute.tap('toolseam/recorder', (decision, { callId }) => {
        events.push({ kind: 'post-execute', callId })
        return decision
      })
      hooks.progress.tap('toolseam/recorder', ({ callId }, { message }) => {
        events.push({ kind: 'progress', callId, message })
      })
      hooks.result.tap('toolseam/recorder', ({ callId }, result, record) => {
        events.push({ kind: 'result', callId, result, record })
      })
    },
  }
}
