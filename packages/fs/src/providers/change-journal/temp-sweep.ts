/**
 * Temp files that a process of ours left beside a file when it died (F-65). Only names that an atomic write of exactly this file would
 * have used; directories are reached through the walk.
 */
import { readdirSync, rmSync } from 'node:fs'
import type { SearchGround } from '../../definition/search.ts'
import type { TempSweep } from './settle.ts'

export interface TempSweepOptions {
  ground: Pick<SearchGround, 'walkDirectory'>
  /** Names that atomic writes use. */
  isTempName(name: string): boolean
}

export function createTempSweep({ ground, isTempName }: TempSweepOptions): TempSweep {
  return async (path) => {
    const at = path.lastIndexOf('/')
    const name = path.slice(at + 1)
    const place = await ground.walkDirectory(at === -1 ? '.' : path.slice(0, at) || '/').catch(() => undefined)
    if (place === undefined) return
    try {
      for (const found of readdirSync(place.procPath)) {
        if (isTempName(found) && isTempOf(found, name)) rmSync(`${place.procPath}/${found}`, { recursive: true, force: true })
      }
    } finally {
      place.close()
    }
  }
}

/** Long names are cut in the names of their temp files. */
function isTempOf(temp: string, name: string): boolean {
  const kept = temp.slice(1).replace(/\.[0-9a-f]{12}\.tmp$/, '')
  return kept === name || (kept.length > 100 && name.startsWith(kept))
}
