/**
 * The policy part of step 3: rounds of `tools/pre-execute` over all layers until nobody rewrites any more.
 */
import { type Call } from './call.ts'
import { DecisionRound } from './decision-round.ts'
import { finalResult, postResult, type Outcome } from './outcome.ts'
import { renderDenied, renderRewriteLimit } from './render-errors.ts'
import { aborted, failure, freezeJson } from './results.ts'
import { validateRewrite } from './validate-input.ts'

const MAX_ROUNDS = 4

/** Undefined: not denied; `call.decision` tells whether a human is to be asked. */
export function runPolicy(call: Call): Outcome | undefined | Promise<Outcome | undefined> {
  call.policyRan = true
  return call.layers.some((layer) => layer.extras.hooks.preExecute.active) ? runRounds(call) : undefined
}

async function runRounds(call: Call): Promise<Outcome | undefined> {
  for (let number = 1; ; number += 1) {
    const round = new DecisionRound(call, number)
    const pending = runLayers(call, round)
    if (pending !== undefined) await pending
    const over = roundOutcome(call, round)
    if (over !== undefined) return over
    if (round.rewrite === undefined) return undefined
    if (number === MAX_ROUNDS) return denied(call, { by: round.rewrite.by, reason: renderRewriteLimit(MAX_ROUNDS) })
    const misfit = await validateRewrite(call, { args: round.rewrite.args, author: round.rewrite.by })
    if (misfit !== undefined) return misfit
  }
}

/** The chain of every layer, global first. Synchronous where all taps are. */
function runLayers(call: Call, round: DecisionRound): Promise<void> | undefined {
  const { layers } = call
  for (let index = 0; index < layers.length; index += 1) {
    const hook = layers[index]?.extras.hooks.preExecute
    if (hook === undefined || !hook.active) continue
    const pending = hook.run(round, [round.execution])
    if (pending !== undefined) return continueLayers(pending, { call, round, from: index + 1 })
    if (round.ended) return undefined
  }
  return undefined
}

async function continueLayers(
  pending: Promise<void>,
  { call, round, from }: { call: Call; round: DecisionRound; from: number },
): Promise<void> {
  await pending
  for (let index = from; index < call.layers.length && !round.ended; index += 1) {
    const hook = call.layers[index]?.extras.hooks.preExecute
    if (hook !== undefined && hook.active) await hook.run(round, [round.execution])
  }
}

function roundOutcome(call: Call, round: DecisionRound): Outcome | undefined {
  if (round.failure !== undefined) return finalResult(call, round.failure)
  if (call.decision.kind === 'deny') return deniedByPolicy(call)
  if (call.aborted) return finalResult(call, aborted(false, call.cancellation.reason))
  return undefined
}

function deniedByPolicy(call: Call): Outcome {
  const { by, reason = '', code } = call.decision
  return denied(call, { by, reason, ...(code === undefined ? {} : { code }) })
}

export function denied(call: Call, { by, reason, code }: { by: string; reason: string; code?: string }): Outcome {
  call.decision = { kind: 'deny', by, reason, ...(code === undefined ? {} : { code }) }
  const details = freezeJson({ by, reason, ...(code === undefined ? {} : { code }) })
  return postResult(call, failure('TOOL_DENIED', renderDenied(by, reason), { details }))
}
