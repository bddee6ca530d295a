/**
 * Where relative words of a command may lead when the command changes folders first. Without this `cd sub && cat ../x` would be looked up
 * below the wrong folder. All folders that could be current are kept; a path counts in every place it may have.
 */
import { baseName } from './command-pattern.ts'
import { absolutePath } from './path-pattern.ts'
import type { CommandPart } from './shell-parts.ts'

export interface WorkingFolders {
  /** Places of a word as written. Undefined entries: somewhere that cannot be known. */
  placesOf(word: string): readonly (string | undefined)[]
  /** Places of a path that was made absolute below the first folder. */
  placesOfResolved(path: string): readonly (string | undefined)[]
}

/** More folders than this are not followed: the place is then unknown. */
const MOST_FOLDERS = 16

export function workingFolders(parts: readonly CommandPart[], cwd: string): WorkingFolders {
  const changes = parts.filter(changesFolder)
  if (changes.length === 0) {
    return { placesOf: (word) => [absolutePath(word, cwd)], placesOfResolved: (path) => [absolutePath(path, cwd)] }
  }
  const { folders, known } = reachable(changes, cwd)
  const placesOf = (word: string): readonly (string | undefined)[] => {
    if (word.startsWith('/')) return [absolutePath(word, '/')]
    const places = [...new Set([...folders].map((folder) => absolutePath(word, folder)))]
    return known ? places : [...places, undefined]
  }
  const words = parts.flatMap((part) => part.argv.slice(1)).filter((word) => word !== null)
  return {
    placesOf,
    placesOfResolved(path) {
      const absolute = absolutePath(path, cwd)
      const word = words.flatMap(readings).find((reading) => [...folders].some((folder) => absolutePath(reading, folder) === absolute))
      return word === undefined ? (known ? [absolute] : [absolute, undefined]) : placesOf(word)
    },
  }
}

/** A word itself, and the value of `--option=value`. */
function readings(word: string): string[] {
  const equals = word.indexOf('=')
  return equals < 0 ? [word] : [word, word.slice(equals + 1)]
}

function changesFolder(part: CommandPart): boolean {
  const program = part.argv[0]
  return typeof program === 'string' && ['cd', 'pushd', 'popd'].includes(baseName(program))
}

function reachable(changes: readonly CommandPart[], cwd: string): { folders: Set<string>; known: boolean } {
  const folders = new Set([cwd])
  let known = true
  for (const { argv } of changes) {
    const target = argv.slice(1).find((word) => word === null || word === '-' || !word.startsWith('-'))
    if (argv[0] !== 'cd' || target === undefined || target === null || target === '-' || target.startsWith('~')) {
      known = false
      continue
    }
    for (const folder of [...folders]) {
      const next = absolutePath(target, folder)
      if (next !== undefined) folders.add(next)
    }
    if (folders.size > MOST_FOLDERS) return { folders: new Set([cwd]), known: false }
  }
  return { folders, known }
}
