/**
 * Whether one rule matches one unit of a call, and if not, at which condition it stopped. Explanation and decision share this function, so
 * that they cannot differ.
 */
import type { CallFacts } from './call-facts.ts'
import type { PathFact } from './path-facts.ts'
import { type CommandPattern, matchCommand } from './command-pattern.ts'
import { matchAnnotations, matchArgument, matchCaller } from './conditions.ts'
import { matchPath, type PathPattern, reachesBelow } from './path-pattern.ts'
import type { CompiledRule } from './rule.ts'
import { type CommandPart, hasUnseenOpaqueWrapper, strictForms, writtenForms } from './shell-parts.ts'
import { matchTool } from './tool-pattern.ts'
import { isAnything, matchWildcard } from './wildcard.ts'

export type UnitFacts = { kind: 'command'; part: CommandPart } | { kind: 'path'; path: PathFact } | { kind: 'call' }

/** `maybe`: a deny or ask rule whose condition cannot be judged for want of facts; it counts as an ask that nothing lifts. */
export type MatchOutcome =
  | 'yes'
  | 'maybe'
  | 'tool'
  | 'command'
  | 'path'
  | 'domain'
  | 'arguments'
  | 'annotations'
  | 'caller'
  | 'expired'
  | 'untrusted'
  | 'unknown'

export function matchRule(rule: CompiledRule, unit: UnitFacts, facts: CallFacts): MatchOutcome {
  if (!appliesTo(rule, unit, facts)) return 'tool'
  if (rule.verb === 'allow' && (facts.incomplete || (unit.kind === 'command' && unit.part.unknown))) return 'unknown'
  if (rule.caller !== undefined && !matchCaller(rule.caller, { ...facts.call, agents: facts.agents }, rule.verb)) return 'caller'
  if (rule.annotations !== undefined && !matchAnnotations(rule.annotations, facts.annotations, rule.verb)) return 'annotations'
  for (const condition of rule.args) if (!matchArgument(condition, facts.call.arguments)) return 'arguments'
  const domain = rule.domain === undefined ? 'yes' : matchDomain(rule, facts)
  if (domain !== 'yes' && domain !== 'maybe') return domain
  const spec = matchSpec(rule, unit, facts)
  return spec === 'yes' ? domain : spec
}

/**
 * What a rule's NAME says about a unit. The rules of a tool meet its units; paths of a command meet path rules of that tool and the rules
 * of the families `Read` and `Edit`: a file is as secret for `cat` as it is for `read`.
 */
export function appliesTo(rule: CompiledRule, unit: UnitFacts, facts: CallFacts): boolean {
  if (unit.kind !== 'path' || unit.path.of === 'call') return matchTool(rule.tool, facts.tool)
  if (rule.tool.kind === 'family' && rule.tool.name === (unit.path.access === 'read' ? 'Read' : 'Edit')) return true
  if (isDoubtful(rule, unit.path)) return true
  if (rule.path !== undefined) return matchTool(rule.tool, facts.tool)
  // `*` without a SPEC allows whatever is written too; as an ask or deny it has met the command itself already.
  return rule.verb === 'allow' && rule.command === undefined && rule.tool.kind === 'any'
}

/** A word may be a path that is read or written; an operand that is written may be read as well. A deny or ask that names it cannot be judged. */
export function isDoubtful({ verb, tool, path }: CompiledRule, { of, access }: PathFact): boolean {
  if (verb === 'allow' || path === undefined || tool.kind !== 'family') return false
  if (of === 'word') return tool.name === 'Read' || tool.name === 'Edit'
  return of === 'operand' && access === 'write' && tool.name === 'Read'
}

/** Whether the rule speaks of the place as such. */
export function namesPlace(rule: CompiledRule, { places }: PathFact): boolean {
  const { path } = rule
  if (path === undefined) return false
  return places.some(({ given, resolved }) => matchPath(path, given) || (resolved !== undefined && matchPath(path, resolved)))
}

function matchDomain(rule: CompiledRule, facts: CallFacts): MatchOutcome {
  const { domain } = rule
  if (domain === undefined) return 'yes'
  if (facts.domains === undefined) return forWantOfFacts(rule, facts, 'domain')
  const holds = (host: string): boolean => matchWildcard(domain, host)
  const matched = rule.verb === 'allow' ? facts.domains.length > 0 && facts.domains.every(holds) : facts.domains.some(holds)
  return matched ? 'yes' : 'domain'
}

