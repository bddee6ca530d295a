/**
 * Which blocks the current asynchronous context runs in. A stop asked from inside a block must not wait for that block (E-26).
 * One store for all copies of this package, so that a stop sees through them.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** A body on the way from the root of the context to here. */
export interface RunningBody {
  /** True while a stop would wait for it. */
  live(): boolean
  /** True if it runs in the given domain or in a domain below it. */
  runsIn(domain: object): boolean
  readonly outer: RunningBody | undefined
}

const STORE = Symbol.for('toolseam.executor-tool.running-body')

type Holder = { [STORE]?: AsyncLocalStorage<RunningBody> }

function store(): AsyncLocalStorage<RunningBody> {
  const holder = globalThis as Holder
  return (holder[STORE] ??= new AsyncLocalStorage<RunningBody>())
}

export function runAs<T>(body: RunningBody, run: () => T): T {
  return store().run(body, run)
}

export function currentBody(): RunningBody | undefined {
  return store().getStore()
}

/** True if a stop of `domain` would wait for the one who asks. */
export function asksForItself(domain: object): boolean {
  for (let body = currentBody(); body !== undefined; body = body.outer) {
    if (body.live() && body.runsIn(domain)) return true
  }
  return false
}
