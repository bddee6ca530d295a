/**
 * Rules by tool and program, so that a decision looks at the few that can matter (a policy of 500 rules costs little more than one of 50).
 */
import type { CallFacts } from './call-facts.ts'
import { baseName, literalProgram } from './command-pattern.ts'
import { appliesTo, type UnitFacts } from './match.ts'
import type { CompiledRule } from './rule.ts'

/** Entries kept; a process that meets more programs or tools than this starts over. */
const MOST_ENTRIES = 2_000

export class RuleIndex {
  readonly #rules: readonly CompiledRule[]
  readonly #cache = new Map<string, readonly CompiledRule[]>()

  /** Rules in the order in which they are named: most trusted layer first, then as in the file. */
  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules
  }

  /** A superset of the rules that match, in order. */
  candidates(unit: UnitFacts, facts: CallFacts): readonly CompiledRule[] {
    const tool = `${facts.tool.name}\n${facts.tool.server ?? ''}`
    switch (unit.kind) {
      case 'command': {
        const byTool = this.#kept(`c\n${tool}`, () => this.#rules.filter((rule) => appliesTo(rule, unit, facts)))
        const { argv, wrappedBy } = unit.part
        const program = argv[0]
        if (typeof program !== 'string' || wrappedBy.length > 0) return byTool
        return this.#kept(`p\n${tool}\n${program}`, () => byTool.filter((rule) => mayRun(rule, program)))
      }
      case 'path': {
        const { of, access } = unit.path
        return this.#kept(`f\n${of}\n${access}\n${tool}`, () => this.#rules.filter((rule) => appliesTo(rule, unit, facts)))
      }
      case 'call':
        return this.#kept(`c\n${tool}`, () => this.#rules.filter((rule) => appliesTo(rule, unit, facts)))
      default:
        return unit satisfies never
    }
  }

  #kept(key: string, make: () => readonly CompiledRule[]): readonly CompiledRule[] {
    const found = this.#cache.get(key)
    if (found !== undefined) return found
    if (this.#cache.size >= MOST_ENTRIES) this.#cache.clear()
    const made = make()
    this.#cache.set(key, made)
    return made
  }
}

function mayRun(rule: CompiledRule, program: string): boolean {
  if (rule.command === undefined) return true
  const literal = literalProgram(rule.command)
  return literal === undefined || literal === program || literal === baseName(program)
}
