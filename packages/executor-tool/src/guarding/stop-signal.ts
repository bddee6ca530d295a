/**
 * An abort signal that costs next to nothing until somebody listens. It carries a stop between our own hands and the pipeline, which makes a
 * native signal for a body that asks for one; it is not handed to bodies itself.
 */
import { callGuarded } from './attempt.ts'

type Listener = Parameters<AbortSignal['addEventListener']>[1]

export class StopSignal implements AbortSignal {
  aborted = false
  reason: unknown = undefined
  onabort: AbortSignal['onabort'] = null
  #listeners: Listener[] | undefined
  readonly #report: (error: unknown) => void

  constructor(report: (error: unknown) => void = ignore) {
    this.#report = report
  }

  /** Once; the first reason stands. A listener that throws is reported, the others still hear it. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = this.#listeners ?? []
    this.#listeners = undefined
    const event = new Event('abort')
    if (this.onabort !== null) listeners.unshift(this.onabort)
    for (const listener of listeners) {
      callGuarded(() => (typeof listener === 'function' ? listener.call(this, event) : listener.handleEvent(event)), this.#report)
    }
  }

  addEventListener(type: string, listener: Listener | null): void {
    if (type !== 'abort' || listener === null || this.aborted || this.#listeners?.includes(listener) === true) return
    if (this.#listeners === undefined) this.#listeners = [listener]
    else this.#listeners.push(listener)
  }

  removeEventListener(_type: string, listener: Listener | null): void {
    const at = listener === null ? -1 : (this.#listeners?.indexOf(listener) ?? -1)
    if (at >= 0) this.#listeners?.splice(at, 1)
  }

  /** Nobody else speaks on it. */
  dispatchEvent(): boolean {
    return false
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }
}

function ignore(): void {
  // Nobody asked to be told.
}
