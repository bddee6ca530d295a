/**
 * The signal of one block: made when it is first asked for, and harmless. A listener that throws during an abort would end the whole process
 * (an error inside an event listener is an uncaught exception); here it is a diagnostic, and the stop goes on.
 */
import type { HaltOrder } from '../../definition/vocabulary.ts'
import { StopSignal } from '../../guarding/stop-signal.ts'

export interface BlockSignal {
  /** A native one. */
  readonly signal: AbortSignal
  /** For our own hands: the same stop without the weight. */
  readonly stop: AbortSignal
  /** Aborts now or, where nobody asked for the signal yet, as soon as somebody does. */
  abort(order: HaltOrder): void
}

type Listener = ((event: Event) => void) | { handleEvent(event: Event): void }
type ListenerOptions = Parameters<AbortSignal['addEventListener']>[2]

export function createBlockSignal(report: (error: unknown) => void): BlockSignal {
  let controller: AbortController | undefined
  let stop: StopSignal | undefined
  let order: HaltOrder | undefined
  return {
    get stop() {
      if (stop === undefined) {
        stop = new StopSignal(report)
        if (order !== undefined) stop.abort(order)
      }
      return stop
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController()
        shield(controller.signal, report)
        if (order !== undefined) controller.abort(order)
      }
      return controller.signal
    },
    abort(given) {
      order ??= given
      controller?.abort(order)
      stop?.abort(order)
    },
  }
}

/** Wraps what is added as a listener on this one signal. */
function shield(signal: AbortSignal, report: (error: unknown) => void): void {
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  const wrapped = new WeakMap<object, (event: Event) => void>()
  const wrap = (listener: Listener): ((event: Event) => void) => {
    const known = wrapped.get(listener)
    if (known !== undefined) return known
    const safe = (event: Event): void => {
      try {
        if (typeof listener === 'function') listener.call(signal, event)
        else listener.handleEvent(event)
      } catch (error) {
        report(error)
      }
    }
    wrapped.set(listener, safe)
    return safe
  }
  let onabort: AbortSignal['onabort'] = null
  Object.defineProperties(signal, {
    addEventListener: {
      value(type: string, listener: Listener | null, options?: ListenerOptions): void {
        if (listener !== null) add(type, wrap(listener), options)
      },
    },
    removeEventListener: {
      value(type: string, listener: Listener | null, options?: ListenerOptions): void {
        const known = listener === null ? undefined : wrapped.get(listener)
        if (known !== undefined) remove(type, known, options)
      },
    },
    onabort: {
      get: () => onabort,
      set(listener: AbortSignal['onabort']) {
        const before = onabort === null ? undefined : wrapped.get(onabort)
        if (before !== undefined) remove('abort', before)
        onabort = typeof listener === 'function' ? listener : null
        if (onabort !== null) add('abort', wrap(onabort as (event: Event) => void))
      },
    },
  })
}
