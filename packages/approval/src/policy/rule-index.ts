/**
 * Rules by tool, by program and by folder, so that a decision looks at the few that can matter (a policy of 500 rules costs little more than one
 * of 50). Only a superset is promised: what matches is said by `matchRule` alone.
 */
import type { CallFacts } from './call-facts.ts'
import { baseName } from './command-pattern.ts'
import { appliesTo, takesAway, type UnitFacts } from './match.ts'
import type { PathFact } from './path-facts.ts'
import { hasOtherForms } from './shell-parts.ts'
import type { CompiledRule } from './rule.ts'
import { isLiteral } from './wildcard.ts'

/** Entries kept; a process that meets more programs or tools than this starts over. */
const MOST_ENTRIES = 2_000

/** Path rules of one tool: by the folder that their matches are in, with the place of each rule in the order. */
interface FolderIndex {
  all: readonly CompiledRule[]
  anywhere: readonly number[]
  byFolder: ReadonlyMap<string, readonly number[]>
}

export class RuleIndex {
  readonly #rules: readonly CompiledRule[]
  readonly #lists = new Map<string, readonly CompiledRule[]>()
  readonly #folders = new Map<string, FolderIndex>()

  /** Rules in the order in which they are named: most trusted layer first, then as in the file. */
  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules
  }

  /** A superset of the rules that match, in order. */
  candidates(unit: UnitFacts, facts: CallFacts): readonly CompiledRule[] {
    const { name, server = '' } = facts.tool
    const ofTool = (): readonly CompiledRule[] => this.#rules.filter((rule) => appliesTo(rule, unit, facts))
    switch (unit.kind) {
      case 'command': {
        const { argv, wrappedBy } = unit.part
        const [program, first = ''] = argv
        const byTool = kept(this.#lists, `${name}\n${server}`, ofTool)
        if (typeof program !== 'string' || wrappedBy.length > 0 || hasOtherForms(unit.part)) return byTool
        return kept(this.#lists, `${name}\n${server}\n${program}\n${first ?? '\0'}`, () =>
          byTool.filter((rule) => mayBe(rule, program, first)),
        )
      }
      case 'path': {
        const { of, access } = unit.path
        const index = kept(this.#folders, `${name}\n${server}\n${of}\n${access}`, () => folderIndex(ofTool()))
        return unit.path.places.length === 0 || takesAway(unit.path, facts) ? index.all : inFolders(index, unit.path)
      }
      case 'call':
        return kept(this.#lists, `${name}\n${server}`, ofTool)
      default:
        return unit satisfies never
    }
  }
}

function kept<Value>(cache: Map<string, Value>, key: string, make: () => Value): Value {
  const found = cache.get(key)
  if (found !== undefined) return found
  if (cache.size >= MOST_ENTRIES) cache.clear()
  const made = make()
  cache.set(key, made)
  return made
}

/** `first`: the word after the program; null where it is not literal, empty where there is none. */
function mayBe(rule: CompiledRule, program: string, first: string | null): boolean {
  const [named, next] = rule.command?.words ?? []
  if (named === undefined) return true
  if (isLiteral(named) && named[0] !== program && named[0] !== baseName(program)) return false
  return next === undefined || first === null || !isLiteral(next) || next[0] === first
}

function folderIndex(all: readonly CompiledRule[]): FolderIndex {
  const anywhere: number[] = []
  const byFolder = new Map<string, number[]>()
  for (const [index, { path }] of all.entries()) {
    if (path === undefined) anywhere.push(index)
    else byFolder.set(path.folder, [...(byFolder.get(path.folder) ?? []), index])
  }
  return { all, anywhere, byFolder }
}

/** Rules of every folder that the path is in, by each of its names. */
function inFolders({ all, anywhere, byFolder }: FolderIndex, path: PathFact): CompiledRule[] {
  const found = new Set(anywhere)
  const look = (name: string): void => {
    for (let end = name.length; end >= 0; end = end === 0 ? -1 : name.lastIndexOf('/', end - 1)) {
      for (const index of byFolder.get(name.slice(0, end)) ?? []) found.add(index)
    }
  }
  for (const { given, resolved } of path.places) {
    look(given)
    if (resolved !== undefined && resolved !== given) look(resolved)
  }
  const order = [...found]
  if (order.length > 1) order.sort((one, other) => one - other)
  return order.flatMap((index) => all[index] ?? [])
}
