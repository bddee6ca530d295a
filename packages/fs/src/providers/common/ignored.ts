/**
 * Ignore rules for listings: those of the root, of every directory on the way, and of the listed directories, read through the walk.
 */
import { outerRulesOf } from '../../search/outer-rules.ts'
import { ignoreRules as rulesFrom, IGNORE_FILES, type DirectoryRules, type IgnoreRules as Rules } from '../../search/ignore-rules.ts'
import { isWithin } from '../../paths/rules.ts'
import { readWhole, type Core } from './core.ts'
import type { Spot } from './storage.ts'

const MOST_RULE_BYTES = 1024 * 1024

export interface IgnoreRules {
  ignores(absolute: string, directory: boolean): boolean
  /** The rules inside a directory below. */
  enter(absolute: string): Promise<IgnoreRules>
}

/** Rules in force inside a directory, from its root downwards. */
export async function ignoreRulesAt(core: Core, absolute: string): Promise<IgnoreRules> {
  const root = core.storage.roots.filter((each) => isWithin(absolute, each)).sort((a, b) => b.length - a.length)[0] ?? absolute
  const way = relativeTo(root, absolute)
    .split('/')
    .filter((name) => name !== '')
  const outer = await Promise.all(way.map((_, index) => directoryRules(core, [root, ...way.slice(0, index)].join('/'))))
  const { rules } = outerRulesOf(way, outer)
  const own = await directoryRules(core, absolute)
  return view(core, { root, rules: way.length === 0 ? rulesFrom(own) : rules.below(way.join('/'), own) })
}

function view(core: Core, { root, rules }: { root: string; rules: Rules }): IgnoreRules {
  return {
    ignores: (absolute, directory) => rules.ignores(relativeTo(root, absolute), directory),
    enter: async (absolute) => view(core, { root, rules: rules.below(relativeTo(root, absolute), await directoryRules(core, absolute)) }),
  }
}

async function directoryRules(core: Core, absolute: string): Promise<DirectoryRules> {
  const texts: DirectoryRules = {}
  for (const file of IGNORE_FILES) {
    const text = await readSmall(core, `${absolute}/${file}`)
    if (text !== undefined) texts[file] = text
  }
  return texts
}

async function readSmall(core: Core, absolute: string): Promise<string | undefined> {
  return visit(core, absolute, async (spot) =>
    spot.facts?.kind === 'file' ? (await readWhole(core, spot, MOST_RULE_BYTES)).bytes.toString('utf8') : undefined,
  )
}

/** A rule that cannot be read is no rule. */
async function visit<T>(core: Core, absolute: string, use: (spot: Spot) => Promise<T>): Promise<T | undefined> {
  try {
    const spot = await core.storage.walk(absolute, 'keep')
    try {
      return await use(spot)
    } finally {
      spot.close()
    }
  } catch {
    return undefined
  }
}

function relativeTo(root: string, absolute: string): string {
  return absolute === root ? '' : absolute.slice(root === '/' ? 1 : root.length + 1)
}
