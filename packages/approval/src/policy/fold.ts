/**
 * Precedence, for each unit of a call and for the call: any deny, then asks that nothing narrower lifts, then any allow, then the
 * preset. The call is its strictest unit.
 */
import type { PolicyPreset, PolicyVerb } from '../definition/policy-file.ts'
import type { PolicyJudgement, PolicyUnit, StandingAsk, UnitVerdict } from '../definition/policy.ts'
import { isProtected, runsSelfApproval, SELF_APPROVAL, STATE_FOLDER, type StateFolders, touchesState } from './builtin.ts'
import type { CallFacts } from './call-facts.ts'
import { isStrictlyNarrower } from './cover.ts'
import { matchRule, takesAway, type UnitFacts } from './match.ts'
import { hidesText } from './shell-parts.ts'
import { showUnit, splitUnits } from './unit-facts.ts'
import type { PathFact } from './path-facts.ts'
import { callRow, fileToolAccess, pathRow, presetVerb } from './presets.ts'
import { renderAsk, renderDeny } from './render-policy.ts'
import { type CompiledRule, trustOf } from './rule.ts'
import type { RuleIndex } from './rule-index.ts'

/** What nothing speaks about: judged by the command that names it, or by what it wraps. */
export const NO_RULE = 'no-rule'

export interface FoldContext {
  preset: PolicyPreset
  index: RuleIndex
  folders: StateFolders
  /** Folded: protected wherever they are written. */
  policyFiles: readonly string[]
  /** Rules about commands are in force: what cannot be read may be what they forbid. */
  hasShellRules: boolean
  now(): number
}

export function judgeFacts(facts: CallFacts, context: FoldContext): PolicyJudgement {
  const units = splitUnits(facts).map((unit) => judgeUnit(unit, facts, context))
  let strictest = units.find((unit) => unit.by !== NO_RULE) ?? units[0]
  for (const unit of units) if (strictest === undefined || rank(unit.decision) > rank(strictest.decision)) strictest = unit
  if (strictest === undefined) throw new TypeError('a call has at least one unit')
  const { decision, by, reason } = strictest
  return reason === undefined ? { decision, by, units } : { decision, by, reason, units }
}

interface Matches {
  deny?: CompiledRule
  asks: CompiledRule[]
  maybes: CompiledRule[]
  allows: CompiledRule[]
}

function judgeUnit(unit: UnitFacts, facts: CallFacts, context: FoldContext): UnitVerdict {
  const shown = showUnit(unit, facts)
  const builtin = builtinDeny(unit, facts, context)
  if (builtin !== undefined) return deny(shown, builtin.label, builtin.reason)
  const matches = collect(unit, facts, context)
  if (matches.deny !== undefined) return deny(shown, matches.deny.label, matches.deny.reason)
  const preset = presetSays(unit, facts, context)
  const presetLabel = `preset:${context.preset}`
  if (preset.verb === 'deny') return deny(shown, presetLabel, undefined)

  const exactOnly = shown.kind === 'command' && shown.unknown === true
  const asks: StandingAsk[] = []
  const stand = (by: string, reason: string | undefined, remember: StandingAsk['remember']): void => {
    const limited = shown.kind === 'command' && shown.unparsable === true ? 'none' : remember
    asks.push({ by, reason: renderAsk(by, shown, reason), remember: limited, ...(exactOnly ? { exactOnly } : {}) })
  }
  for (const ask of matches.asks) if (liftedBy(ask, matches.allows) === undefined) stand(ask.label, ask.reason, ask.remember)
  for (const rule of matches.maybes) stand(rule.label, rule.reason, 'none')
  if (preset.verb === 'ask' && !matches.allows.some((rule) => rule.trust >= preset.yieldsTo)) stand(presetLabel, undefined, preset.remember)

  const first = asks[0]
  if (first !== undefined)
    return { unit: shown, decision: 'ask', by: first.by, ...(first.reason === undefined ? {} : { reason: first.reason }), asks }
  return { unit: shown, decision: 'allow', by: matches.allows[0]?.label ?? (preset.verb === 'none' ? NO_RULE : presetLabel), asks: [] }
}

