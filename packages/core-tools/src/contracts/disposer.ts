/**
 * What every registration returns: a function that takes its own contribution back, once.
 */

/** Removes exactly the contribution it was returned for. May be called again without effect; works with `using`. */
export interface Disposer {
  (): void
  [Symbol.dispose](): void
}

// Node 20.19 knows Symbol.dispose; other hosts of this package may not yet.
const disposeKey: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for('Symbol.dispose') as typeof Symbol.dispose)

export function createDisposer(run: () => void): Disposer {
  let open = true
  const dispose = (): void => {
    if (!open) return
    open = false
    run()
  }
  return Object.assign(dispose, { [disposeKey]: dispose }) as Disposer
}
