/**
 * What the tests of this folder share: a runtime with the invariants watching, and calls in one word.
 */
import { afterEach, expect } from 'vitest'
import {
  Approval,
  createToolRuntime,
  type AskAnswer,
  type AskRequest,
  type ToolExecutionInput,
  type ToolFailure,
  type ToolLogger,
  type ToolResult,
  type ToolRuntime,
  type ToolRuntimeOptions,
  type ToolSuccess,
} from '@toolseam/core-tools'
import { recorder, toolInvariants, type InvariantViolation, type Recorder } from '@toolseam/core-tools/testing'

export interface Harness {
  readonly runtime: ToolRuntime
  readonly seen: Recorder
  readonly logs: { level: string; message: string }[]
  call(name: string, args?: unknown, more?: Partial<ToolExecutionInput>): Promise<ToolResult>
}

const violations: InvariantViolation[] = []
const open = new Set<ToolRuntime>()
let counter = 0

afterEach(async () => {
  const runtimes = [...open]
  open.clear()
  for (const runtime of runtimes) await runtime.dispose()
  expect(violations.splice(0)).toEqual([])
})

/** Invariants are on in all our tests: a violation fails the test in which it happened. */
export async function harness(options: ToolRuntimeOptions = {}): Promise<Harness> {
  const logs: { level: string; message: string }[] = []
  const level =
    (name: string) =>
    (message: string): void =>
      void logs.push({ level: name, message })
  const logger: ToolLogger = { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') }
  const seen = recorder()
  const watching = toolInvariants({ report: (violation) => violations.push(violation) })
  const runtime = await createToolRuntime({ logger, abortGraceMs: 50, ...options, plugins: [watching, seen, ...(options.plugins ?? [])] })
  open.add(runtime)
  return {
    runtime,
    seen,
    logs,
    call: (name, args = {}, more = {}) => runtime.execute({ callId: `call-${(counter += 1)}`, name, arguments: args, ...more }),
  }
}

/** Answers asks one after the other; keeps the requests. */
export function approver(
  runtime: ToolRuntime,
  answers: readonly (AskAnswer | ((request: AskRequest) => AskAnswer | Promise<AskAnswer>))[],
): AskRequest[] {
  const requests: AskRequest[] = []
  runtime.services.provide(Approval, {
    async ask(request) {
      requests.push(request)
      const answer = answers[Math.min(requests.length, answers.length) - 1]
      if (answer === undefined) throw new Error('no answer scripted')
      return typeof answer === 'function' ? answer(request) : answer
    },
  })
  return requests
}

export function errorOf(result: ToolResult): ToolFailure['error'] {
  expect(result.isError, JSON.stringify(result)).toBe(true)
  return (result as ToolFailure).error
}

export function valueOf(result: ToolResult): ToolSuccess['value'] {
  expect(result.isError, JSON.stringify(result)).toBe(false)
  return (result as ToolSuccess).value
}

/** Settles when asked to, so that a test decides the order of things. */
export function deferred<T = void>(): { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<T>((done, fail) => {
    resolve = done
    reject = fail
  })
  return { promise, resolve, reject }
}

/** Lets everything that can go on without outside help go on. */
export async function settleMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done))
}
