/**
 * git, by subcommand and option (S-64). What is not listed is unknown: `-c`, `--exec-path`, `--output`, `--ext-diff`, `--textconv`, `-O` and
 * abbreviations of any option are on no list. Source: git's manual pages.
 */
import { readOptions, type OptionTable, type ReadOptions } from './options.ts'
import type { Arg } from './words.ts'

interface Subcommand {
  table: OptionTable
  /** The next word must be one of these. */
  verbs?: readonly string[]
  /** Of the options and operands together. */
  allows?(read: ReadOptions): boolean
}

const DIFF: OptionTable = {
  flags: 'puRawbzW',
  values: 'SG',
  attached: 'UMC',
  numeric: true,
  long: [
    'patch', 'no-patch', 'numstat', 'shortstat', 'summary', 'name-only', 'name-status', 'no-color', 'raw', 'minimal', 'patience', 'histogram',
    'ignore-all-space', 'ignore-space-change', 'ignore-space-at-eol', 'ignore-blank-lines', 'check', 'full-index', 'text', 'exit-code', 'quiet',
    'no-ext-diff', 'no-textconv', 'cached', 'staged', 'no-renames', 'function-context', 'no-prefix', 'merge-base', 'compact-summary', 'cc',
    'patch-with-stat', 'pickaxe-regex', 'pickaxe-all', 'binary',
  ],
  longValues: ['diff-filter', 'diff-algorithm', 'inter-hunk-context'],
  longOptional: ['stat', 'dirstat', 'color', 'word-diff', 'abbrev', 'relative', 'find-renames', 'find-copies', 'submodule', 'unified', 'ignore-submodules'],
} // prettier-ignore

const LOG: OptionTable = {
  ...DIFF,
  flags: `${DIFF.flags}iEFPmgqs`,
  values: `${DIFF.values}nL`,
  long: [
    ...(DIFF.long ?? []), 'oneline', 'graph', 'all', 'merges', 'no-merges', 'first-parent', 'follow', 'reverse', 'topo-order', 'date-order',
    'author-date-order', 'abbrev-commit', 'no-abbrev-commit', 'parents', 'children', 'left-right', 'cherry-pick', 'cherry-mark', 'source',
    'full-history', 'simplify-merges', 'simplify-by-decoration', 'all-match', 'invert-grep', 'extended-regexp', 'fixed-strings', 'perl-regexp',
    'regexp-ignore-case', 'walk-reflogs', 'no-decorate', 'no-walk', 'boundary', 'no-notes', 'relative-date',
  ],
  longValues: [...(DIFF.longValues ?? []), 'max-count', 'skip', 'since', 'after', 'until', 'before', 'author', 'committer', 'grep', 'date', 'format', 'exclude'],
  longOptional: [...(DIFF.longOptional ?? []), 'decorate', 'branches', 'tags', 'remotes', 'pretty', 'notes'],
} // prettier-ignore

const LISTING: OptionTable = {
  long: ['no-color', 'no-column', 'ignore-case'],
  longValues: ['sort', 'format'],
  longOptional: ['color', 'column'],
}

const has = (read: ReadOptions, ...names: string[]): boolean => read.options.some(({ name }) => names.includes(name))
const noOperands = (read: ReadOptions): boolean => read.operands.length === 0
const single = (args: readonly Arg[]): boolean => args.every((arg) => !arg.multi)

