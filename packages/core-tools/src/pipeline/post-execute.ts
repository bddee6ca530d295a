/**
 * Step 5: `tools/post-execute` over all layers, then one more look at the caller's cancellation.
 */
import { aborted } from './results.ts'
import { finalResult, type Outcome } from './outcome.ts'
import { ResultRound } from './post-round.ts'

export async function postExecute({ call, result }: Outcome): Promise<Outcome> {
  const round = new ResultRound(call, result)
  for (const layer of call.layers) {
    const hook = layer.extras.hooks.postExecute
    if (!hook.active) continue
    const pending = hook.run(round, [round.execution, round.result])
    if (pending !== undefined) await pending
    if (round.ended) break
  }
  return lastLook(finalResult(call, round.result))
}

/** The caller's cancellation replaces a success, and nothing else. */
export function lastLook(outcome: Outcome): Outcome {
  const { call, result } = outcome
  return !result.isError && call.aborted ? finalResult(call, aborted(call.bodyStarted, call.cancellation.reason)) : outcome
}
