/**
 * The grant look-up: whether grants lift every ask that stands on a call. Pure; never looks at a deny, which nothing lifts.
 */
import type { PolicyCall, PolicyJudgement, StandingAsk, UnitVerdict } from '../definition/policy.ts'
import type { Grant } from '../definition/record.ts'
import { binds, isWithin, type GrantCall } from './bind.ts'

export interface LiftQuestion {
  grants: readonly Grant[]
  call: GrantCall
  policyCall: PolicyCall
  judgement: PolicyJudgement
  /** A tap other than the policy's asked too: only an exact grant lifts. */
  othersAsk: boolean
  /** The policy itself asked. */
  policyAsks: boolean
  ruleCovers(rule: string, call: PolicyCall, unit: UnitVerdict): boolean
}

/** The grant that lifts (the first, where parts of a command are lifted by several), or undefined: a human is asked. */
export function liftingGrant(question: LiftQuestion): Grant | undefined {
  const bound = question.grants.filter((grant) => grant.tool === question.call.tool && binds(grant, question.call))
  const exact = bound.find((grant) => isExactFor(grant, question))
  if (exact !== undefined) return exact
  if (question.othersAsk || !question.policyAsks) return undefined
  return coveringParts(bound, question)
}

function isExactFor(grant: Grant, { call, judgement, policyAsks }: LiftQuestion): boolean {
  if (grant.match !== 'exact' || grant.argsHash !== call.argsHash) return false
  return !policyAsks || standingAsks(judgement).every((ask) => isWithin(grant.scope, ask.remember))
}

/** Each asking part needs a rule that covers it. A judgement that asks without a part that does is not understood, so not lifted. */
function coveringParts(bound: readonly Grant[], { policyCall, judgement, ruleCovers }: LiftQuestion): Grant | undefined {
  const asking = judgement.units.filter((unit) => unit.decision === 'ask')
  const lifting = asking.map((unit) =>
    bound.find(
      (grant) =>
        grant.match !== 'exact' &&
        unit.asks.length > 0 &&
        unit.asks.every((ask) => ask.exactOnly !== true && isWithin(grant.scope, ask.remember)) &&
        ruleCovers(grant.match.rule, policyCall, unit),
    ),
  )
  return lifting.every((grant) => grant !== undefined) ? lifting[0] : undefined
}

function standingAsks(judgement: PolicyJudgement): StandingAsk[] {
  return judgement.units.flatMap((unit) => unit.asks)
}
