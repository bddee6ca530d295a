/**
 * Units of a call: as facts to judge, as data to show, and back again from a stored explanation.
 */
import type { PolicyCall, PolicyUnit, ToolFacts } from '../definition/policy.ts'
import type { CallFacts } from './call-facts.ts'
import type { PathFact } from './path-facts.ts'
import { effectiveAnnotations } from './conditions.ts'
import { matchRule, type UnitFacts } from './match.ts'
import { absolutePath } from './path-pattern.ts'
import type { CompiledRule } from './rule.ts'
import type { CommandPart } from './shell-parts.ts'

/** Simple commands, then paths, else the call. */
export function splitUnits(facts: CallFacts): UnitFacts[] {
  const units: UnitFacts[] = (facts.commands ?? []).map((part) => ({ kind: 'command', part }))
  for (const path of facts.paths) units.push({ kind: 'path', path })
  return units.length > 0 ? units : [{ kind: 'call' }]
}

export function showUnit(unit: UnitFacts, facts: CallFacts): PolicyUnit {
  switch (unit.kind) {
    case 'command': {
      const { argv, wrappedBy, unknown, unparsable } = unit.part
      return {
        kind: 'command',
        argv: [...argv],
        ...(wrappedBy.length > 0 ? { wrappedBy: [...wrappedBy] } : {}),
        ...(unknown ? { unknown } : {}),
        ...(unparsable ? { unparsable } : {}),
      }
    }
    case 'path': {
      const { path, resolved, access, protected: guarded, of, certain, places } = unit.path
      const known = resolved !== undefined && certain && places.length === 1
      return {
        kind: 'path',
        path,
        ...(known ? { resolved } : {}),
        access,
        ...(guarded ? { protected: guarded } : {}),
        of: of === 'word' ? 'operand' : of,
      }
    }
    case 'call':
      return facts.domains === undefined ? { kind: 'call' } : { kind: 'call', domains: [...facts.domains] }
    default:
      return unit satisfies never
  }
}

export interface ShownUnit {
  unit: PolicyUnit
  call: PolicyCall
  definition: ToolFacts | undefined
  root: string
  fold(path: string): string
}

/** Whether a granted rule covers a unit that was shown: all that the rule needs must be in what was shown. */
export function coversShown(rule: CompiledRule, shown: ShownUnit): boolean {
  const unit = factsOfShown(shown)
  const { call, definition } = shown
  const server = definition?.source?.server
  const facts: CallFacts = {
    call,
    tool: server === undefined ? { name: call.tool } : { name: call.tool, server },
    annotations: effectiveAnnotations(definition),
    view: call.view ?? { title: call.tool, kind: 'other' },
    incomplete: call.view?.incomplete === true,
    paths: unit.kind === 'path' ? [unit.path] : [],
    cwdInside: true,
    ...(unit.kind === 'command' ? { commands: [unit.part] } : {}),
    ...(shown.unit.kind === 'call' && shown.unit.domains !== undefined ? { domains: shown.unit.domains } : {}),
    agents: call.agents ?? [],
  }
  return matchRule(rule, unit, facts) === 'yes'
}

function factsOfShown({ unit, root, fold }: ShownUnit): UnitFacts {
  switch (unit.kind) {
    case 'command': {
      const part: CommandPart = {
        argv: unit.argv,
        wrappedBy: unit.wrappedBy ?? [],
        unknown: unit.unknown === true,
        unparsable: unit.unparsable === true,
        redirects: [],
        doubtfulWords: 0,
      }
      return { kind: 'command', part }
    }
    case 'path': {
      const given = absolutePath(unit.path, root)
      const known = given !== undefined && unit.resolved !== undefined
      const path: PathFact = {
        path: unit.path,
        access: unit.access,
        protected: unit.protected === true,
        of: unit.of,
        places: known ? [{ given: fold(given), resolved: fold(unit.resolved ?? given) }] : [],
        certain: known,
        inside: false,
      }
      return { kind: 'path', path }
    }
    case 'call':
      return { kind: 'call' }
    default:
      return unit satisfies never
  }
}