function collect(unit: UnitFacts, facts: CallFacts, context: FoldContext): Matches {
  const matches: Matches = { asks: [], maybes: [], allows: [] }
  for (const rule of context.index.candidates(unit, facts)) {
    if (rule.expiresAt !== undefined && rule.expiresAt <= context.now()) continue
    const outcome = matchRule(rule, unit, facts)
    if (outcome === 'maybe') matches.maybes.push(rule)
    else if (outcome === 'yes') {
      if (rule.verb === 'deny') matches.deny ??= rule
      else matches[rule.verb === 'ask' ? 'asks' : 'allows'].push(rule)
    }
  }
  return matches
}

const narrower = new WeakMap<CompiledRule, WeakMap<CompiledRule, boolean>>()

/** The allow that lifts an ask: strictly narrower, from the same or a more trusted layer. */
export function liftedBy(ask: CompiledRule, allows: readonly CompiledRule[]): CompiledRule | undefined {
  return allows.find((allow) => allow.trust >= ask.trust && isNarrower(allow, ask))
}

function isNarrower(allow: CompiledRule, ask: CompiledRule): boolean {
  let known = narrower.get(allow)
  if (known === undefined) narrower.set(allow, (known = new WeakMap()))
  let answer = known.get(ask)
  if (answer === undefined) known.set(ask, (answer = isStrictlyNarrower(allow, ask)))
  return answer
}

interface PresetWord {
  verb: PolicyVerb | 'none'
  /** The least trust of an allow rule that an ask of the preset yields to. */
  yieldsTo: number
  remember: StandingAsk['remember']
}

function presetSays(unit: UnitFacts, facts: CallFacts, context: FoldContext): PresetWord {
  const { preset } = context
  const always = preset === 'ask-always'
  const word = (verb: PresetWord['verb'], floor: PresetWord = { verb, yieldsTo: 0, remember: 'user' }): PresetWord =>
    always ? { verb, yieldsTo: Infinity, remember: 'none' } : { ...floor, verb }
  if (unit.kind === 'path') {
    const { path } = unit
    if (path.access === 'write' && isProtected(path, context.policyFiles, takesWhole(path, facts))) {
      return word(presetVerb(preset, 'protected'), { verb: 'ask', yieldsTo: trustOf('user'), remember: 'none' })
    }
    if (path.of === 'operand' || path.of === 'word') return word('none')
    if (path.of === 'redirect') return word(presetVerb(preset, pathRow(path, 'write')))
    const access = fileToolAccess(facts)
    return word(presetVerb(preset, access === undefined ? callRow(facts) : pathRow(path, strictAccess(access, path.access))))
  }
  if (unit.kind === 'command' && unit.part.wraps === 'transparent') return word('none')
  const verb = presetVerb(preset, callRow(facts))
  const unreadable = unit.kind === 'command' && (unit.part.unknown || hidesText(unit.part))
  return word(verb === 'allow' && preset === 'full-access' && unreadable && context.hasShellRules ? 'ask' : verb)
}

function strictAccess(tool: 'read' | 'write', path: 'read' | 'write'): 'read' | 'write' {
  return tool === 'write' || path === 'write' ? 'write' : 'read'
}

function builtinDeny(unit: UnitFacts, facts: CallFacts, context: FoldContext): { label: string; reason: string } | undefined {
  if (unit.kind === 'command') return runsSelfApproval(unit.part) ? SELF_APPROVAL : undefined
  if (unit.kind === 'path') return touchesState(unit.path, context.folders, takesWhole(unit.path, facts)) ? STATE_FOLDER : undefined
  return undefined
}

/** A folder that goes with all that is in it. Of a command it cannot be told which operand goes and which one only takes. */
function takesWhole(path: PathFact, facts: CallFacts): boolean {
  return path.of === 'call' && path.access === 'write' && takesAway(path, facts)
}

function deny(unit: PolicyUnit, by: string, reason: string | undefined): UnitVerdict {
  return { unit, decision: 'deny', by, reason: renderDeny(by, unit, reason), asks: [] }
}

function rank(verb: PolicyVerb): number {
  return verb === 'deny' ? 2 : verb === 'ask' ? 1 : 0
}
