/**
 * Guards: last checks that can only deny. Run before a human is asked, and once more after an approval.
 */
import { createDisposer, type Disposer } from '../contracts/disposer.ts'
import type { ToolGuard } from '../contracts/decisions.ts'
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import { isThenable } from '../hooks/waterfall.ts'
import type { Call } from './call.ts'
import { finalResult, postResult, type Outcome } from './outcome.ts'
import { renderDenied, renderGuardFailure } from './render-errors.ts'
import { failure, freezeJson } from './results.ts'

interface GuardEntry {
  readonly guard: ToolGuard
  readonly name: string
}

export class GuardList {
  /** Replaced, never edited: a run in progress keeps the list that it began with. */
  #entries: readonly GuardEntry[] = []

  get entries(): readonly GuardEntry[] {
    return this.#entries
  }

  add(guard: ToolGuard, options: { name?: string } = {}): Disposer {
    if (typeof guard !== 'function') throw refused('a guard must be a function')
    const given: unknown = options?.name
    if (given !== undefined && (typeof given !== 'string' || given === '')) throw refused('the name of a guard must be a non-empty string')
    const entry: GuardEntry = { guard, name: typeof given === 'string' ? given : guard.name || 'guard' }
    this.#entries = [...this.#entries, entry]
    return createDisposer(() => {
      this.#entries = this.#entries.filter((other) => other !== entry)
    })
  }
}

/** Undefined: nothing denies. The first denial ends the run. */
export function runGuards(call: Call): Outcome | undefined {
  for (const layer of call.layers) {
    for (const entry of layer.extras.guards.entries) {
      const outcome = runGuard(call, entry)
      if (outcome !== undefined) return outcome
    }
  }
  return undefined
}

function runGuard(call: Call, { guard, name }: GuardEntry): Outcome | undefined {
  let verdict: unknown
  try {
    verdict = guard(call.execution)
  } catch (cause) {
    call.parts.logger.warn(`guard "${name}" threw`, { guard: name, error: cause })
    return broken(call, { name, code: 'HOOK_FAILED', message: 'threw' })
  }
  if (verdict === undefined) return undefined
  if (typeof verdict !== 'string') {
    if (isThenable(verdict)) {
      verdict.then(undefined, () => undefined)
      return broken(call, { name, code: 'HOOK_INVALID_DECISION', message: 'returned a promise; a guard is synchronous' })
    }
    return broken(call, { name, code: 'HOOK_INVALID_DECISION', message: 'returned neither a string nor undefined' })
  }
  call.note({ stage: 'guard', by: name, kind: 'deny', effect: 'applied', reason: verdict })
  call.decision = { kind: 'deny', by: name, reason: verdict }
  return postResult(call, failure('TOOL_DENIED', renderDenied(name, verdict), { details: freezeJson({ by: name, reason: verdict }) }))
}

function broken(call: Call, { name, code, message }: { name: string; code: string; message: string }): Outcome {
  call.note({ stage: 'guard', by: name, kind: 'deny', effect: 'failed', reason: message })
  return finalResult(
    call,
    failure(code, renderGuardFailure(name, message), { details: freezeJson({ hook: 'guard', tap: name, by: name }) }),
  )
}

function refused(message: string): ToolSeamError {
  return new ToolSeamError(ErrorCode.INVALID_REGISTRATION, message)
}
