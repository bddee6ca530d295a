/**
 * The simple commands of a call, from what the shell package's parser saw. Wrapped commands are linked to what wraps them: a deny
 * meets both forms, an allow must cover what really runs.
 */
import type { CommandEffects, SimpleCommand } from '@toolseam/core-tools'
import { changesMeaning, hasOddWrapper, isSteering, textCertainty } from './certainty.ts'
import { baseName } from './command-pattern.ts'

export interface CommandPart {
  argv: readonly (string | null)[]
  /** Names of the wrappers around it, outermost first. */
  wrappedBy: readonly string[]
  /** Allow rules do not apply: a dynamic word, a redefined name, a changed loader or path variable. */
  unknown: boolean
  /** Nothing could be parsed, or not all of the text. */
  unparsable: boolean
  redirects: SimpleCommand['redirects']
  /** The part that wraps this one as written, and where in its words this one's program stands. */
  outer?: { part: CommandPart; at: number }
  /** This part runs another one that is judged too; `transparent` wrappers need no allow of their own. */
  wraps?: 'transparent' | 'opaque'
  /** How many first words may belong to an option of the wrapper instead. */
  doubtfulWords: number
}

const RUNS_TEXT = new Set(['eval', 'source', '.', 'trap', 'sh', 'bash', 'dash', 'ash', 'ksh', 'zsh'])

type Argv = readonly (string | null)[]

/** Wrappers that run what they are given, as the same user, in the same place. */
const TRANSPARENT = new Set(['env', 'time', 'nice', 'nohup', 'timeout', 'stdbuf', 'command', 'builtin'])

/** Wrappers that add words of their own to what they run. */
const APPENDING = new Set(['xargs', 'find'])

export function commandParts(effects: CommandEffects | undefined): CommandPart[] {
  const commands = effects?.commands ?? []
  if (commands.length === 0) return [{ argv: [], wrappedBy: [], unknown: true, unparsable: true, redirects: [], doubtfulWords: 0 }]
  const parts = commands.map(partOf)
  for (const part of parts) if (part.wrappedBy.length > 0) link(part, parts)
  return parts
}

/** Says of each part how far it can be relied upon. `looseTargets`: files that the text writes beside those of single commands. */
export function settleCertainty(parts: readonly CommandPart[], effects: CommandEffects | undefined, looseTargets: number): void {
  if (effects === undefined) return
  const written = parts.flatMap(({ redirects }) => redirects.filter(({ write }) => write)).length
  const certainty = textCertainty(effects, written + looseTargets)
  const changers = parts.filter(({ argv }) => changesMeaning(argv))
  const oddWrapper = hasOddWrapper(effects)
  for (const part of parts) {
    part.unparsable ||= certainty === 'unparsable'
    part.unknown ||=
      hidesWords(part) || certainty !== 'certain' || changers.some((changer) => changer !== part) || (oddWrapper && involvesWrapper(part))
  }
}

function partOf(command: SimpleCommand): CommandPart {
  const wrappedBy = command.wrappedBy ?? []
  const appended = wrappedBy.some((name) => APPENDING.has(baseName(name)))
  return {
    argv: appended && command.argv[command.argv.length - 1] !== null ? [...command.argv, null] : command.argv,
    wrappedBy,
    unknown: command.dynamic || command.argv[0] === null || command.argv.length === 0 || steersByEnv(command.argv),
    unparsable: false,
    redirects: command.redirects,
    doubtfulWords: 0,
  }
}

/** `env` with a steering variable, or with options that make it parse text or change folder. */
function steersByEnv(argv: Argv): boolean {
  if (typeof argv[0] !== 'string' || baseName(argv[0]) !== 'env') return false
  return argv
    .slice(1)
    .some((word) => word !== null && (isSteering(/^(\w+)=/.exec(word)?.[1] ?? '') || /^-(S|C|-split-string|-chdir)/.test(word)))
}

function link(part: CommandPart, parts: readonly CommandPart[]): void {
  const wrapper = baseName(part.wrappedBy[part.wrappedBy.length - 1] ?? '')
  const outers = parts.filter((outer) => {
    return outer !== part && outer.wrappedBy.length === part.wrappedBy.length - 1 && baseName(outer.argv[0] ?? '') === wrapper
  })
  const outer = outers.find(({ argv }) => indexWithin(argv, part.argv) > 0) ?? outers[0]
  if (outer === undefined) return
  const found = indexWithin(outer.argv, part.argv)
  // What a shell is given as text does not stand among its words.
  const at = found > 0 ? found : outer.argv.length
  const between = found > 0 ? outer.argv.slice(1, at) : []
  part.outer = { part: outer, at }
  part.unknown ||= steersByEnv(outer.argv) || between.includes(null)
  part.doubtfulWords = between.filter((word) => word?.startsWith('-')).length
  outer.wraps = TRANSPARENT.has(wrapper) && !outer.unknown && found > 0 ? 'transparent' : 'opaque'
}

