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
  of: 'call' | 'redirect' | 'operand'
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
export function located({ candidates, ...fact }: WantedPath, resolved: readonly (string | undefined)[], sources: FactSources): PathFact {
  const places: { given: string; resolved?: string }[] = []
  let certain = candidates.length > 0
  let inside = certain
  for (const [index, candidate] of candidates.entries()) {
    const given = candidate === undefined ? undefined : absolutePath(candidate, '/')
    const target = candidate === undefined ? undefined : resolved[index]
    if (given !== undefined) places.push(place(given, target, sources))
    if (places.length <= 1 && target !== undefined) fact.resolved = target
    certain &&= given !== undefined && target !== undefined
    inside &&= isInsideAny(target, sources)
  }
  return { ...fact, places, certain, inside }
}

function place(given: string, resolved: string | undefined, { fold }: FactSources): { given: string; resolved?: string } {
  return resolved === undefined ? { given: fold(given) } : { given: fold(given), resolved: fold(resolved) }
}

export function isInsideAny(path: string | undefined, sources: FactSources): boolean {
  if (path === undefined) return false
  const folded = sources.fold(path)
  return sources.insideFolders.some((folder) => isInside(folded, folder))
}
