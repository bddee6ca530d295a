/**
 * Where commands may start (S-15): inside the roots, in a directory that exists, links followed.
 */
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { ShellError } from '../../definition/errors.ts'
import type { Directories } from '../../lifecycle/ports.ts'

export function directories(options: { root: string; roots?: readonly string[]; start?: string }): Directories {
  const root = resolve(options.root)
  const roots = [root, ...(options.roots ?? []).map((extra) => resolve(root, extra))]

  const refusal = (cwd: string): 'missing' | 'outside' | undefined => {
    const real = realDirectory(cwd)
    if (real === undefined) return 'missing'
    return roots.some((allowed) => isInside(real, realDirectory(allowed) ?? allowed)) ? undefined : 'outside'
  }
  const check = (cwd: string, base: string): string => {
    const absolute = isAbsolute(cwd) ? resolve(cwd) : resolve(base, cwd)
    const why = refusal(absolute)
    if (why === 'missing') throw new ShellError('SHELL_CWD_MISSING', { cwd: absolute })
    if (why === 'outside') throw new ShellError('SHELL_CWD_OUTSIDE', { cwd: absolute, roots })
    return absolute
  }
  const start = options.start === undefined ? root : resolve(root, options.start)
  return { root, check, refusal, home: (kept) => (kept !== undefined && refusal(kept) === undefined ? kept : start) }
}

function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