/** Where the inner words stand in the outer ones, -1 where they do not. A last null may stand for words added later. */
function indexWithin(outer: Argv, inner: Argv): number {
  const words = inner[inner.length - 1] === null ? inner.slice(0, -1) : inner
  for (let start = 1; start + words.length <= outer.length; start++) {
    if (words.every((word, index) => outer[start + index] === word)) return start
  }
  return -1
}

/** Programs that run what their words say and that the parser does not open. */
const RUNS_WORDS = new Set(
  `eval trap sh bash dash ash zsh ksh fish csh tcsh busybox toybox su runuser watch script ssh parallel setsid ionice flock taskset chrt chroot
   unshare nsenter setpriv strace ltrace tmux screen at batch`.split(/\s+/),
)

/** A wrapper that was not opened: a deny meets whatever its words may run. */
function runsItsWords({ argv, wraps }: CommandPart): boolean {
  return wraps === undefined && RUNS_WORDS.has(baseName(argv[0] ?? ''))
}

/** Such a wrapper with a word that is a text of its own, which nobody has read: allow rules do not apply. */
function hidesWords(part: CommandPart): boolean {
  return runsItsWords(part) && part.argv.slice(1).some((word) => word !== null && /[\s;&|<>()`$]/.test(word))
}

/** Runs a text that was not seen: a deny of what is in it could not meet it. */
export function hidesText({ argv, wraps }: CommandPart): boolean {
  return wraps === undefined && RUNS_TEXT.has(baseName(argv[0] ?? ''))
}

/** A wrapper whose options decide what is run: not understood, what it runs is a guess. */
function involvesWrapper({ argv, wrappedBy }: CommandPart): boolean {
  return [argv[0] ?? '', ...wrappedBy].some((name) => TRANSPARENT.has(baseName(name)) || APPENDING.has(baseName(name)))
}

/** Whether what wraps this part is only seen by name: then it must be allowed as written. */
export function hasUnseenOpaqueWrapper(part: CommandPart): boolean {
  return part.outer === undefined && part.wrappedBy.some((name) => !TRANSPARENT.has(baseName(name)))
}

/** The part as written, as far as it was seen, wrappers first. */
export function writtenForms(part: CommandPart): Argv[] {
  if (part.outer !== undefined || part.wrappedBy.length === 0) return []
  return part.wrappedBy.map((_, index) => [...part.wrappedBy.slice(index), ...part.argv])
}

/** Every form in which a deny or ask must meet the part. */
export function strictForms(part: CommandPart): Argv[] {
  const { argv } = part
  const forms = [argv, ...writtenForms(part)]
  if (argv[argv.length - 1] === null) forms.push(argv.slice(0, -1))
  for (let skipped = 1; skipped <= part.doubtfulWords && skipped < argv.length; skipped++) forms.push(argv.slice(skipped))
  forms.push(...withoutLeadingOptions(argv))
  if (!runsItsWords(part)) return forms
  for (let skipped = 1; skipped < Math.min(argv.length, MOST_SKIPPED); skipped++) {
    const inner = argv.slice(skipped)
    forms.push(inner, ...withoutLeadingOptions(inner))
  }
  return forms
}

/** Whether a deny meets more than the words as they stand, as far as program and first word go. */
export function hasOtherForms(part: CommandPart): boolean {
  return isOption(part.argv[1]) || runsItsWords(part)
}

/** More words before the program than any wrapper takes. */
const MOST_SKIPPED = 32

/**
 * `git -C x push` does what `git push` does: the words without the options between the program and what it does. Whether an option takes the
 * next word as its value cannot be told, so both readings count.
 */
function withoutLeadingOptions(argv: Argv): Argv[] {
  const forms: Argv[] = []
  const [program = null] = argv
  for (let at = 1; at < MOST_SKIPPED && isOption(argv[at]); at++) {
    if (at + 1 < argv.length) forms.push([program, ...argv.slice(at + 1)])
    if (!mayTakeValue(argv[at]) || isOption(argv[at + 1])) continue
    if (at + 2 < argv.length) forms.push([program, ...argv.slice(at + 2)])
    if (isOption(argv[at + 2])) at++
  }
  return forms
}

function mayTakeValue(option: string | null | undefined): boolean {
  return typeof option !== 'string' || !/=|^--(no-|$)/.test(option)
}

function isOption(word: string | null | undefined): boolean {
  return word === null || (word !== undefined && word.startsWith('-') && word !== '-')
}

/** Files that the shell itself opens for writing; null where the name is not literal. Descriptors and the null device are none. */
export function writtenTargets(parts: readonly CommandPart[]): (string | null)[] {
  const targets = new Set<string | null>()
  for (const part of parts) {
    for (const { target, write } of part.redirects) if (write && !isHarmlessTarget(target)) targets.add(target)
  }
  return [...targets]
}

function isHarmlessTarget(target: string | null): boolean {
  return target !== null && /^(\/dev\/(null|stdout|stderr|tty|fd\/\d+)|&?\d+-?|-)$/.test(target)
}
