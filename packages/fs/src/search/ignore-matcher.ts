/**
 * The rules of one ignore file. The last rule that matches a path counts; whether a parent is ignored is not asked, since nobody walks into
 * an ignored directory, and an ignore file of more weight may have let it in.
 */
import { literalName, parsePattern, patternRegExp } from './glob-pattern.ts'

export type Verdict = 'ignored' | 'kept' | undefined

export interface IgnoreMatcher {
  /** `path` is relative to the directory of the ignore file. */
  verdict(path: string, directory: boolean): Verdict
}

interface Rule {
  at: number
  verdict: 'ignored' | 'kept'
  directoryOnly: boolean
  /** Tested on the last name when there is no slash in the rule, else on the whole path. */
  whole: boolean
  matcher: RegExp
}

/** Undefined when the text has no rule. */
export function ignoreMatcher(text: string): IgnoreMatcher | undefined {
  const plain = new Map<string, Rule[]>()
  const others: Rule[] = []
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const parsed = parseRule(line, at)
    if (parsed === undefined) continue
    if (parsed.name === undefined) others.unshift(parsed.rule)
    else plain.set(parsed.name, [parsed.rule, ...(plain.get(parsed.name) ?? [])])
  }
  if (plain.size === 0 && others.length === 0) return undefined
  return {
    verdict(path, directory) {
      const name = path.slice(path.lastIndexOf('/') + 1)
      const known = plain.get(name)?.find((rule) => directory || !rule.directoryOnly)
      for (const rule of others) {
        if (known !== undefined && rule.at < known.at) break
        if ((directory || !rule.directoryOnly) && rule.matcher.test(rule.whole ? path : name)) return rule.verdict
      }
      return known?.verdict
    },
  }
}

/** `name`: the rule is about one plain name at any depth. */
function parseRule(line: string, at: number): { rule: Rule; name: string | undefined } | undefined {
  const trimmed = line.replace(/(?<!\\)[ \t]+$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const kept = trimmed.startsWith('!')
  const body = kept ? trimmed.slice(1) : trimmed
  const directoryOnly = body.endsWith('/')
  const bare = directoryOnly ? body.slice(0, -1) : body
  if (bare === '') return undefined
  try {
    const pattern = parsePattern(bare)
    const [first] = pattern.segments
    const whole = pattern.anchored || first?.kind === 'globstar'
    const rule: Rule = {
      at,
      verdict: kept ? 'kept' : 'ignored',
      directoryOnly,
      whole,
      matcher: patternRegExp(whole ? pattern : { ...pattern, anchored: true }),
    }
    return { rule, name: whole || first === undefined ? undefined : literalName(first) }
  } catch {
    // A rule that cannot be read is no rule.
    return undefined
  }
}
