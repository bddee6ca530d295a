/**
 * Where bash is on this host, or why there is none (S-10).
 */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export type BashFound = { readonly path: string } | { readonly path: undefined; readonly reason: 'no-bash' | 'platform' }

/** Where it is kept when it is not on PATH. */
const USUAL_FOLDERS = ['/bin', '/usr/bin', '/usr/local/bin']

export function findBash(host: { named?: string; platform?: string; path?: string; folders?: readonly string[] } = {}): BashFound {
  const { named, platform = process.platform, path = process.env['PATH'] ?? '', folders = USUAL_FOLDERS } = host
  if (platform === 'win32') return { path: undefined, reason: 'platform' }
  const places = [...path.split(delimiter), ...folders].filter((folder) => folder.startsWith('/'))
  const candidates = named === undefined ? places.map((folder) => join(folder, 'bash')) : [named]
  const found = candidates.find(isExecutable)
  return found === undefined ? { path: undefined, reason: 'no-bash' } : { path: found }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
