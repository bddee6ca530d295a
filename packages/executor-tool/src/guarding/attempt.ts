/**
 * Calls into code that is not ours: the outcome is a value, whatever it throws, returns or rejects with.
 */
import { disarm } from './thrown.ts'

export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }

/** Calls now; the promise never rejects. */
export function attempt<T>(run: () => T | PromiseLike<T>): Promise<Attempt<Awaited<T>>> {
  return settled(run)
}

async function settled<T>(run: () => T | PromiseLike<T>): Promise<Attempt<Awaited<T>>> {
  try {
    return { ok: true, value: await run() }
  } catch (error) {
    disarm(error)
    return { ok: false, error }
  }
}

/** Calls a callback whose return value nobody uses; a throw, or the rejection of a promise it gives, goes to `report`. */
export function callGuarded(run: () => unknown, report: (error: unknown) => void): void {
  try {
    const returned = run()
    if (returned instanceof Promise) returned.then(undefined, (error: unknown) => reportGuarded(report, error))
  } catch (error) {
    disarm(error)
    reportGuarded(report, error)
  }
}

function reportGuarded(report: (error: unknown) => void, error: unknown): void {
  try {
    report(error)
  } catch {
    // The reporter is the last instance; there is nobody left to tell.
  }
}
