/**
 * One path of a call: where it may lead, and whether that is inside. Links are followed by the resolver; all else is text.
 */
import type { PathResolver } from '../definition/paths.ts'
import { isInside } from './path-pattern.ts'

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
  /** Absolute, not folded. */
  absolutes: readonly (string | undefined)[]
}

export async function locate(wanted: WantedPath, sources: FactSources): Promise<PathFact> {
  const { absolutes, ...fact } = wanted
  const known = fact.resolved
  const places: { given: string; resolved?: string }[] = []
  let certain = absolutes.length > 0
  let inside = certain
  for (const absolute of absolutes) {
    const resolved = absolute === undefined ? undefined : (known ?? (await sources.resolver.resolve(absolute)))
    if (absolute !== undefined) places.push(place(absolute, resolved, sources))
    if (places.length <= 1 && resolved !== undefined) fact.resolved = resolved
    certain &&= resolved !== undefined
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
