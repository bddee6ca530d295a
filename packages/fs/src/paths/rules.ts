/**
 * Rules about paths that need no disk: malformed ones, magic ones (F-14), those of the state folder and those that policy should ask
 * about (F-17).
 */
import { FsError } from '../definition/errors.ts'

/** @throws FsError FS_BAD_PATH for an empty path or one with NUL */
export function checkPath(path: string): void {
  if (path === '') throw new FsError('FS_BAD_PATH', { path, reason: 'empty' })
  if (path.includes('\0')) throw new FsError('FS_BAD_PATH', { path: path.replaceAll('\0', '\\0'), reason: 'NUL' })
  if (/\p{Surrogate}/u.test(path)) throw new FsError('FS_BAD_PATH', { reason: 'lone surrogate' })
}

/** Doors of the kernel into other places: outside every root, also when a root is `/`. */
export function isMagic(absolute: string): boolean {
  return (
    /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:root|cwd|exe|fd|fdinfo|map_files|ns|mem)(?:\/|$)/.test(absolute) ||
    /^\/dev\/(?:fd|stdin|stdout|stderr)(?:\/|$)/.test(absolute)
  )
}

/** Names below a directory of version control that make it run code. */
const GUARDED = /(?:^|\/)\.git(?:$|\/(?:.*\/)?(?:config|config\.worktree|hooks(?:\/.*)?)$)/i

/** Whether a write to this path (relative, `/`) should be asked about. `extra` decides on the plugin's own list. */
export function isGuarded(relative: string, extra: (relative: string) => boolean): boolean {
  return GUARDED.test(relative) || /(?:^|\/)toolseam\.policy\.json$/i.test(relative) || extra(relative)
}

/** `path` is `folder` or below it. Both absolute, normalised. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

/**
 * Whether a tool may reach `absolute` under the state folders (F-17): nothing of them, except to read spilled output.
 */
export function stateAccess(absolute: string, stateFolders: readonly string[], access: 'read' | 'write'): boolean {
  const folder = stateFolders.find((each) => isWithin(absolute, each))
  if (folder === undefined) return true
  return access === 'read' && isWithin(absolute, `${folder}/output`)
}
