/**
 * A walked place of the local disk, with what both engines need of it: its way from the root, and the ignore rules above it.
 */
import { constants, lstatSync, readdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { SearchGround, WalkedPlace } from '../../definition/search.ts'
import type { EnginePlace } from '../../search/engine.ts'
import type { DirectoryRules } from '../../search/ignore-rules.ts'
import { rulesOf } from '../../search/tree-engine.ts'
import { holdDirectory } from './descent.ts'

/** Ignore files beyond this size are not read. */
const MOST_RULE_BYTES = 1024 * 1024

export interface GroundPlace extends EnginePlace {
  readonly procPath: string
  readonly way: readonly string[]
  outerRules(): Promise<DirectoryRules[]>
}

export interface GroundOptions {
  ground: SearchGround
  /** Absolute, links followed. */
  roots: readonly string[]
}

/** @throws FsError as the walk */
export async function openGround(
  { ground, roots }: GroundOptions,
  path: string,
  { directory }: { directory: boolean },
): Promise<GroundPlace> {
  const walked = directory ? await ground.walkDirectory(path) : await ground.walkPlace(path)
  return placeOf(walked, { ground, roots })
}

function placeOf(walked: WalkedPlace, { ground, roots }: GroundOptions): GroundPlace {
  const root = roots.filter((one) => isWithin(one, walked.absolute)).toSorted((a, b) => b.length - a.length)[0] ?? walked.absolute
  const way = walked.absolute
    .slice(root.length)
    .split('/')
    .filter((name) => name !== '')
  return {
    kind: walked.kind,
    relative: walked.relative,
    procPath: walked.procPath,
    way,
    exists: (below) => Promise.resolve(existsBelow(walked.procPath, below)),
    recheck: () => walked.recheck(),
    close: () => walked.close(),
    async outerRules() {
      if (way.length === 0) return []
      const top = await ground.walkDirectory(root)
      try {
        return await Promise.all(way.map((_, at) => rulesAt(top.procPath, way.slice(0, at).join('/'))))
      } finally {
        top.close()
      }
    },
  }
}

function isWithin(root: string, absolute: string): boolean {
  return absolute === root || absolute.startsWith(root.endsWith('/') ? root : `${root}/`)
}

function existsBelow(procPath: string, below: string): boolean {
  const at = below.lastIndexOf('/')
  try {
    const held = holdDirectory(procPath, at === -1 ? '' : below.slice(0, at))
    try {
      lstatSync(`${held.path}/${below.slice(at + 1)}`)
      return true
    } finally {
      held.close()
    }
  } catch {
    return false
  }
}

async function rulesAt(procPath: string, below: string): Promise<DirectoryRules> {
  try {
    const held = holdDirectory(procPath, below)
    try {
      return await rulesOf({ readSmall: (path) => readSmall(held.path, path) }, new Set(readdirSync(held.path)))
    } finally {
      held.close()
    }
  } catch {
    // A directory that cannot be read has no rules to tell.
    return {}
  }
}

/** A small regular file below a held directory; links are not followed. */
export async function readSmall(directory: string, path: string): Promise<string | undefined> {
  const names = path.split('/')
  const leaf = names.pop() ?? ''
  try {
    const held = holdDirectory(directory, names.join('/'))
    try {
      const file = await open(`${held.path}/${leaf}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      try {
        const stat = await file.stat()
        return stat.isFile() && stat.size <= MOST_RULE_BYTES ? await file.readFile('utf8') : undefined
      } finally {
        await file.close()
      }
    } finally {
      held.close()
    }
  } catch {
    return undefined
  }
}
