/**
 * Promises that come from outside, of any make, where none is expected or nobody waits for it.
 */

/** Safe on anything, a revoked proxy included. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false
  try {
    return value instanceof Promise || typeof (value as { then?: unknown }).then === 'function'
  } catch {
    return false
  }
}

/** For an answer that nobody takes: should it be a promise that rejects, that reaches nobody either. */
export function ignoreAnswer(value: unknown): void {
  if (!isThenable(value)) return
  try {
    value.then(undefined, () => undefined)
  } catch {
    // Nobody takes this either.
  }
}
