/**
 * What a command text does, as far as policy is concerned: its simple commands, the paths they name, the files the shell itself writes.
 */
import type { CallView } from '@toolseam/core-tools'
import type { FactSources, WantedPath } from './path-facts.ts'
import { absolutePath } from './path-pattern.ts'
import { commandParts, type CommandPart, settleCertainty, writtenTargets } from './shell-parts.ts'
import { changedFolders, type Place, readings, workingFolders, type WorkingFolders } from './working-folders.ts'

export interface ShellFacts {
  parts: readonly CommandPart[]
  paths: WantedPath[]
  /** Words that may be paths, of a text that is not known to only read. */
  words: WantedPath[]
}

/** A folder changed on the way gives a path several places. */
export function shellFacts(view: CallView, sources: FactSources): ShellFacts {
  const cwd = view.cwd === undefined ? sources.root : (absolutePath(view.cwd, sources.root) ?? sources.root)
  const parts = commandParts(view.effects)
  const folders = workingFolders(parts, { cwd, home: sources.home })
  const redirects = writtenTargets(parts).map((target) => ({ ...wanted(target, 'write', folders), of: 'redirect' as const }))
  const named = (view.paths ?? view.effects?.paths ?? []).map((path): WantedPath => {
    return {
      ...wanted(path.path, path.access, folders),
      protected: path.protected === true,
      candidates: folders.placesOfResolved(path.path),
    }
  })
  const { operands, loose } = tellApart(named, { redirects, words: () => wordPlaces(parts, folders) })
  settleCertainty(parts, view.effects, loose)
  const moves = changedFolders(parts).map((target) => wanted(target, 'read', folders))
  const paths = [...redirects, ...operands, ...moves]
  return {
    parts,
    paths,
    words: sources.isNamed === undefined || view.effects?.verdict === 'read-only' ? [] : possiblePaths(parts, folders, paths),
  }
}

/** Which words a program takes for paths is not known of most (`sed -i`, `dd of=`, `git checkout`): each may be one. */
function possiblePaths(parts: readonly CommandPart[], folders: WorkingFolders, known: readonly WantedPath[]): WantedPath[] {
  const told = new Set(known.flatMap(({ candidates }) => lexical(candidates)))
  const words = new Set(
    parts
      .filter(opensWords)
      .flatMap(({ argv }) => argv.slice(1))
      .flatMap((word) => (word === null ? [] : readings(word))),
  )
  return [...words].flatMap((word): WantedPath[] => {
    if (word === '' || word.startsWith('-')) return []
    const candidates = folders.placesOf(word)
    if (lexical(candidates).every((place) => told.has(place))) return []
    return [{ path: word, access: 'read', protected: false, of: 'word', candidates }]
  })
}

/** Not those that only print what they are told. */
function opensWords({ argv, unknown }: CommandPart): boolean {
  return unknown || !['echo', 'printf'].includes(argv[0] ?? '')
}

/** Null: not literal, somewhere. */
function wanted(word: string | null, access: 'read' | 'write', folders: WorkingFolders): WantedPath {
  const candidates = word === null ? [undefined] : folders.placesOf(word)
  return { path: word ?? '(not literal)', access, protected: false, of: 'operand', candidates }
}

interface Known {
  redirects: WantedPath[]
  /** Every place that a word of a command may name. */
  words(): ReadonlySet<Place>
}

/** What is written and is no word of a command is a redirect around several commands. A redirect that is known already is not told twice. */
function tellApart(named: readonly WantedPath[], { redirects, words }: Known): { operands: WantedPath[]; loose: number } {
  let loose = 0
  const operands = named.flatMap((path): WantedPath[] => {
    if (path.access === 'read') return [path]
    const twin = redirects.find((redirect) => sharesPlace(redirect, path))
    if (twin !== undefined) {
      twin.protected ||= path.protected
      return []
    }
    if (lexical(path.candidates).some((place) => words().has(place))) return [path]
    loose++
    return [{ ...path, of: 'redirect' }]
  })
  return { operands, loose }
}

function wordPlaces(parts: readonly CommandPart[], folders: WorkingFolders): Set<Place> {
  const words = parts.flatMap(({ argv }) => argv.slice(1)).filter((word) => word !== null)
  return new Set(words.flatMap(readings).flatMap((reading) => lexical(folders.placesOf(reading))))
}

function sharesPlace(one: WantedPath, other: WantedPath): boolean {
  const places = lexical(other.candidates)
  return lexical(one.candidates).some((place) => place !== undefined && places.includes(place))
}

/** As text alone, for comparing. */
function lexical(candidates: readonly Place[]): Place[] {
  return candidates.map((candidate) => (candidate === undefined ? undefined : absolutePath(candidate, '/')))
}
