/**
 * Resources of one block. What was acquired is released, last in first out, whichever way the block ends (E-9, I12).
 */
import { ToolExecutorError } from '../../definition/errors.ts'
import type { BlockScope } from '../../definition/vocabulary.ts'
import { attempt } from '../../guarding/attempt.ts'

export interface OwnedScope extends BlockScope {
  /** Closes once; later calls give the same promise. Never rejects. */
  close(): Promise<void>
  /** True when there is nothing to close: the common case costs no wait. */
  readonly empty: boolean
  /** Refuses what comes from now on. */
  seal(): void
}

export function createScope(dlineTid: string, report: (error: unknown) => void): OwnedScope {
  const closers: (() => Promise<void> | void)[] = []
  const opening = new Set<Promise<unknown>>()
  let sealed = false
  let closing: Promise<void> | undefined

  const refuse = (): ToolExecutorError =>
    new ToolExecutorError('SCOPE_CLOSED', `block '${dlineTid}' has ended or was given up; it can acquire nothing more`, { dlineTid })

  async function runCloser(close: () => Promise<void> | void): Promise<void> {
    const outcome = await attempt(close)
    if (!outcome.ok) report(outcome.error)
  }

  async function open<T>(make: () => Promise<T> | T, close: (resource: T) => Promise<void> | void): Promise<T> {
    if (sealed) throw refuse()
    const resource = await make()
    if (!sealed) {
      closers.push(() => close(resource))
      return resource
    }
    // Opened too late to be owned: it goes back at once.
    await runCloser(() => close(resource))
    throw refuse()
  }

  async function closeAll(): Promise<void> {
    await Promise.allSettled(opening)
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await runCloser(close)
  }

  return {
    acquire(make, close) {
      const opened = open(make, close)
      opening.add(opened)
      const forget = (): void => void opening.delete(opened)
      opened.then(forget, forget)
      return opened
    },
    defer(close) {
      if (sealed) void runCloser(close)
      else closers.push(close)
    },
    seal() {
      sealed = true
    },
    close() {
      sealed = true
      return (closing ??= closeAll())
    },
    get empty() {
      return closers.length === 0 && opening.size === 0
    },
  }
}
