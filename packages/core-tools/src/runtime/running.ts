/**
 * The calls between create and settle: what a closing runtime aborts and waits for.
 */
import { EXECUTION_TOKEN } from '../contracts/execution.ts'
import type { Call } from '../pipeline/call.ts'
import { finalResult } from '../pipeline/outcome.ts'
import type { RunningCalls } from '../pipeline/parts.ts'
import { aborted } from '../pipeline/results.ts'
import { settle } from '../pipeline/settle.ts'

export class Running implements RunningCalls {
  /** The newest; the rest hang on it, each knowing its neighbours. */
  #newest: Call | undefined
  readonly #reason = new Error('the runtime is disposed')
  #closed = false
  #drained: (() => void) | undefined
  readonly #graceMs: number
  #idleBefore: ReadonlySet<Call> = new Set()

  constructor(graceMs: number) {
    this.#graceMs = graceMs
  }

  add(call: Call): void {
    call.older = this.#newest
    if (this.#newest !== undefined) this.#newest.newer = call
    this.#newest = call
    if (this.#closed) call.cancellation.abort(this.#reason)
  }

  delete(call: Call): void {
    const { newer, older } = call
    if (newer !== undefined) newer.older = older
    else if (this.#newest === call) this.#newest = older
    if (older !== undefined) older.newer = newer
    call.newer = undefined
    call.older = undefined
    if (this.#newest === undefined) this.#drained?.()
  }

  /** Refuses new calls, aborts those that run, and resolves when the last has settled. */
  async close(): Promise<void> {
    this.#closed = true
    for (const call of this.#all()) call.cancellation.abort(this.#reason)
    if (this.#newest === undefined) return
    // A scheduler that took a value and never came back must not hold the runtime open.
    const sweep = setInterval(() => this.#settleAbandoned(), Math.max(1, this.#graceMs))
    await new Promise<void>((resolve) => {
      this.#drained = resolve
    })
    clearInterval(sweep)
  }

  /** Where nothing but the waiting parents of idle calls is at work, what has been idle for two looks was left behind. */
  #settleAbandoned(): void {
    const calls = this.#all()
    const idle = calls.filter((call) => call.idle)
    const waiting = new Set<unknown>()
    for (const { facts } of idle) {
      for (let token = facts.parent; token !== undefined && !waiting.has(token); token = token[EXECUTION_TOKEN].parent) waiting.add(token)
    }
    const left = calls.some((call) => !call.idle && !waiting.has(call.token)) ? [] : idle
    for (const call of left) {
      if (this.#idleBefore.has(call)) settle(finalResult(call, aborted(call.bodyStarted, this.#reason)))
    }
    this.#idleBefore = new Set(left)
  }

  #all(): Call[] {
    const calls: Call[] = []
    for (let call = this.#newest; call !== undefined; call = call.older) calls.push(call)
    return calls
  }
}
