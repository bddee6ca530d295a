/**
 * Per-key FIFO locks (F-24), shared by every file system of the process, whatever copy of this package made it. Several keys are taken
 * in sorted order, so that no two callers wait for each other.
 */
import { FsError } from '../../definition/errors.ts'

const registry = Symbol.for('toolseam.fs.locks')

type Tails = Map<string, Promise<void>>

function tailsOfProcess(): Tails {
  const holder = globalThis as { [registry]?: Tails }
  return (holder[registry] ??= new Map())
}

/** Waits for its turn on every key. @throws FsError TOOL_ABORTED when the signal aborts first (F-74) */
export async function acquire(keys: readonly string[], signal?: AbortSignal): Promise<() => void> {
  const held: (() => void)[] = []
  const release = (): void => {
    for (const each of held.splice(0)) each()
  }
  try {
    for (const key of [...new Set(keys)].sort()) held.push(await acquireOne(key, signal))
    return release
  } catch (error) {
    release()
    throw error
  }
}

async function acquireOne(key: string, signal?: AbortSignal): Promise<() => void> {
  const tails = tailsOfProcess()
  const before = tails.get(key)
  const { promise, resolve } = deferred()
  const tail = before === undefined ? promise : before.then(() => promise)
  tails.set(key, tail)
  const free = (): void => {
    resolve()
    if (tails.get(key) === tail) tails.delete(key)
  }
  if (before !== undefined) await before
  if (signal?.aborted === true) {
    free()
    throw new FsError('TOOL_ABORTED')
  }
  return free
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
