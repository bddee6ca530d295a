/**
 * Step 4: the dispatcher, wrapped by the taps of `tools/execute`. A wrapper may add a signal and may call again; it can
 * neither take a cancellation off nor pass off a result that was not validated.
 */
import type { ToolDispatch } from '../contracts/hooks.ts'
import type { ToolResult } from '../contracts/result.ts'
import { HookName } from '../hooks/layer-hooks.ts'
import { runAttempt } from './run-attempt.ts'
import type { Call } from './call.ts'
import { finalResult, postResult, type Outcome, type Ready } from './outcome.ts'
import { hookFailure, isAbortedResult, safeMessage } from './results.ts'
import { WrapperFailure, WrapperRound } from './wrapper-round.ts'

export function dispatch({ call }: Ready): Outcome | Promise<Outcome> {
  if (call.layers.some((layer) => layer.extras.hooks.execute.active)) return dispatchWrapped(call)
  const result = runAttempt(call, undefined)
  return result instanceof Promise ? result.then((settled) => outcomeOf(call, settled)) : outcomeOf(call, result)
}

async function dispatchWrapped(call: Call): Promise<Outcome> {
  const round = new WrapperRound(call)
  try {
    const outermost = buildChain(call, round)
    return outcomeOf(call, await round.run(outermost))
  } catch (error) {
    return finalResult(call, failedWrapper(call, error))
  } finally {
    await round.close()
  }
}

/** Global taps first, then the scope chain towards the nearest: the last tap is outermost. */
function buildChain(call: Call, round: WrapperRound): ToolDispatch {
  let chain: ToolDispatch = round.innermost
  for (const layer of call.layers) {
    const hook = layer.extras.hooks.execute
    if (hook.active) chain = hook.build(chain, call.execution, round)
  }
  return chain
}

/** Hook failures and aborts are final; everything else passes post-execute. */
function outcomeOf(call: Call, result: ToolResult): Outcome {
  if (isAbortedResult(result)) return finalResult(call, result)
  if (result.isError && result.error.code.startsWith('HOOK_')) return finalResult(call, result)
  return postResult(call, result)
}

function failedWrapper(call: Call, error: unknown): ToolResult {
  const known =
    error instanceof WrapperFailure
      ? error
      : new WrapperFailure({ tap: '(interceptor)', code: 'HOOK_FAILED', problem: 'threw', cause: error })
  const { tap, code, problem } = known
  const told = safeMessage(known.cause)
  call.note({ stage: 'execute', by: tap, kind: 'error', effect: 'failed', reason: problem })
  call.parts.logger.warn(`${HookName.execute}: tap "${tap}" ${problem}`, { hook: HookName.execute, tap, error: known.cause })
  return hookFailure(code, { hook: HookName.execute, tap, message: problem, ...(told === undefined ? {} : { reason: told }) })
}
