/**
 * The calls between create and settle: what a closing runtime aborts and waits for.
 */
import type { Call } from '../pipeline/call.ts'
import { finalResult } from '../pipeline/outcome.ts'
import type { RunningCalls } from '../pipeline/parts.ts'
import { aborted } from '../pipeline/results.ts'
import { settle } from '../pipeline/settle.ts'

export class Running implements RunningCalls {
  readonly #calls = new Set<Call>()
  readonly #reason = new Error('the runtime is disposed')
  #closed = false
  #drained: (() => void) | undefined
  readonly #graceMs: number

  constructor(graceMs: number) {
    this.#graceMs = graceMs
  }

  get closed(): boolean {
    return this.#closed
  }

  get closedReason(): unknown {
    return this.#reason
  }

  add(call: Call): void {
    this.#calls.add(call)
    if (this.#closed) call.cancellation.abort(this.#reason)
  }

  delete(call: Call): void {
    this.#calls.delete(call)
    if (this.#calls.size === 0) this.#drained?.()
  }

  /** Refuses new calls, aborts those that run, and resolves when the last has settled. */
  async close(): Promise<void> {
    this.#closed = true
    for (const call of this.#calls) call.cancellation.abort(this.#reason)
    if (this.#calls.size === 0) return
    // A scheduler that took a value and never came back must not hold the runtime open.
    const sweep = setInterval(() => this.#settleAbandoned(), Math.max(1, this.#graceMs))
    await new Promise<void>((resolve) => {
      this.#drained = resolve
    })
    clearInterval(sweep)
  }

  #settleAbandoned(): void {
    for (const call of this.#calls) {
      if (call.idle) settle(finalResult(call, aborted(call.bodyStarted, this.#reason)))
    }
  }
}
