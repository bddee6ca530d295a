/**
 * The asynchronous waterfalls (`tools/pre-execute`, `tools/post-execute`) over Tapable's AsyncSeriesWaterfallHook. Each
 * returned value is judged at its own tap by the round that travels beside it; synchronous taps add no promise.
 */
import { AsyncSeriesWaterfallHook } from 'tapable'
import type { Disposer } from '../contracts/disposer.ts'
import type { HookInterceptor, TapOptions, ToolWaterfall } from '../contracts/hooks.ts'
import { deadlinesOf, type DeadlineList, type Waiting } from './deadlines.ts'
import { TapableLayer, type TapableHook } from './tapable-layer.ts'
import type { ReadTapOptions } from './tap-options.ts'
import { isThenable } from './thenable.ts'

export interface TapFacts {
  readonly hook: string
  readonly tap: string
}

export type TapFailureCode = 'HOOK_FAILED' | 'HOOK_TIMEOUT' | 'HOOK_INVALID_DECISION'

/** One pass of a value through the chain of all layers. It judges what taps return; taps never see it. */
export interface Round<Value> {
  /** The value in force, frozen. */
  readonly value: Value
  /** Set by a rewrite, a failure or an abort: the rest of the chain does not run. */
  readonly ended: boolean
  readonly timeoutMs: number
  /** A promise only where judging has to wait; taps of such a hook are all inserted as asynchronous ones. */
  take(raw: unknown, tap: TapFacts): void | Promise<void>
  fail(code: TapFailureCode, tap: TapFacts, facts: { cause?: unknown; message: string }): void
  late(tap: TapFacts): void
  /** Calls back once when the call is aborted, where that ends this round. Returns the unlisten. */
  onAbort(listener: () => void): () => void
}

type Callback = (error: Error | null, value: unknown) => void
type TapFunction<Value, Args extends readonly unknown[]> = (value: Value, ...args: Args) => unknown
/** Calls a tap with what the contract promises it, taken from the round. */
type Invoke<Value, Args extends readonly unknown[], R> = (fn: TapFunction<Value, Args>, round: R) => unknown

/** Tapable's hook as it is used here. What is tapped gets: value, further arguments, what is carried (and a callback where async). */
interface AsyncWaterfall extends TapableHook {
  tap(options: object, fn: (...given: unknown[]) => unknown): void
  tapAsync(options: object, fn: (...given: unknown[]) => void): void
  callAsync(...args: unknown[]): void
}

export class WaterfallLayer<Value, Args extends readonly unknown[], R extends Round<Value>> implements ToolWaterfall<Value, Args> {
  readonly layer: TapableLayer<AsyncWaterfall>
  readonly #invoke: Invoke<Value, Args, R>
  readonly #waits: boolean
  /** How many arguments stand between the value and what is carried: one or two. */
  readonly #arguments: number

  /** `waits`: judging a value may be asynchronous. */
  constructor(name: string, { args, invoke, waits }: { args: readonly string[]; invoke: Invoke<Value, Args, R>; waits: boolean }) {
    this.layer = new TapableLayer<AsyncWaterfall>(name, new AsyncSeriesWaterfallHook([...args, 'carried'] as never, name) as AsyncWaterfall)
    this.#invoke = invoke
    this.#waits = waits
    this.#arguments = args.length - 1
  }

  get active(): boolean {
    return this.layer.active
  }

