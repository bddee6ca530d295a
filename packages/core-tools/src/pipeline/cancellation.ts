/**
 * Cancellation of one call or one attempt: fused from its sources, the first reason wins. No controller, listener or
 * timer exists until somebody needs one, and none is left after `release`.
 */

type Source = AbortSignal | Cancellation

export class Cancellation {
  readonly #sources: readonly Source[]
  #aborted = false
  #released = false
  #reason: unknown
  /** Almost always there is one listener at a time; the set is for the rest. */
  #listener: (() => void) | undefined
  #more: Set<() => void> | undefined
  #controller: AbortController | undefined
  #detach: (() => void)[] | undefined

  constructor(sources: readonly Source[]) {
    this.#sources = sources
  }

  get aborted(): boolean {
    if (this.#aborted) return true
    if (this.#released) return false
    for (const source of this.#sources) {
      if (isAborted(source)) {
        this.abort(reasonOf(source))
        return true
      }
    }
    return false
  }

  get reason(): unknown {
    return this.aborted ? this.#reason : undefined
  }

  /** A signal of this cancellation alone; made on first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.aborted) this.#controller.abort(this.#reason)
      else this.#attach()
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#aborted || this.#released) return
    this.#aborted = true
    this.#reason = reason
    this.#detachAll()
    const first = this.#listener
    const more = this.#more
    this.#listener = undefined
    this.#more = undefined
    this.#controller?.abort(reason)
    first?.()
    if (more !== undefined) for (const listener of more) listener()
  }

  /** Calls back once on abort, at once where that has happened. Returns the unlisten. */
  onAbort(listener: () => void): () => void {
    if (this.aborted) {
      listener()
      return noop
    }
    if (this.#released) return noop
    if (this.#listener === undefined) this.#listener = listener
    else (this.#more ??= new Set()).add(listener)
    this.#attach()
    return () => {
      if (this.#listener === listener) this.#listener = undefined
      else this.#more?.delete(listener)
    }
  }

  /** The call or attempt is over: nothing aborts it any more, and its listeners are gone. */
  release(): void {
    this.#released = true
    this.#listener = undefined
    this.#more = undefined
    if (this.#detach !== undefined) this.#detachAll()
  }

  #attach(): void {
    if (this.#detach !== undefined || this.#released) return
    this.#detach = this.#sources.map((source) => {
      if (source instanceof Cancellation) return source.onAbort(() => this.abort(source.reason))
      return listenTo(source, () => this.abort(reasonOf(source)))
    })
  }

  #detachAll(): void {
    const detach = this.#detach
    this.#detach = undefined
    if (detach !== undefined) for (const run of detach) run()
  }
}

/** A signal that cannot be read cannot be trusted to stop anything: it counts as aborted. */
function isAborted(source: { readonly aborted: boolean }): boolean {
  try {
    return source.aborted
  } catch {
    return true
  }
}

function reasonOf(source: { readonly reason: unknown }): unknown {
  try {
    return source.reason
  } catch {
    return undefined
  }
}

/** Returns what takes the listener off. Signals of other makes may throw, which is for nobody here. */
export function listenTo(signal: AbortSignal, listener: () => void): () => void {
  try {
    signal.addEventListener('abort', listener, { once: true })
  } catch {
    return noop
  }
  return () => {
    try {
      signal.removeEventListener('abort', listener)
    } catch {
      // It is over all the same.
    }
  }
}

function noop(): void {
  // Nothing was listening.
}

/** A call or an attempt: it can be cancelled, but its cancellation is only made when somebody needs more than to look. */
export abstract class Cancellable {
  readonly #outer: Cancellable | undefined
  readonly #signal: AbortSignal | undefined
  #made: Cancellation | undefined
  #over = false

  constructor(outer: Cancellable | undefined, signal: AbortSignal | undefined) {
    this.#outer = outer
    this.#signal = signal
  }

  get aborted(): boolean {
    if (this.#made !== undefined) return this.#made.aborted
    return !this.#over && (this.#outer?.aborted === true || (this.#signal !== undefined && isAborted(this.#signal)))
  }

  get cancellation(): Cancellation {
    if (this.#made === undefined) {
      const sources: Source[] = []
      if (this.#outer !== undefined) sources.push(this.#outer.cancellation)
      if (this.#signal !== undefined) sources.push(this.#signal)
      this.#made = new Cancellation(sources)
      if (this.#over) this.#made.release()
    }
    return this.#made
  }

  /** It is over: nothing aborts it any more. */
  release(): void {
    this.#over = true
    this.#made?.release()
  }
}

/** Duck-typed, so that signals of other realms and polyfills are good. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  if (typeof value !== 'object' || value === null) return false
  const signal = value as { aborted?: unknown; addEventListener?: unknown; removeEventListener?: unknown }
  try {
    return (
      typeof signal.aborted === 'boolean' &&
      typeof signal.addEventListener === 'function' &&
      typeof signal.removeEventListener === 'function'
    )
  } catch {
    return false
  }
}

const ABORTED: unique symbol = Symbol('aborted')
export type Aborted = typeof ABORTED

/** The value of `work`, or `Aborted` as soon as the cancellation fires; what `work` does later goes to `late`. */
export function untilAborted<T>(
  work: PromiseLike<T>,
  cancellation: Cancellation,
  late: (outcome: 'resolved' | 'rejected') => void,
): Promise<T | Aborted> {
  return new Promise((resolve, reject) => {
    let open = true
    const unlisten = cancellation.onAbort(() => {
      open = false
      resolve(ABORTED)
    })
    work.then(
      (value) => {
        if (!open) return late('resolved')
        unlisten()
        resolve(value)
      },
      (error: unknown) => {
        if (!open) return late('rejected')
        unlisten()
        reject(error)
      },
    )
  })
}

export function wasAborted(value: unknown): value is Aborted {
  return value === ABORTED
}
