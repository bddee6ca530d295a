/**
 * One run of a body, as far as it has facts: what it deferred, its nested calls, its own fused cancellation.
 */
import type { ContentBlock } from '../contracts/content.ts'
import type { ToolResult } from '../contracts/result.ts'
import type { Call } from './call.ts'
import { Cancellable, Cancellation } from './cancellation.ts'
import type { Extras } from './output.ts'

const NO_EXTRAS: Extras = Object.freeze({})

export class Attempt extends Cancellable {
  readonly call: Call
  /** False once the attempt has its result: contexts, progress and conclusions are ignored from then on. */
  open = true
  timedOut = false
  concludes = false
  contexts: ContentBlock[][] | undefined
  /** Nested calls not yet settled. */
  nested: Set<Promise<ToolResult>> | undefined
  #nestedCancellation: Cancellation | undefined

  constructor(call: Call, signal: AbortSignal | undefined) {
    super(call, signal)
    this.call = call
  }

  /** What nested calls are cancelled by: the body's own signal, and the body's return. */
  get nestedCancellation(): Cancellation {
    this.#nestedCancellation ??= new Cancellation([this.cancellation])
    return this.#nestedCancellation
  }

  async endNested(): Promise<void> {
    if (this.nested === undefined || this.nested.size === 0) return
    this.#nestedCancellation?.abort(new Error('the parent call has returned'))
    await Promise.all(this.nested)
  }

  get extras(): Extras {
    if (this.contexts === undefined && !this.concludes) return NO_EXTRAS
    const extras: { additionalContexts?: ContentBlock[][]; concludesTurn?: true } = {}
    if (this.contexts !== undefined) extras.additionalContexts = Object.freeze(this.contexts) as ContentBlock[][]
    if (this.concludes) extras.concludesTurn = true
    return extras
  }

  close(): void {
    this.open = false
    this.release()
    this.#nestedCancellation?.release()
  }
}
