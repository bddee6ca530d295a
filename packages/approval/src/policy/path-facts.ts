/**
 * One path of a call: where it may lead, and whether that is inside. Links are followed by the resolver; all else is text.
 */
import type { PathResolver } from '../definition/paths.ts'
import { absolutePath, isInside } from './path-pattern.ts'
import type { Place } from './working-folders.ts'

export interface PathFact {
  path: string
  access: 'read' | 'write'
  protected: boolean
  /** `word`: of a command that is not known to only read; it may be a path. */
  of: 'call' | 'redirect' | 'operand' | 'word'
  /** Absolute and folded. More than one where the command changes folders first; empty where the path is not literal. */
  places: readonly { given: string; resolved?: string }[]
  /** Of the first place, as the file system spells it. */
  resolved?: string
  /** Every place is known and leads somewhere known. */
  certain: boolean
  inside: boolean
}

export interface FactSources {
  resolver: PathResolver
  /** The form in which paths are compared. */
  fold(path: string): string
  /** Absolute, as given. Relative paths of a call are below its `cwd`, else below this. */
  root: string
  home?: string | undefined
  /** Folded: what counts as inside. */
  insideFolders: readonly string[]
  /** Whether a deny or ask rule of `Read` or `Edit` names the place; without it words of commands are not looked at. */
  isNamed?(path: PathFact): boolean
}

export interface WantedPath extends Omit<PathFact, 'places' | 'certain' | 'inside'> {
  candidates: readonly Place[]
}

export async function locate(wanted: WantedPath, sources: FactSources): Promise<PathFact> {
  const resolved = await Promise.all(
    wanted.candidates.map((candidate) => (candidate === undefined ? undefined : sources.resolver.resolve(candidate))),
  )
  return located(wanted, resolved, sources)
}

/** `resolved`: where each candidate leads. A tool that works on paths has told it. */
export function located(wanted: WantedPath, resolved: readonly (string | undefined)[], sources: FactSources): PathFact {
  const { path, access, protected: guarded, of, candidates } = wanted
  const places: { given: string; resolved?: string }[] = []
  const fact: PathFact = { path, access, protected: guarded, of, places, certain: candidates.length > 0, inside: candidates.length > 0 }
  for (const [index, candidate] of candidates.entries()) {
    const given = candidate === undefined ? undefined : absolutePath(candidate, '/')
    const target = given === undefined ? undefined : resolved[index]
    if (given === undefined || target === undefined) {
      fact.certain = false
      fact.inside = false
      if (given !== undefined) places.push({ given: sources.fold(given) })
      continue
    }
    const foldedTarget = sources.fold(target)
    places.push({ given: given === target ? foldedTarget : sources.fold(given), resolved: foldedTarget })
    if (places.length === 1) fact.resolved = target
    fact.inside &&= isFoldedInside(foldedTarget, sources)
  }
  return fact
}

export function isInsideAny(path: string | undefined, sources: FactSources): boolean {
  return path !== undefined && isFoldedInside(sources.fold(path), sources)
}

function isFoldedInside(folded: string, { insideFolders }: FactSources): boolean {
  return insideFolders.some((folder) => isInside(folded, folder))
}
