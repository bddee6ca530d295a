/**
 * Why a call is decided as it is: every rule considered, in order, and the units. The decision is the fold's own.
 */
import type { ConsideredRule, Explanation } from '../definition/policy.ts'
import type { Assembly } from './assemble.ts'
import type { CallFacts } from './call-facts.ts'
import { type FoldContext, judgeFacts, liftedBy } from './fold.ts'
import { type MatchOutcome, matchRule } from './match.ts'
import { renderLifted, renderPresetCell, renderWhy } from './render-policy.ts'
import type { CompiledRule } from './rule.ts'
import { splitUnits } from './unit-facts.ts'

export interface ExplainParts {
  fold: FoldContext
  assembly: Assembly
}

export function explainFacts(facts: CallFacts, { fold, assembly }: ExplainParts): Explanation {
  const judgement = judgeFacts(facts, fold)
  const considered: ConsideredRule[] = assembly.layers.flatMap(({ rules, inert }) => [
    ...rules.map((rule) => consider(rule, facts, { fold, all: assembly.rules })),
    ...inert.map(({ rule, why }) => entry(rule, why)),
  ])
  for (const unit of judgement.units) {
    if (unit.by.startsWith('builtin:')) considered.unshift({ rule: unit.by, layer: 'builtin', matched: true, why: renderWhy('yes') })
  }
  considered.push({
    rule: `preset:${fold.preset}`,
    layer: 'preset',
    matched: judgement.units.some(
      (unit) => unit.by === `preset:${fold.preset}` || unit.asks.some((ask) => ask.by === `preset:${fold.preset}`),
    ),
    why: renderPresetCell(fold.preset),
  })
  const { decision, by, reason, units } = judgement
  return reason === undefined ? { decision, by, units, considered } : { decision, by, reason, units, considered }
}

/** From what says least to what says most: the best outcome over the units is told. */
const ORDER: readonly MatchOutcome[] = [
  'tool',
  'caller',
  'annotations',
  'arguments',
  'domain',
  'command',
  'path',
  'unknown',
  'maybe',
  'yes',
]

function consider(
  rule: CompiledRule,
  facts: CallFacts,
  { fold, all }: { fold: FoldContext; all: readonly CompiledRule[] },
): ConsideredRule {
  if (rule.expiresAt !== undefined && rule.expiresAt <= fold.now()) return entry(rule, 'expired')
  const units = splitUnits(facts)
  const outcomes = units.map((unit) => matchRule(rule, unit, facts))
  const best = outcomes.reduce<MatchOutcome>((one, other) => (ORDER.indexOf(other) > ORDER.indexOf(one) ? other : one), 'tool')
  if (best !== 'yes' || rule.verb !== 'ask') return entry(rule, best)
  const lifting = units.flatMap((unit, index) => {
    if (outcomes[index] !== 'yes') return []
    const allows = all.filter((other) => other.verb === 'allow' && matchRule(other, unit, facts) === 'yes')
    return [liftedBy(rule, allows)]
  })
  const [lifter] = lifting
  return lifter !== undefined && lifting.every((found) => found !== undefined)
    ? { rule: rule.label, layer: rule.layer, matched: true, why: renderLifted(lifter.label) }
    : entry(rule, best)
}

function entry(rule: CompiledRule, outcome: MatchOutcome): ConsideredRule {
  return { rule: rule.label, layer: rule.layer, matched: outcome === 'yes' || outcome === 'maybe', why: renderWhy(outcome) }
}
