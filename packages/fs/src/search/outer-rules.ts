/**
 * Rules that reach a searched directory from above. A directory that is itself ignored was named by the caller on purpose: then what lies
 * above does not count (F-52).
 */
import { IGNORE_FILES, ignoreRules, type DirectoryRules, type IgnoreRules } from './ignore-rules.ts'
import { rebaseRules } from './rebase-rules.ts'

const NO_RULES: DirectoryRules = {}

export interface OuterRules {
  /** Rules in force just above the place; paths are relative to the root. */
  rules: IgnoreRules
  /** The place, or all that it could hold, is ignored. */
  named: boolean
}

/** `outer`: rules of the root and of each directory on the `way` to the place. */
export function outerRulesOf(way: readonly string[], outer: readonly DirectoryRules[]): OuterRules {
  let rules = ignoreRules(outer[0] ?? NO_RULES)
  if (way.length === 0) return { rules: ignoreRules(NO_RULES), named: false }
  for (const [at] of way.entries()) {
    const path = way.slice(0, at + 1).join('/')
    if (at > 0) rules = rules.below(way.slice(0, at).join('/'), outer[at] ?? NO_RULES)
    // No file has this name: it stands for whatever the directory may hold, for rules such as `dist/*`.
    if (rules.ignores(path, true) || rules.ignores(`${path}/\u0001`, false)) return { rules: ignoreRules(NO_RULES), named: true }
  }
  return { rules, named: false }
}

/** The same as lines of one ignore file inside the place. */
export function outerRuleLines(way: readonly string[], outer: readonly DirectoryRules[]): string[] {
  if (outerRulesOf(way, outer).named) return []
  // The last rule that matches counts, so the files of least weight come first.
  return IGNORE_FILES.toReversed().flatMap((file) => outer.flatMap((texts, at) => rebaseRules(texts[file] ?? '', way.slice(at))))
}
