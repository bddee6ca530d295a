/**
 * Rules that can never matter: a deny of the same file covers them, or they repeat another.
 */
import type { PolicyFault } from '../definition/policy-errors.ts'
import { coversRule } from './cover.ts'
import type { CompiledRule } from './rule.ts'

/** `rules` are those of one file. Expired ones hide nothing. */
export function unreachableRules(rules: readonly CompiledRule[], now: number): PolicyFault[] {
  const live = rules.filter((rule) => rule.expiresAt === undefined || rule.expiresAt > now)
  const denies = live.filter((rule) => rule.verb === 'deny')
  return rules.flatMap((rule, index) => {
    const hiding = denies.find(
      (deny) => deny !== rule && outlives(deny, rule) && coversRule(deny, rule) && !(rule.verb === 'deny' && coversRule(rule, deny)),
    )
    if (hiding !== undefined) return [fault(rule, `${quoted(rule)} can never matter: ${hiding.pointer} ${quoted(hiding)} denies all of it`)]
    const twin = rules
      .slice(0, index)
      .find((other) => other.verb === rule.verb && outlives(other, rule) && coversRule(other, rule) && coversRule(rule, other))
    return twin === undefined ? [] : [fault(rule, `${quoted(rule)} repeats ${twin.pointer} ${quoted(twin)}`)]
  })
}

function outlives(one: CompiledRule, other: CompiledRule): boolean {
  return one.expiresAt === undefined || (other.expiresAt !== undefined && other.expiresAt <= one.expiresAt)
}

function quoted(rule: CompiledRule): string {
  return JSON.stringify(rule.text)
}

function fault(rule: CompiledRule, message: string): PolicyFault {
  return { code: 'POLICY_RULE_UNREACHABLE', pointer: rule.pointer, message }
}
