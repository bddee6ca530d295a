/**
 * One dispatch through wrappers: which results the inner chain minted, which attempts still run, and what each wrapper
 * may answer. After the outermost has answered nothing starts the body again.
 */
import type { ToolDispatch } from '../contracts/hooks.ts'
import type { ToolResult } from '../contracts/result.ts'
import { HookName } from '../hooks/layer-hooks.ts'
import { LONGEST_TIMER_MS } from '../hooks/tap-options.ts'
import { ignoreAnswer } from '../hooks/thenable.ts'
import type { TapFacts } from '../hooks/waterfall.ts'
import type { WrapRound } from '../hooks/wrap.ts'
import { adoptResult } from './adopt-result.ts'
import type { Attempt } from './attempt.ts'
import type { Call } from './call.ts'
import { isAbortSignal } from './cancellation.ts'
import { aborted, hookFailure } from './results.ts'
import { runAttempt } from './run-attempt.ts'

/** A wrapper threw or is none. `problem` finishes the sentence 'tap "x" of tools/execute ...'. */
export class WrapperFailure extends Error {
  readonly tap: string
  readonly code: 'HOOK_FAILED' | 'HOOK_INVALID_DECISION'
  readonly problem: string

  constructor({
    tap,
    code,
    problem,
    cause,
  }: {
    tap: string
    code: 'HOOK_FAILED' | 'HOOK_INVALID_DECISION'
    problem: string
    cause?: unknown
  }) {
    super(`tap "${tap}" of ${HookName.execute} ${problem}`, { cause })
    this.tap = tap
    this.code = code
    this.problem = problem
  }
}

export class WrapperRound implements WrapRound {
  readonly #call: Call
  /** One an attempt, and one for each result that a wrapper made: few. */
  readonly #minted: unknown[] = []
  #running: Map<Promise<ToolResult>, Attempt | undefined> | undefined
  #open = true
  readonly innermost: ToolDispatch

  constructor(call: Call) {
    this.#call = call
    this.innermost = (options) => this.#attempt(options)
  }

  wrap(inner: ToolDispatch, facts: TapFacts, build: (inner: ToolDispatch) => unknown): ToolDispatch {
    const { tap } = facts
    let wrapped: unknown
    try {
      wrapped = build(inner)
    } catch (cause) {
      throw new WrapperFailure({ tap, code: 'HOOK_FAILED', problem: 'threw', cause })
    }
    if (wrapped === inner) return inner
    if (typeof wrapped !== 'function') {
      ignoreAnswer(wrapped)
      throw new WrapperFailure({ tap, code: 'HOOK_INVALID_DECISION', problem: 'did not return a dispatcher (a function)' })
    }
    const dispatcher = wrapped as ToolDispatch
    return (options) => {
      const answer = this.#guarded(dispatcher, { facts, options })
      // A wrapper further out may have let go of this attempt: its rejection is then nobody's.
      ignoreAnswer(answer)
      return answer
    }
  }

  /** The outermost answer; a wrapper that ignores the abort is given up after twice the grace (the attempt has its own). */
  run(outermost: ToolDispatch): Promise<ToolResult> {
    return new Promise((resolve, reject) => {
      const { cancellation, parts } = this.#call
      let timer: ReturnType<typeof setTimeout> | undefined
      const unlisten = cancellation.onAbort(() => {
        timer = setTimeout(
          () => {
            this.#call.detached = true
            resolve(aborted(this.#call.bodyStarted, cancellation.reason, { detached: true }))
          },
          Math.min(parts.limits.abortGraceMs * 2, LONGEST_TIMER_MS),
        )
      })
      const over = (): void => {
        unlisten()
        clearTimeout(timer)
      }
      outermost().then(
        (result) => {
          over()
          resolve(result)
        },
        (error: unknown) => {
          over()
          reject(error)
        },
      )
    })
  }

  /** Strays are aborted and awaited; a kept dispatcher never starts the body again. */
  async close(): Promise<void> {
    this.#open = false
    const running = this.#running
    if (running === undefined || running.size === 0) return
    for (const attempt of running.values()) attempt?.cancellation.abort(new Error('another attempt has answered'))
    await Promise.allSettled(running.keys())
  }

  async #attempt(options: { signal?: AbortSignal } | undefined): Promise<ToolResult> {
    const signal = options?.signal
    if (signal !== undefined && !isAbortSignal(signal)) throw new TypeError('dispatch({ signal }): signal is not an abort signal')
    if (!this.#open) return this.#answered()
    let attempt: Attempt | undefined
    const work = runAttempt(this.#call, signal, (started) => {
      attempt = started
    })
    if (!(work instanceof Promise)) return this.#mint(work)
    this.#running ??= new Map()
    this.#running.set(work, attempt)
    try {
      return this.#mint(await work)
    } finally {
      this.#running?.delete(work)
    }
  }

  async #guarded(
    dispatcher: ToolDispatch,
    { facts, options }: { facts: TapFacts; options: { signal?: AbortSignal } | undefined },
  ): Promise<ToolResult> {
    if (!this.#open) return this.#answered()
    let answer: unknown
    try {
      answer = await dispatcher(options)
    } catch (error) {
      throw error instanceof WrapperFailure
        ? error
        : new WrapperFailure({ tap: facts.tap, code: 'HOOK_FAILED', problem: 'threw', cause: error })
    }
    if (this.#minted.includes(answer)) return answer as ToolResult
    const adopted = await adoptResult(this.#call, answer)
    if (adopted.kind === 'adopted') return this.#mint(adopted.result)
    this.#call.note({ stage: 'execute', by: facts.tap, kind: 'error', effect: 'failed', reason: adopted.problem })
    return this.#mint(hookFailure('HOOK_INVALID_DECISION', { hook: facts.hook, tap: facts.tap, message: adopted.problem }))
  }

  /** For a dispatcher that somebody kept: nothing starts any more. */
  #answered(): ToolResult {
    return this.#mint(aborted(false, 'the call has already been answered'))
  }

  #mint(result: ToolResult): ToolResult {
    this.#minted.push(result)
    return result
  }
}