function matchSpec(rule: CompiledRule, unit: UnitFacts, facts: CallFacts): MatchOutcome {
  if (rule.command === undefined && rule.path === undefined) return 'yes'
  switch (unit.kind) {
    case 'command':
      if (rule.command === undefined) return 'path'
      if (!matchPart(rule.command, unit.part, rule.verb === 'allow')) return 'command'
      return rule.path === undefined || rule.eitherSpec || matchSomePath(rule.path, facts, rule.verb === 'allow') ? 'yes' : 'path'
    case 'path':
      if (rule.path === undefined || (rule.command !== undefined && !rule.eitherSpec)) return 'command'
      if (rule.verb === 'allow') return matchWholePath(rule.path, unit.path) ? 'yes' : 'path'
      if (touchesPath(rule.path, unit.path, facts)) return isDoubtful(rule, unit.path) ? 'maybe' : 'yes'
      if (unit.path.of === 'word') return 'path'
      return unit.path.certain || unit.path.places.length > 0 ? 'path' : 'maybe'
    case 'call':
      return forWantOfFacts(rule, facts, rule.path === undefined ? 'command' : 'path')
    default:
      return unit satisfies never
  }
}

/** Fail closed: a rule that names this very tool and cannot be judged asks. A glob that merely includes it does not. */
function forWantOfFacts(rule: CompiledRule, facts: CallFacts, otherwise: MatchOutcome): MatchOutcome {
  if (rule.verb === 'allow') return otherwise
  return facts.incomplete || rule.tool.kind === 'name' || rule.tool.kind === 'family' ? 'maybe' : otherwise
}

function matchPart(pattern: CommandPattern, part: CommandPart, allow: boolean): boolean {
  if (allow) return matchAllowedPart(pattern, part)
  const options = { byBaseName: true }
  if (matchCommand(pattern, part.argv, options)) return true
  return strictForms(part).some((form) => matchCommand(pattern, form, options))
}

/** An allow must cover what runs: the unwrapped words, or the wrapped ones if the pattern names the wrapped program too. */
function matchAllowedPart(pattern: CommandPattern, part: CommandPart): boolean {
  const options = { byBaseName: false }
  if (!hasUnseenOpaqueWrapper(part) && matchCommand(pattern, part.argv, options)) return true
  let at = 0
  for (let { outer } = part; outer !== undefined; outer = outer.part.outer) {
    at += outer.at
    if (names(pattern, at) && matchCommand(pattern, outer.part.argv, options)) return true
  }
  return writtenForms(part).some((form) => names(pattern, form.length - part.argv.length) && matchCommand(pattern, form, options))
}

function names(pattern: CommandPattern, at: number): boolean {
  const word = pattern.words[at]
  return word !== undefined && !isAnything(word)
}

function matchSomePath(pattern: PathPattern, facts: CallFacts, allow: boolean): boolean {
  const paths = facts.paths.filter(({ of }) => of !== 'word')
  if (allow) return paths.length > 0 && paths.every((path) => matchWholePath(pattern, path))
  return paths.some((path) => touchesPath(pattern, path, facts))
}

/** Allow: as given and as resolved, in every place it may have. */
function matchWholePath(pattern: PathPattern, path: PathFact): boolean {
  if (!path.certain) return false
  return path.places.every(({ given, resolved }) => resolved !== undefined && matchPath(pattern, given) && matchPath(pattern, resolved))
}

/** Deny and ask: as given or as resolved, in any place. Taking a folder away touches all that is in it. */
function touchesPath(pattern: PathPattern, path: PathFact, facts: CallFacts): boolean {
  const whole = path.access === 'write' && takesAway(path, facts)
  for (const { given, resolved } of path.places) {
    if (touches(pattern, given, whole) || (resolved !== undefined && resolved !== given && touches(pattern, resolved, whole))) return true
  }
  return false
}

function touches(pattern: PathPattern, path: string, whole: boolean): boolean {
  return matchPath(pattern, path) || (whole && reachesBelow(pattern, path))
}

/** Whether what is below the path goes with it. */
export function takesAway(path: PathFact, facts: CallFacts): boolean {
  if (path.of === 'call') return facts.view.kind === 'delete' || facts.view.kind === 'move'
  return path.of === 'operand' && (facts.commands ?? []).some(({ argv }) => /(^|\/)(rm|mv|rmdir|unlink)$/.test(argv[0] ?? ''))
}
