/**
 * Paths by text alone: no file system is asked (POSIX.1-2017 section 4.13, without links).
 */

/** Absolute and without `.`, `..` and doubled slashes. `base` must be absolute; an empty path is the base. */
export function resolvePath(base: string, path: string): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
