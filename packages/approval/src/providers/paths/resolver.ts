/**
 * Paths as the local file system has them: links followed for every existing part, the missing tail appended; and which names are one
 * name there, found out by looking, not by the platform's name.
 */
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { PathResolver } from '../../definition/paths.ts'

/** As the kernel: more links than this are a loop. */
const MOST_LINKS = 40

/** Lead somewhere that depends on who looks. */
const MAGIC = /^\/proc\/[^/]+\/(root|cwd|fd|task)(\/|$)|^\/dev\/(fd|stdin|stdout|stderr)(\/|$)/

export interface NameRules {
  /** `README` and `readme` are one file. */
  ignoresCase: boolean
  /** The composed and the decomposed form of a letter are one name. */
  ignoresUnicodeForm: boolean
}

/** `rules` default to those of the file system of `root`. */
export async function localPaths(root: string, rules?: NameRules): Promise<PathResolver> {
  const { ignoresCase, ignoresUnicodeForm } = rules ?? (await nameRules(root))
  return {
    resolve: (path) => follow(path),
    fold(path) {
      const form = ignoresUnicodeForm ? path.normalize('NFC') : path
      return ignoresCase ? form.toLowerCase() : form
    },
  }
}

async function follow(path: string): Promise<string | undefined> {
  if (!isAbsolute(path) || path.includes('\0') || MAGIC.test(path)) return undefined
  try {
    const real = await realpath(path)
    return MAGIC.test(real) ? undefined : real
  } catch (error) {
    return isMissing(error) ? followParts(path) : undefined
  }
}

/** Part by part, for paths that do not exist as a whole: a dangling link leads to what it names. */
async function followParts(path: string): Promise<string | undefined> {
  const left = path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .toReversed()
  let at = '/'
  let links = 0
  while (left.length > 0) {
    const part = left.pop() ?? ''
    if (part === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, part)
    const target = await linkTarget(next)
    if (target === undefined) return undefined
    if (target === null) {
      at = next
      continue
    }
    if (++links > MOST_LINKS) return undefined
    if (isAbsolute(target)) at = '/'
    // Not normalised: `..` in a target counts from where the links before it lead.
    left.push(
      ...target
        .split('/')
        .filter((name) => name !== '' && name !== '.')
        .toReversed(),
    )
  }
  return MAGIC.test(at) ? undefined : at
}

/** Null: no link, or nothing there. Undefined: cannot be told. */
async function linkTarget(path: string): Promise<string | null | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null
  } catch (error) {
    return isMissing(error) ? null : undefined
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** What the file system of a folder takes for one name, tried on the folder itself or on something in it. */
async function nameRules(root: string): Promise<NameRules> {
  const names = [root, ...(await entries(root)).map((name) => join(root, name))]
  return {
    ignoresCase: await sameUnder(names, (name) => (name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase())),
    ignoresUnicodeForm: await sameUnder(names, (name) => (name === name.normalize('NFC') ? name.normalize('NFD') : name.normalize('NFC')), {
      unknown: process.platform === 'darwin',
    }),
  }
}

async function sameUnder(paths: readonly string[], change: (name: string) => string, { unknown = false } = {}): Promise<boolean> {
  for (const path of paths) {
    const changed = join(dirname(path), change(basename(path)))
    if (changed === path) continue
    try {
      const [one, other] = await Promise.all([stat(path), stat(changed)])
      return one.ino === other.ino && one.dev === other.dev
    } catch (error) {
      if (isMissing(error)) return false
    }
  }
  return unknown
}

async function entries(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).slice(0, 100)
  } catch {
    return []
  }
}
