/**
 * The facts of one call, made ready for judging: who, what tool, which paths really, which simple commands. The only place that waits for
 * the file system; all that follows is pure.
 */
import type { CallPath, CallView } from '@toolseam/core-tools'
import type { PathResolver } from '../definition/paths.ts'
import type { PolicyCall, ToolFacts } from '../definition/policy.ts'
import { type EffectiveAnnotations, effectiveAnnotations } from './conditions.ts'
import { absolutePath, isInside } from './path-pattern.ts'
import { normalDomain } from './rule.ts'
import { commandParts, type CommandPart, writtenTargets } from './shell-parts.ts'
import type { ToolIdentity } from './tool-pattern.ts'
import { workingFolders } from './working-folders.ts'

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

export interface CallFacts {
  call: PolicyCall
  tool: ToolIdentity
  definition?: ToolFacts
  annotations: EffectiveAnnotations
  view: CallView
  /** The facts cannot be had: no allow rule applies. */
  incomplete: boolean
  /** Simple commands, where the tool runs some; one unparsable part where the text could not be read. */
  commands?: readonly CommandPart[]
  paths: readonly PathFact[]
  /** The command starts inside; true where the tool says no folder. */
  cwdInside: boolean
  domains?: readonly string[]
  agents: readonly string[]
}

export interface FactSources {
  resolver: PathResolver
  /** The form in which paths are compared. */
  fold(path: string): string
  /** Absolute, as given. Relative paths of a call are below its `cwd`, else below this. */
  root: string
  /** Folded: what counts as inside. */
  insideFolders: readonly string[]
}

export interface DescribedCall {
  call: PolicyCall
  view: CallView
  definition?: ToolFacts
}

export async function gatherFacts({ call, view, definition }: DescribedCall, sources: FactSources): Promise<CallFacts> {
  const runsCommands = view.effects !== undefined || call.tool === 'bash'
  const commands = runsCommands ? commandParts(view.effects) : undefined
  const wanted = runsCommands ? shellPaths(view, commands ?? [], sources) : (view.paths ?? []).map((path) => ownPath(path, view, sources))
  const server = definition?.source?.server
  return {
    call,
    tool: server === undefined ? { name: call.tool } : { name: call.tool, server },
    ...(definition === undefined ? {} : { definition }),
    annotations: effectiveAnnotations(definition),
    view,
    incomplete: view.incomplete === true,
    ...(commands === undefined ? {} : { commands }),
    cwdInside: view.cwd === undefined || isInsideAny(absolutePath(view.cwd, sources.root), sources),
    paths: wanted.length === 0 ? [] : await Promise.all(wanted.map((path) => locate(path, sources))),
    ...(view.domains === undefined ? {} : { domains: view.domains.map(normalDomain) }),
    agents: call.agents ?? (call.agent === undefined ? [] : [call.agent]),
  }
}

interface WantedPath extends Omit<PathFact, 'places' | 'certain' | 'inside'> {
  /** Absolute, not folded. */
  absolutes: readonly (string | undefined)[]
}

function ownPath(path: CallPath, view: CallView, sources: FactSources): WantedPath {
  return {
    path: path.path,
    access: path.access,
    protected: path.protected === true,
    of: 'call',
    absolutes: [absolutePath(path.path, view.cwd ?? sources.root)],
    ...(path.resolved === undefined ? {} : { resolved: path.resolved }),
  }
}

/** Paths that a command names, and files that the shell itself writes. A folder changed on the way gives a path several places. */
function shellPaths(view: CallView, parts: readonly CommandPart[], sources: FactSources): WantedPath[] {
  const cwd = absolutePath(view.cwd ?? '.', sources.root) ?? sources.root
  const folders = workingFolders(parts, cwd)
  const redirects = writtenTargets(parts)
  const paths: WantedPath[] = redirects.map((target) => ({
    path: target ?? '(not literal)',
    access: 'write',
    protected: false,
    of: 'redirect',
    absolutes: target === null ? [undefined] : folders.placesOf(target),
  }))
  const written = new Map<string, WantedPath>()
  for (const path of paths) for (const place of path.absolutes) if (place !== undefined) written.set(place, path)
  for (const path of view.paths ?? view.effects?.paths ?? []) {
    const absolutes = folders.placesOfResolved(path.path)
    const twin = path.access === 'write' ? absolutes.map((place) => written.get(place ?? '')).find((found) => found !== undefined) : undefined
    if (twin !== undefined) twin.protected ||= path.protected === true
    else {
      paths.push({ path: path.path, access: path.access, protected: path.protected === true, of: 'operand', absolutes })
    }
  }
  return paths
}

async function locate(wanted: WantedPath, sources: FactSources): Promise<PathFact> {
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

function isInsideAny(path: string | undefined, sources: FactSources): boolean {
  if (path === undefined) return false
  const folded = sources.fold(path)
  return sources.insideFolders.some((folder) => isInside(folded, folder))
}
