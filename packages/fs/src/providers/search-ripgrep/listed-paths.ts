/**
 * Listed files: first their times, all of them, for the order; then the walk, for those that are given out.
 */
import { lstatSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ListFound } from '../../search/engine.ts'
import { createDescent } from '../search/descent.ts'
import type { GroundPlace } from '../search/ground-place.ts'

/** Files looked at before others get their turn: about a millisecond. */
const FILES_AT_ONCE = 200

export async function timedPaths(
  place: GroundPlace,
  paths: readonly string[],
  { times, stop }: { times: boolean; stop: AbortSignal },
): Promise<ListFound> {
  const found: ListFound = { files: [], unreadable: [] }
  for (const [at, path] of paths.entries()) {
    if (times && at % FILES_AT_ONCE === FILES_AT_ONCE - 1) {
      await nextTurn()
      if (stop.aborted) break
    }
    // A name that is not UTF-8 cannot be addressed by its text.
    if (path.includes('\uFFFD')) found.unreadable.push(path)
    else {
      const mtimeMs = times ? modifiedAt(`${place.procPath}/${path}`) : 0
      if (mtimeMs !== undefined) found.files.push({ path, mtimeMs })
    }
  }
  return found
}

/** Those that are regular files, reached without a link; in the order given. */
export function confirmedPaths(place: GroundPlace, paths: readonly string[]): string[] {
  const descent = createDescent(place.procPath)
  try {
    // By path, so that each directory is entered once.
    const there = new Set(
      paths.toSorted().filter((path) => {
        const at = path.lastIndexOf('/')
        const directory = descent.into(at === -1 ? '' : path.slice(0, at))
        return directory !== undefined && modifiedAt(`${directory}/${path.slice(at + 1)}`) !== undefined
      }),
    )
    return paths.filter((path) => there.has(path))
  } finally {
    descent.close()
  }
}

function modifiedAt(path: string): number | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isFile() === true ? stat.mtimeMs : undefined
  } catch {
    return undefined
  }
}
