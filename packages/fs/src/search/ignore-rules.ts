/**
 * Ignore files of a tree, read as the ripgrep engine reads them: `.rgignore` before `.ignore` before `.gitignore` before
 * `.git/info/exclude`, each from the nearest directory outwards; the last two end at a repository's own root. `.git` and `.toolseam`
 * are never entered. Pure: who walks the tree hands the texts in.
 */
import ignore, { type Ignore } from 'ignore'

/** In order of precedence. */
export const IGNORE_FILES = ['.rgignore', '.ignore', '.gitignore', '.git/info/exclude'] as const

export type IgnoreFile = (typeof IGNORE_FILES)[number]

const GIT_FILES: ReadonlySet<IgnoreFile> = new Set<IgnoreFile>(['.gitignore', '.git/info/exclude'])

/** Never searched, unless the path names a place inside. */
export const NEVER_SEARCHED: ReadonlySet<string> = new Set(['.git', '.toolseam'])

export interface DirectoryRules {
  /** Texts of the ignore files found in this directory. */
  texts: Partial<Record<IgnoreFile, string>>
  /** The directory holds `.git`, as a directory or a file. */
  repository: boolean
}

export interface IgnoreRules {
  /** `path` is relative to the top, its parent not ignored. */
  ignores(path: string, directory: boolean): boolean
  /** The rules that hold inside a directory of this place. */
  below(directory: string, rules: DirectoryRules): IgnoreRules
}

interface Level {
  directory: string
  matchers: Partial<Record<IgnoreFile, Ignore>>
  repository: boolean
  outer: Level | undefined
}

/** `top` is what paths are relative to: its own rules are handed in with an empty directory. */
export function ignoreRules(top: DirectoryRules): IgnoreRules {
  return rulesAt(levelOf('', top, undefined))
}

function levelOf(directory: string, { texts, repository }: DirectoryRules, outer: Level | undefined): Level | undefined {
  const matchers: Level['matchers'] = {}
  for (const file of IGNORE_FILES) {
    const text = texts[file]
    if (text !== undefined && text.trim() !== '') matchers[file] = ignore({ ignorecase: false }).add(withoutBom(text))
  }
  if (!repository && Object.keys(matchers).length === 0) return outer
  return { directory, matchers, repository, outer }
}

function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
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
      const verdict = at.matchers[file]?.test(pathFrom(at.directory, path) + (directory ? '/' : ''))
      if (verdict?.ignored === true) return true
      if (verdict?.unignored === true) return false
      if (at.repository && GIT_FILES.has(file)) break
    }
  }
  return false
}

function pathFrom(directory: string, path: string): string {
  return directory === '' ? path : path.slice(directory.length + 1)
}
