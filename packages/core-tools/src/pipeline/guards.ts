/**
 * Guards: last checks that can only deny. Run before a human is asked, and once more after an approval.
 */
import { ignoreAnswer, isThenable } from '../hooks/thenable.ts'
import type { Call } from './call.ts'
import type { GuardEntry } from './guard-list.ts'
import { finalResult, postResult, type Outcome } from './outcome.ts'
import { renderDenied, renderGuardFailure } from './render-errors.ts'
import { failure, freezeJson } from './results.ts'

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
      ignoreAnswer(verdict)
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
