/**
 * Listed files, each looked at again through the walk; that is also where their times come from.
 */
import { lstatSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ListFound } from '../../search/engine.ts'
import { createDescent } from '../search/descent.ts'
import type { GroundPlace } from '../search/ground-place.ts'

/** Files looked at before others get their turn: about a millisecond. */
const FILES_AT_ONCE = 200

export async function checkedPaths(
  place: GroundPlace,
  paths: readonly string[],
  { times, stop }: { times: boolean; stop: AbortSignal },
): Promise<ListFound> {
  const found: ListFound = { files: [], unreadable: [] }
  const descent = createDescent(place.procPath)
  try {
    let looked = 0
    for (const path of paths.toSorted()) {
      looked += 1
      if (looked % FILES_AT_ONCE === 0) {
        await nextTurn()
        if (stop.aborted) break
      }
      // A name that is not UTF-8 cannot be addressed by its text.
      if (path.includes('\uFFFD')) {
        found.unreadable.push(path)
        continue
      }
      const at = path.lastIndexOf('/')
      const directory = descent.into(at === -1 ? '' : path.slice(0, at))
      const mtimeMs = directory === undefined ? undefined : times ? modifiedAt(`${directory}/${path.slice(at + 1)}`) : 0
      if (mtimeMs !== undefined) found.files.push({ path, mtimeMs })
    }
    return found
  } finally {
    descent.close()
  }
}

function modifiedAt(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true ? stat.mtimeMs : undefined
}
