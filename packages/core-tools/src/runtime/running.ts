/**
 * The calls between create and settle: what a closing runtime aborts and waits for.
 */
import type { Call } from '../pipeline/call.ts'
import type { RunningCalls } from '../pipeline/parts.ts'

export class Running implements RunningCalls {
  readonly #calls = new Set<Call>()
  readonly #reason = new Error('the runtime is disposed')
  #closed = false
  #drained: (() => void) | undefined

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
    await new Promise<void>((resolve) => {
      this.#drained = resolve
    })
  }
}
