/**
 * The ground that search engines stand on: places opened by the walk, reachable for another process, and checked again before hits of
 * theirs are given out (F-52).
 */
import { resolve } from 'node:path'
import { FsError } from '../../definition/errors.ts'
import type { SearchGround, WalkedPlace } from '../../definition/search.ts'
import { stateAccess } from '../../paths/rules.ts'
import type { ObservationBook } from '../common/observations.ts'
import { notFound } from '../common/resolve.ts'
import { sameEntry } from './facts.ts'
import { joined } from './walk.ts'
import type { RootedSpot, RootedStorage } from './storage.ts'

export function searchGround(storage: RootedStorage, book: ObservationBook): SearchGround {
  const walkPlace = async (path: string): Promise<WalkedPlace> => {
    const spot = await storage.walk(path, 'follow')
    try {
      if (!stateAccess(spot.absolute, storage.stateFolders, 'read'))
        throw new FsError('FS_PROTECTED', { path: spot.path, reason: 'state folder' })
      if (spot.facts === undefined) throw await notFound({ storage }, spot)
      if (spot.facts.kind !== 'file' && spot.facts.kind !== 'directory')
        throw new FsError('FS_NOT_REGULAR', { path: spot.path, kind: spot.facts.kind })
      return placeOf(storage, spot)
    } catch (error) {
      spot.close()
      throw error
    }
  }
  return {
    walkPlace,
    async walkDirectory(path) {
      const place = await walkPlace(path)
      if (place.kind === 'directory') return place
      place.close()
      throw new FsError('FS_NOT_DIRECTORY', { path: place.relative, kind: place.kind })
    },
    named(agent, found) {
      const view = book.view(agent)
      for (const { path, version } of found) {
        const absolute = resolve(storage.roots[0] ?? '/', path)
        view.note({ key: absolute, absolute }, { seen: 'named', ...(version === undefined ? {} : { version }) })
      }
    },
  }
}

function placeOf(storage: RootedStorage, spot: RootedSpot): WalkedPlace {
  const { leaf } = spot.walked
  return {
    kind: spot.facts?.kind === 'directory' ? 'directory' : 'file',
    procPath: leaf?.held.fd === undefined ? spot.absolute : `/proc/${process.pid}/fd/${leaf.held.fd}`,
    relative: spot.path === '.' ? '' : spot.path,
    absolute: spot.absolute,
    async recheck(below = '') {
      const names = below.split('/').filter((name) => name !== '' && name !== '.')
      const expected = joined(spot.absolute, names)
      try {
        const again = await storage.walk(expected, 'keep')
        try {
          const same = again.absolute === expected && again.facts !== undefined && again.facts.kind !== 'symlink'
          return same && (names.length > 0 || (leaf !== undefined && again.facts !== undefined && sameEntry(again.facts, leaf.facts)))
        } finally {
          again.close()
        }
      } catch {
        return false
      }
    },
    close: () => spot.close(),
  }
}
