/**
 * Ignore files of a tree, read as the ripgrep engine reads them: `.rgignore` before `.ignore` before `.gitignore` before
 * `.git/info/exclude`, each from the nearest directory outwards, whether or not there is a repository. Pure: who walks the tree hands the
 * texts in.
 */
import { ignoreMatcher, type IgnoreMatcher } from './ignore-matcher.ts'

/** In order of precedence. */
export const IGNORE_FILES = ['.rgignore', '.ignore', '.gitignore', '.git/info/exclude'] as const

export type IgnoreFile = (typeof IGNORE_FILES)[number]

/** Never searched, unless the path names a place inside. */
export const NEVER_SEARCHED: ReadonlySet<string> = new Set(['.git', '.toolseam'])

/** Texts of the ignore files found in one directory. */
export type DirectoryRules = Partial<Record<IgnoreFile, string>>

export interface IgnoreRules {
  /** `path` is relative to the top, its parent not ignored. */
  ignores(path: string, directory: boolean): boolean
  /** The rules that hold inside a directory of this place. */
  below(directory: string, rules: DirectoryRules): IgnoreRules
}

interface Level {
  directory: string
  matchers: Partial<Record<IgnoreFile, IgnoreMatcher>>
  outer: Level | undefined
}

/** `top` is what paths are relative to: its own rules are handed in with an empty directory. */
export function ignoreRules(top: DirectoryRules): IgnoreRules {
  return rulesAt(levelOf('', top, undefined))
}

function levelOf(directory: string, texts: DirectoryRules, outer: Level | undefined): Level | undefined {
  const matchers: Level['matchers'] = {}
  for (const file of IGNORE_FILES) {
    const matcher = ignoreMatcher(texts[file] ?? '')
    if (matcher !== undefined) matchers[file] = matcher
  }
  return Object.keys(matchers).length === 0 ? outer : { directory, matchers, outer }
}

function rulesAt(level: Level | undefined): IgnoreRules {
  return {
    ignores: (path, directory) => level !== undefined && ignoredAt(level, path, directory),
    below: (directory, rules) => rulesAt(levelOf(directory, rules, level)),
  }
}

function ignoredAt(level: Level, path: string, directory: boolean): boolean {
  for (const file of IGNORE_FILES) {
    for (let at: Level | undefined = level; at !== undefined; at = at.outer) {
      const verdict = at.matchers[file]?.verdict(pathFrom(at.directory, path), directory)
      if (verdict !== undefined) return verdict === 'ignored'
    }
  }
  return false
}

function pathFrom(directory: string, path: string): string {
  return directory === '' ? path : path.slice(directory.length + 1)
}
