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
  return finalResult(call, replaceIfAborted(call, round.result))
}

function replaceIfAborted(call: Outcome['call'], result: Outcome['result']): Outcome['result'] {
  return !result.isError && call.aborted ? aborted(call.bodyStarted, call.cancellation.reason) : result
}
