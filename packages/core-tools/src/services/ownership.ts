/**
 * What a plugin contributed, so that all of it can be taken back at once (P-81).
 */
import { createDisposer, type Disposer } from '../contracts/disposer.ts'
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import type { AsyncDisposer } from '../contracts/runtime.ts'

export interface Ownership {
  readonly owner: string
  /** Keeps a disposer for `disposeAll`; the one returned lets go of it. After `disposeAll` it disposes at once and throws. */
  own(disposer: Disposer): Disposer
  ownAsync(disposer: AsyncDisposer): AsyncDisposer
  /** Backwards, one after the other; all run even if some fail. Rejects with one AggregateError. A second call is the same promise. */
  disposeAll(): Promise<void>
}

export function createOwnership(owner = 'the owner'): Ownership {
  const owned = new Set<() => void | Promise<void>>()
  let ending: Promise<void> | undefined

  const keep = (dispose: () => void | Promise<void>): void => {
    if (ending === undefined) {
      owned.add(dispose)
      return
    }
    void attempt(dispose)
    throw new ToolSeamError(ErrorCode.INVALID_PLUGIN, `${owner} is disposed and can register nothing more`, { details: { owner } })
  }
  return {
    owner,
    own(disposer) {
      keep(disposer)
      return createDisposer(() => {
        owned.delete(disposer)
        disposer()
      })
    },
    ownAsync(disposer) {
      keep(disposer)
      return createAsyncDisposer(() => {
        owned.delete(disposer)
        return disposer()
      })
    },
    disposeAll() {
      ending ??= disposeBackwards([...owned], owner)
      return ending
    },
  }
}

/** Runs all, last first, and rejects with one AggregateError if any failed. */
export async function disposeBackwards(disposers: readonly (() => void | Promise<void>)[], owner: string): Promise<void> {
  const failures: unknown[] = []
  for (const dispose of disposers.toReversed()) {
    // One after the other: what was registered later may rely on what was there before.
    const failure = await attempt(dispose)
    if (failure !== undefined) failures.push(...flat(failure.thrown))
  }
  if (failures.length > 0) throw new AggregateError(failures, `${owner}: ${failures.length} of its disposers failed`)
}

/** The failures of a group that was disposed of as one. */
function flat(thrown: unknown): readonly unknown[] {
  return thrown instanceof AggregateError ? thrown.errors : [thrown]
}

async function attempt(dispose: () => void | Promise<void>): Promise<{ readonly thrown: unknown } | undefined> {
  try {
    await dispose()
    return undefined
  } catch (thrown) {
    return { thrown }
  }
}

/** Runs once; every call is the same promise. `using` starts it and cannot wait, so a failure is then for `dispose` of the runtime to tell. */
export function createAsyncDisposer(run: () => void | Promise<void>): AsyncDisposer {
  let running: Promise<void> | undefined
  const dispose = (): Promise<void> => {
    running ??= (async () => run())()
    return running
  }
  return Object.assign(dispose, {
    [Symbol.dispose]: (): void => {
      dispose().catch(() => undefined)
    },
    [Symbol.asyncDispose]: dispose,
  })
}
