/**
 * Temp files that a process of ours left beside a file when it died (F-65). Only names that an atomic write of exactly this file would
 * have used; directories are reached through the walk.
 */
import { readdirSync, rmdirSync, rmSync } from 'node:fs'
import type { SearchGround } from '../../definition/search.ts'
import type { TempSweep } from './settle.ts'

export interface TempSweepOptions {
  ground: Pick<SearchGround, 'walkDirectory'>
  /** Names that atomic writes use. */
  isTempName(name: string): boolean
}

export function createTempSweep({ ground, isTempName }: TempSweepOptions): TempSweep {
  const inside = async (directory: string, use: (procPath: string) => void): Promise<void> => {
    const place = await ground.walkDirectory(directory).catch(() => undefined)
    if (place === undefined) return
    try {
      use(place.procPath)
    } finally {
      place.close()
    }
  }
  return async (path, made) => {
    const { directory, name } = partsOf(path)
    await inside(directory, (procPath) => {
      for (const found of readdirSync(procPath)) {
        if (isTempName(found) && isTempOf(found, name)) rmSync(`${procPath}/${found}`, { recursive: true, force: true })
      }
    })
    for (const one of made.toReversed()) {
      const { directory: above, name: last } = partsOf(one)
      await inside(above, (procPath) => removeEmpty(`${procPath}/${last}`))
    }
  }
}

function partsOf(path: string): { directory: string; name: string } {
  const at = path.lastIndexOf('/')
  return { directory: at === -1 ? '.' : path.slice(0, at) || '/', name: path.slice(at + 1) }
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    // In use by now, or gone already.
  }
}

/** Long names are cut in the names of their temp files. */
function isTempOf(temp: string, name: string): boolean {
  const kept = temp.slice(1).replace(/\.[0-9a-f]{12}\.tmp$/, '')
  return kept === name || (kept.length > 100 && name.startsWith(kept))
}
