/**
 * From a path to a target: the walk, and for a missing name the one sibling that is the same after Unicode normalisation (F-15).
 */
import type { FsError } from '../../definition/errors.ts'
import type { FileTarget } from '../../definition/file-system.ts'
import { nearNames, normalisationTwins } from '../../paths/names.ts'
import { missing, type Core } from './core.ts'
import type { Spot } from './storage.ts'

export async function resolveTarget(
  core: Core,
  path: string,
  options: { agent?: string; leaf?: 'follow' | 'keep' } = {},
): Promise<FileTarget> {
  const leaf = options.leaf ?? 'follow'
  const spot = await core.storage.walk(path, leaf)
  try {
    const twin = spot.facts === undefined ? await twinOf(core, spot) : undefined
    if (twin === undefined) return targetOf(spot, { given: path, leaf, notes: [], ...options })
    const found = await core.storage.walk(twin, leaf)
    try {
      const notes = [`the file is named ${JSON.stringify(found.name)}: same name after Unicode normalisation`]
      return targetOf(found, { given: twin, asked: path, leaf, notes, ...options })
    } finally {
      found.close()
    }
  } finally {
    spot.close()
  }
}

/** Absolute path with the first missing name replaced by its only twin. */
export async function twinOf(core: Core, spot: Spot): Promise<string | undefined> {
  const twins = await twinNames(core, spot)
  const [only] = twins
  return twins.length === 1 && only !== undefined ? withName(spot, only) : undefined
}

export async function twinNames(core: Core, spot: Spot): Promise<string[]> {
  const wanted = spot.missingParents[0] ?? spot.name
  return normalisationTwins(wanted, await core.storage.siblings(spot))
}

/** FS_NOT_FOUND with the near names that are there. */
export async function notFound(core: Pick<Core, 'storage'>, spot: Spot): Promise<FsError> {
  const wanted = spot.missingParents[0] ?? spot.name
  const near = nearNames(wanted, await core.storage.siblings(spot))
  return missing(
    spot.path,
    near.map((name) => shownWithName(spot, name)),
  )
}

function withName(spot: Spot, name: string): string {
  const rest = spot.missingParents.length === 0 ? [] : [...spot.missingParents.slice(1), spot.name]
  return [parentOf(spot.absolute, spot.missingParents.length + 1), name, ...rest].join('/')
}

function shownWithName(spot: Spot, name: string): string {
  const parts = spot.path.split('/')
  const kept = parts.slice(0, Math.max(parts.length - spot.missingParents.length - 1, 0))
  return [...kept, name].join('/')
}

function parentOf(absolute: string, levels: number): string {
  return absolute.split('/').slice(0, -levels).join('/')
}

function targetOf(
  spot: Spot,
  facts: { given: string; asked?: string; leaf: 'follow' | 'keep'; notes: readonly string[]; agent?: string },
): FileTarget {
  const { given, asked, leaf, notes, agent } = facts
  return {
    key: spot.key,
    path: spot.path,
    absolute: spot.absolute,
    given,
    leaf,
    notes,
    ...(asked === undefined ? {} : { asked }),
    ...(agent === undefined ? {} : { agent }),
  }
}
