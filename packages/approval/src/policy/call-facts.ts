/**
 * The facts of one call, made ready for judging: who, what tool, which paths really, which simple commands. The only place that waits for
 * the file system; all that follows is pure.
 */
import type { CallPath, CallView } from '@toolseam/core-tools'
import type { PolicyCall, ToolFacts } from '../definition/policy.ts'
import { type EffectiveAnnotations, effectiveAnnotations } from './conditions.ts'
import { type FactSources, isInsideAny, locate, located, type PathFact, type WantedPath } from './path-facts.ts'
import { absolutePath } from './path-pattern.ts'
import { normalDomain } from './rule.ts'
import { shellFacts } from './shell-facts.ts'
import type { CommandPart } from './shell-parts.ts'
import type { ToolIdentity } from './tool-pattern.ts'

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

export interface DescribedCall {
  call: PolicyCall
  view: CallView
  definition?: ToolFacts
}

export async function gatherFacts({ call, view, definition }: DescribedCall, sources: FactSources): Promise<CallFacts> {
  const runsCommands = view.effects !== undefined || call.tool === 'bash'
  const shell = runsCommands ? shellFacts(view, sources) : undefined
  const wanted = shell?.paths ?? (view.paths ?? []).map((path) => ownPath(path, view, sources))
  const server = definition?.source?.server
  const named = await namedWords(shell?.words ?? [], sources)
  const paths = wanted.every(isKnown)
    ? wanted.map((path) => told(path, sources))
    : await Promise.all(wanted.map((path) => look(path, sources)))
  return {
    call,
    tool: server === undefined ? { name: call.tool } : { name: call.tool, server },
    ...(definition === undefined ? {} : { definition }),
    annotations: effectiveAnnotations(definition),
    view,
    incomplete: view.incomplete === true,
    ...(shell === undefined ? {} : { commands: shell.parts }),
    cwdInside: view.cwd === undefined || isInsideAny(absolutePath(view.cwd, sources.root), sources),
    paths: named.length === 0 ? paths : [...paths, ...named],
    ...(view.domains === undefined ? {} : { domains: view.domains.map(normalDomain) }),
    agents: call.agents ?? (call.agent === undefined ? [] : [call.agent]),
  }
}

/** Those that a rule names; all others are words and nothing more. */
async function namedWords(words: readonly WantedPath[], sources: FactSources): Promise<PathFact[]> {
  const facts = await Promise.all(words.map((word) => locate(word, sources)))
  return facts.filter((fact) => sources.isNamed?.(fact) === true)
}

function ownPath({ path, access, resolved, protected: guarded }: CallPath, view: CallView, sources: FactSources): WantedPath {
  const base = absolutePath(view.cwd ?? '.', sources.root) ?? sources.root
  const candidate = path === '' ? undefined : path.startsWith('/') ? path : `${base}/${path}`
  return { path, access, protected: guarded === true, of: 'call', candidates: [candidate], ...(resolved === undefined ? {} : { resolved }) }
}

/** The tool has said where it leads. */
function isKnown(path: WantedPath): boolean {
  return path.resolved !== undefined
}

function told(path: WantedPath, sources: FactSources): PathFact {
  return located(path, [path.resolved], sources)
}

async function look(path: WantedPath, sources: FactSources): Promise<PathFact> {
  return isKnown(path) ? told(path, sources) : locate(path, sources)
}
