/**
 * Step 3: policy, guards, the ask, guards again. What is not settled here may run.
 */
import type { JsonValue } from '../contracts/json.ts'
import type { PrepareOptions } from '../contracts/staged.ts'
import { jsonEquals } from '../json/equals.ts'
import { ask } from './ask.ts'
import type { Call } from './call.ts'
import { runGuards } from './guards.ts'
import type { Outcome, Ready } from './outcome.ts'
import { denied, runPolicy } from './policy.ts'
import { renderAskLimit } from './render-errors.ts'
import { validateRewrite } from './validate-input.ts'

const MAX_ASKS = 3

export function authorize(call: Call, options: PrepareOptions): Ready | Outcome | Promise<Ready | Outcome> {
  const judged = runPolicy(call)
  if (judged instanceof Promise) return judged.then((over) => over ?? afterPolicy(call, options))
  return judged ?? afterPolicy(call, options)
}

function afterPolicy(call: Call, options: PrepareOptions): Ready | Outcome | Promise<Ready | Outcome> {
  const guarded = runGuards(call)
  if (guarded !== undefined) return guarded
  return needsAsk(call) ? askUntilSettled(call, options) : { kind: 'dispatch', call }
}

/** An unknown tool is never put to a human: it settles in the dispatcher. */
function needsAsk(call: Call): boolean {
  return call.decision.kind === 'ask' && call.tool !== undefined
}

async function askUntilSettled(call: Call, options: PrepareOptions): Promise<Ready | Outcome> {
  for (let asks = 1; asks <= MAX_ASKS; asks += 1) {
    const answer = await ask(call, options)
    if (answer.kind !== 'approved') return answer.outcome
    if (answer.edited === undefined) return runGuards(call) ?? { kind: 'dispatch', call }
    const edited = await judgeEdit(call, { args: answer.edited, author: answer.author })
    if (edited !== undefined) return edited
    // An ask about exactly what the human sent is answered already; other arguments are asked about anew.
    if (jsonEquals(answer.edited, call.arguments)) return { kind: 'dispatch', call }
  }
  return denied(call, { by: call.decision.by, reason: renderAskLimit(MAX_ASKS) })
}

/** Edited arguments meet the schema, the whole waterfall from round 1, and the guards. */
async function judgeEdit(call: Call, { args, author }: { args: JsonValue; author: string }): Promise<Outcome | undefined> {
  return (await validateRewrite(call, { args, author })) ?? (await runPolicy(call)) ?? runGuards(call)
}
