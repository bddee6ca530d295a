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
  const { candidates, ...fact } = wanted
  const known = fact.resolved
  const places: { given: string; resolved?: string }[] = []
  let certain = candidates.length > 0
  let inside = certain
  for (const candidate of candidates) {
    const given = candidate === undefined ? undefined : absolutePath(candidate, '/')
    const resolved = candidate === undefined ? undefined : (known ?? (await sources.resolver.resolve(candidate)))
    if (given !== undefined) places.push(place(given, resolved, sources))
    if (places.length <= 1 && resolved !== undefined) fact.resolved = resolved
    certain &&= given !== undefined && resolved !== undefined
    inside &&= isInsideAny(resolved, sources)
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