  tap(options: string | TapOptions, fn: (value: Value, ...args: Args) => Value): Disposer {
    return this.layer.add(options, {
      fn,
      timeout: true,
      insert: (read) => (this.#waits ? this.#insertAsync(read, fn, false) : this.#insertSync(read, fn)),
    })
  }

  tapPromise(options: string | TapOptions, fn: (value: Value, ...args: Args) => Value | Promise<Value>): Disposer {
    return this.layer.add(options, { fn, timeout: true, insert: (read) => this.#insertAsync(read, fn, true) })
  }

  intercept(interceptor: HookInterceptor): Disposer {
    return this.layer.intercept(interceptor)
  }

  /** Runs this layer's chain. Undefined where it was over synchronously. */
  run(round: R, args: readonly unknown[]): Promise<void> | undefined {
    let finished = false
    let resolve: (() => void) | undefined
    // Tapable says null where all went well; whatever else was thrown, `undefined` too, is a failure.
    const finish = (error: unknown): void => {
      if (finished) return
      finished = true
      if (error !== null) round.fail('HOOK_FAILED', this.#interceptorFacts(), { cause: error, message: 'an interceptor failed' })
      resolve?.()
    }
    const stop = (error: unknown): void => finish(error ?? undefined)
    try {
      this.layer.hook.callAsync(round.value, ...args, { round, finish: stop }, finish)
    } catch (error) {
      stop(error)
    }
    if (finished) return undefined
    return new Promise((done) => {
      resolve = done
    })
  }

  #interceptorFacts(): TapFacts {
    return { hook: this.layer.name, tap: '(interceptor)' }
  }

  #insertSync(read: ReadTapOptions, fn: TapFunction<Value, Args>): void {
    const facts: TapFacts = { hook: this.layer.name, tap: read.name }
    this.layer.hook.tap(tapableOptions(read), (_value, _first, second, third) => {
      const { round } = (this.#arguments === 1 ? second : third) as Carried<R>
      if (!round.ended) {
        const raw = attempt(() => this.#invoke(fn, round), round, facts)
        if (raw !== FAILED) void round.take(raw, facts)
      }
      return round.value
    })
  }

  #insertAsync(read: ReadTapOptions, fn: TapFunction<Value, Args>, mayPromise: boolean): void {
    const facts: TapFacts = { hook: this.layer.name, tap: read.name }
    this.layer.hook.tapAsync(tapableOptions(read), (_value, _first, second, third, fourth) => {
      const single = this.#arguments === 1
      const { round, finish } = (single ? second : third) as Carried<R>
      const proceed = (single ? third : fourth) as Callback
      if (round.ended) return proceed(null, round.value)
      const raw = attempt(() => this.#invoke(fn, round), round, facts)
      if (raw === FAILED) return proceed(null, round.value)
      const next = (): void => {
        try {
          proceed(null, round.value)
        } catch (error) {
          finish(error)
        }
      }
      if (mayPromise && isThenable(raw)) return awaitTap(raw, { round, facts, timeoutMs: read.timeoutMs ?? round.timeoutMs }, next)
      takeThen(raw, { round, facts }, next)
    })
  }
}

/** Judging may itself have to wait, for an asynchronous schema. */
function takeThen<Value>(raw: unknown, { round, facts }: { round: Round<Value>; facts: TapFacts }, next: () => void): void {
  const pending = round.take(raw, facts)
  if (pending === undefined) return next()
  pending.then(next, (cause: unknown) => {
    round.fail('HOOK_FAILED', facts, { cause, message: 'returned a value that could not be judged' })
    next()
  })
}

interface Carried<R> {
  round: R
  finish(error: unknown): void
}

const FAILED = Symbol('failed')

function attempt<Value>(run: () => unknown, round: Round<Value>, facts: TapFacts): unknown {
  try {
    return run()
  } catch (cause) {
    round.fail('HOOK_FAILED', facts, { cause, message: 'threw' })
    return FAILED
  }
}

/** Waits for a tap's promise, its timeout or the call's abort, whichever is first; goes on exactly once. */
function awaitTap<Value>(
  work: PromiseLike<unknown>,
  { round, facts, timeoutMs }: { round: Round<Value>; facts: TapFacts; timeoutMs: number },
  next: () => void,
): void {
  const pending = new PendingTap(round, { facts, timeoutMs, next })
  try {
    work.then(
      (raw) => pending.answer(raw),
      (cause: unknown) => pending.reject(cause),
    )
  } catch (cause) {
    pending.reject(cause)
  }
}

class PendingTap<Value> implements Waiting {
  due = 0
  earlier: Waiting | undefined
  later: Waiting | undefined
  readonly #round: Round<Value>
  readonly #facts: TapFacts
  readonly #timeoutMs: number
  readonly #next: () => void
  readonly #deadlines: DeadlineList
  readonly #unlisten: () => void
  #open = true

  constructor(round: Round<Value>, { facts, timeoutMs, next }: { facts: TapFacts; timeoutMs: number; next: () => void }) {
    this.#round = round
    this.#facts = facts
    this.#timeoutMs = timeoutMs
    this.#next = next
    this.#deadlines = deadlinesOf(timeoutMs)
    this.#deadlines.add(this)
    this.#unlisten = round.onAbort(() => this.#abort())
  }

  answer(raw: unknown): void {
    if (this.#close()) takeThen(raw, { round: this.#round, facts: this.#facts }, this.#next)
    else this.#round.late(this.#facts)
  }

  reject(cause: unknown): void {
    if (!this.#close()) return this.#round.late(this.#facts)
    this.#round.fail('HOOK_FAILED', this.#facts, { cause, message: 'rejected' })
    this.#next()
  }

  /** Called by the list, which has let go of it. */
  expire(): void {
    if (!this.#open) return
    this.#open = false
    this.#unlisten()
    this.#round.fail('HOOK_TIMEOUT', this.#facts, { message: `gave no answer within ${this.#timeoutMs} ms` })
    this.#next()
  }

  #abort(): void {
    if (this.#close()) this.#next()
  }

  /** True for the first who comes. */
  #close(): boolean {
    if (!this.#open) return false
    this.#open = false
    this.#deadlines.remove(this)
    this.#unlisten?.()
    return true
  }
}

function tapableOptions(read: ReadTapOptions): { name: string; stage?: number; before?: string } {
  const options: { name: string; stage?: number; before?: string } = { name: read.name }
  if (read.stage !== undefined) options.stage = read.stage
  // Tapable takes a list at run time as well, though its types name one.
  if (read.before !== undefined) options.before = read.before as string
  return options
}