const SUBCOMMANDS: ReadonlyMap<string, Subcommand> = new Map<string, Subcommand>(
  Object.entries({
    status: {
      table: {
        flags: 'sbvz',
        attached: 'u',
        long: ['short', 'branch', 'long', 'verbose', 'show-stash', 'ahead-behind', 'no-ahead-behind', 'renames', 'no-renames', 'no-column'],
        longOptional: ['porcelain', 'untracked-files', 'ignored', 'ignore-submodules', 'column', 'find-renames'],
      },
    },
    diff: { table: DIFF },
    log: { table: LOG },
    show: { table: LOG },
    blame: {
      table: {
        flags: 'bltsewpnfc',
        values: 'L',
        attached: 'MC',
        long: ['root', 'show-stats', 'porcelain', 'line-porcelain', 'show-name', 'show-number', 'show-email', 'incremental', 'first-parent'],
        longValues: ['date', 'since', 'ignore-rev'],
        longOptional: ['abbrev'],
      },
    },
    'ls-files': {
      table: {
        flags: 'cdmoisutvzk',
        values: 'x',
        long: ['cached', 'deleted', 'modified', 'others', 'ignored', 'stage', 'unmerged', 'killed', 'exclude-standard', 'full-name', 'error-unmatch', 'directory', 'no-empty-directory', 'eol', 'deduplicate'],
        longValues: ['exclude'],
        longOptional: ['abbrev'],
      },
    },
    'rev-parse': {
      table: {
        flags: 'q',
        long: ['show-toplevel', 'git-dir', 'absolute-git-dir', 'git-common-dir', 'verify', 'quiet', 'is-inside-work-tree', 'is-inside-git-dir', 'is-bare-repository', 'is-shallow-repository', 'show-prefix', 'show-cdup', 'show-superproject-working-tree', 'symbolic', 'symbolic-full-name', 'all'],
        longOptional: ['abbrev-ref', 'short', 'branches', 'tags', 'remotes'],
      },
    },
    describe: { table: { long: ['tags', 'all', 'long', 'always', 'contains', 'exact-match', 'first-parent'], longValues: ['match', 'exclude', 'candidates'], longOptional: ['abbrev', 'dirty', 'broken'] } },
    shortlog: { table: { flags: 'snec', long: ['summary', 'numbered', 'email', 'committer', 'all', 'no-merges', 'merges'], longValues: ['since', 'until', 'after', 'before', 'author', 'format', 'group'] } },
    'cat-file': { table: { flags: 'tsep' }, allows: (read) => single(read.operands) },
    branch: {
      table: {
        ...LISTING,
        flags: 'arvi',
        long: [...(LISTING.long ?? []), 'all', 'remotes', 'verbose', 'list', 'show-current'],
        longValues: [...(LISTING.longValues ?? []), 'contains', 'no-contains', 'points-at', 'merged', 'no-merged'],
        longOptional: [...(LISTING.longOptional ?? []), 'abbrev'],
      },
      // A name without `--list` is a branch to be made; `-l` made a reflog before git 2.20.
      allows: (read) => noOperands(read) || has(read, 'list'),
    },
    tag: {
      table: {
        ...LISTING,
        flags: 'li',
        attached: 'n',
        long: [...(LISTING.long ?? []), 'list'],
        longValues: [...(LISTING.longValues ?? []), 'contains', 'no-contains', 'points-at', 'merged', 'no-merged'],
      },
      allows: (read) => noOperands(read) || has(read, 'l', 'list'),
    },
    remote: { table: { flags: 'v', long: ['verbose', 'all', 'push'] }, allows: remoteLists },
    // Options in front of the verb mean `push`.
    stash: { table: DIFF, verbs: ['list', 'show'] },
    config: {
      table: {
        flags: 'lz',
        long: ['list', 'show-origin', 'show-scope', 'global', 'local', 'system', 'worktree', 'name-only', 'null', 'get', 'get-all', 'get-regexp', 'bool', 'int', 'path', 'includes', 'no-includes'],
        longValues: ['type', 'default'],
      },
      allows: (read) => has(read, 'l', 'list', 'get', 'get-all', 'get-regexp'),
    },
  } satisfies Record<string, Subcommand>),
) // prettier-ignore

function remoteLists(read: ReadOptions): boolean {
  const [first, ...rest] = read.operands
  if (first === undefined) return true
  return first.value === 'get-url' && rest.length === 1 && single(rest)
}

/** Whether these words after `git` only read. */
export function gitReadsOnly(args: readonly Arg[]): boolean {
  const words = args[0]?.value === '--no-pager' ? args.slice(1) : args
  const name = words[0]?.value
  const subcommand = name === null || name === undefined ? undefined : SUBCOMMANDS.get(name)
  if (subcommand === undefined) return false
  const verb = words[1]?.value ?? ''
  if (subcommand.verbs !== undefined && !subcommand.verbs.includes(verb)) return false
  const read = readOptions(words.slice(1), subcommand.table)
  if (read === undefined || !single(read.operands)) return false
  return subcommand.allows === undefined || subcommand.allows(read)
}
