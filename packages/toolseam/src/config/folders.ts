/** Where things are kept beside the root's own files. */
import { accessSync, constants, existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The user's configuration folder: `TOOLSEAM_CONFIG_DIR`, else `$XDG_CONFIG_HOME/toolseam`, else `~/.config/toolseam`. */
export function userConfigFolder(): string {
  const { TOOLSEAM_CONFIG_DIR: own, XDG_CONFIG_HOME: base } = process.env
  if (own !== undefined && own !== '') return own
  return join(base !== undefined && base !== '' ? base : join(homedir(), '.config'), 'toolseam')
}

/** Where the journals of a root are. */
export function journalFolder(root: string): string {
  return join(root, '.toolseam', 'journal')
}

/** Whether records can be kept below the root; a folder that is only looked at may not let anybody write. */
export function canRecord(root: string): boolean {
  const places = [journalFolder(root), join(root, '.toolseam'), root]
  try {
    accessSync(places.find((place) => existsSync(place)) ?? root, constants.W_OK)
    return true
  } catch {
    return false
  }
}
