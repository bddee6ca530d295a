/**
 * Where relative words of a command may lead when the command changes folders first. Without this `cd sub && cat ../x` would be looked up
 * below the wrong folder. All folders that could be current are kept; a path counts in every place it may have.
 */
import { baseName } from './command-pattern.ts'
import { absolutePath } from './path-pattern.ts'
import type { CommandPart } from './shell-parts.ts'

/** Absolute, with `.` and `..` as written: what `..` means after a link is the file system's to say. Undefined: cannot be known. */
export type Place = string | undefined

export interface WorkingFolders {
  /** Places of a word as written. */
  placesOf(word: string): readonly Place[]
  /** Places of a path that was made absolute below the first folder: those of the words that it may come from. */
  placesOfResolved(path: string): readonly Place[]
}

/** More folders than this are not followed: the place is then unknown. */
const MOST_FOLDERS = 16

export function workingFolders(parts: readonly CommandPart[], { cwd, home }: { cwd: string; home?: string | undefined }): WorkingFolders {
  const changes = parts.filter(changesFolder)
  const { folders, known } = reachable(changes, cwd)
  const placesOf = (word: string): readonly Place[] => {
    if (word.startsWith('/')) return [below('/', word)]
    const places = [...folders].map((folder) => below(folder, word))
    // Expanded by the shell unless it was quoted: both are possible.
    if (word.startsWith('~')) places.push(tilde(word, home))
    return known ? places : [...places, undefined]
  }
  const words = parts.flatMap((part) => part.argv.slice(1)).filter((word) => word !== null)
  const plain = changes.length === 0 && !words.some((word) => word.includes('..'))
  return {
    placesOf,
    placesOfResolved(path) {
      if (plain || path.startsWith('~')) return placesOf(path)
      const absolute = absolutePath(path, cwd)
      const sources = words.flatMap(readings).filter((reading) => [...folders].some((folder) => absolutePath(reading, folder) === absolute))
      return sources.length === 0 ? (known ? [absolute] : [absolute, undefined]) : [...new Set(sources.flatMap(placesOf))]
    },
  }
}

function below(folder: string, word: string): Place {
  if (word === '' || word.includes('\0')) return undefined
  return word.startsWith('/') ? word : `${folder}/${word}`
}

/** Another user's home is not known. */
function tilde(word: string, home: string | undefined): Place {
  return home !== undefined && /^~(\/|$)/.test(word) ? home + word.slice(1) : undefined
}

/** A word itself, and the value of `--option=value`. */
export function readings(word: string): string[] {
  const equals = word.indexOf('=')
  return equals < 0 ? [word] : [word, word.slice(equals + 1)]
}

/** Where each folder change may lead: looked at like any other path. */
export function changedFolders(parts: readonly CommandPart[]): (string | null)[] {
  return parts.filter(changesFolder).map(({ argv }) => targetOf(argv))
}

/** Null where it is not told by the words. */
function targetOf(argv: CommandPart['argv']): string | null {
  if (argv[0] !== 'cd') return null
  const target = argv.slice(1).find((word) => word === null || word === '-' || !word.startsWith('-'))
  return target === undefined || target === '-' ? null : target
}

function changesFolder(part: CommandPart): boolean {
  const program = part.argv[0]
  return typeof program === 'string' && ['cd', 'pushd', 'popd'].includes(baseName(program))
}

function reachable(changes: readonly CommandPart[], cwd: string): { folders: Set<string>; known: boolean } {
  const folders = new Set([cwd])
  let known = true
  for (const { argv } of changes) {
    const target = targetOf(argv)
    if (target === null || target.startsWith('~')) {
      known = false
      continue
    }
    const before = [...folders]
    for (const folder of before) {
      const next = absolutePath(target, folder)
      if (next !== undefined) folders.add(next)
    }
    if (folders.size > MOST_FOLDERS) return { folders: new Set([cwd]), known: false }
  }
  return { folders, known }
}
