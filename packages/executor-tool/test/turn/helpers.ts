/**
 * A runtime with an executor and tools whose bodies a test holds in its hands.
 */
import {
  createToolRuntime,
  type JsonValue,
  type ToolDefinition,
  type ToolPlugin,
  type ToolRunContext,
  type ToolRuntime,
} from '@toolseam/core-tools'
import { ToolExecutor, toolExecutor, type ToolDomainEvent, type ToolExecutorOptions } from '@toolseam/executor-tool'
import type { ToolResult } from '@toolseam/core-tools'
import { drainReady } from '@toolseam/executor-tool/testing'

export interface Gate {
  readonly name: string
  readonly context: ToolRunContext
  readonly running: boolean
  open(value?: JsonValue): void
  fail(error: unknown): void
}

export interface TurnBench {
  readonly runtime: ToolRuntime
  readonly executor: ToolExecutor
  readonly events: ToolDomainEvent<ToolResult>[]
  /** What happened, in order: prepare, start, finalize, result of each call. */
  readonly log: string[]
  readonly gates: Gate[]
  gate(name: string): Gate
  /** Registers a tool whose body waits at its gate. */
  gated(name: string, extra?: Partial<ToolDefinition>): void
  until(condition: () => boolean): Promise<void>
}

export async function turnBench(options: ToolExecutorOptions = {}, plugins: ToolPlugin[] = []): Promise<TurnBench> {
  const log: string[] = []
  const gates: Gate[] = []
  const runtime = await createToolRuntime({ plugins: [...plugins, toolExecutor(options)], logger: silent, abortGraceMs: 60_000 })
  const executor = runtime.services.require(ToolExecutor)
  const events: ToolDomainEvent<ToolResult>[] = []
  executor.domain.subscribe((event) => events.push(event))
  runtime.hooks.preExecute.tap('log', (decision, { callId }) => {
    log.push(`prepare ${callId}`)
    return decision
  })
  runtime.hooks.postExecute.tap('log', (decision, { callId }) => {
    log.push(`finalize ${callId}`)
    return decision
  })
  runtime.hooks.result.tap('log', ({ callId }) => void log.push(`result ${callId}`))

  function body(name: string, context: ToolRunContext): Promise<JsonValue> {
    log.push(`start ${context.execution.callId}`)
    return new Promise<JsonValue>((resolve, reject) => {
      let running = true
      gates.push({
        name,
        context,
        get running() {
          return running
        },
        open(value = 'done') {
          running = false
          resolve(value)
        },
        fail(error) {
          running = false
          reject(error)
        },
      })
    })
  }

  const bench: TurnBench = {
    runtime,
    executor,
    events,
    log,
    gates,
    gate(name) {
      const found = gates.findLast((gate) => gate.name === name)
      if (found === undefined) throw new Error(`'${name}' did not start; ${log.join(', ')}`)
      return found
    },
    gated(name, extra = {}) {
      runtime.register({
        name,
        description: `Waits at the gate ${name}.`,
        input: { type: 'object' },
        concurrency: 'parallel',
        execute: (_input, context) => body(name, context),
        ...extra,
      })
    },
    async until(condition) {
      for (let tries = 0; tries < 2000; tries += 1) {
        if (condition()) return
        await drainReady()
      }
      throw new Error(`it did not come to pass; ${log.join(', ')}`)
    },
  }
  return bench
}

/** A fact is stable when some passes of the event loop change nothing. */
export async function settled(): Promise<void> {
  for (let pass = 0; pass < 20; pass += 1) await drainReady()
}

export const call = (callId: string, name = callId, args: JsonValue = {}): { callId: string; name: string; arguments: JsonValue } => ({
  callId,
  name,
  arguments: args,
})

const silent = { debug() {}, info() {}, warn() {}, error() {} }
