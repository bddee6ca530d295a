/**
 * How far the parser's view of a command text can be relied upon. Its reasons are read by code: a known code that only says "this does
 * not merely read" leaves the words certain; any other, and any that is new, does not. Fail closed.
 */
import type { CommandEffects } from '@toolseam/core-tools'
import { baseName } from './command-pattern.ts'

export type Certainty = 'certain' | 'unknown' | 'unparsable'

/** The words are what they seem; the program, its options or its operands are merely not known to be read-only. */
const ABOUT_ONE_PROGRAM = new Set([
  'dynamic-name',
  'find',
  'git',
  'odd-name',
  'operand',
  'option',
  'printf',
  'program',
  'protected-path',
  'sed-script',
  'shell',
  'test',
  'unlisted',
])

/** Nothing or not all of the text was read. */
const UNREAD = new Set(['syntax', 'empty', 'size', 'parser', 'time', 'depth'])

/** So many reasons that some may have been left out. */
const MANY_REASONS = 50

/** Programs of the shell that change what later words mean. */
const CHANGES_MEANING = new Set(
  'alias unalias enable hash export declare typeset local readonly set shopt read mapfile readarray unset let getopts eval source . trap bind complete'.split(
    ' ',
  ),
)

/** Variables that change which program a name means, what is loaded into it, or how it behaves beyond its words. */
const STEERING =
  /^(?:\w*PATH|\w*OPTIONS|\w*OPTS|\w*FLAGS|\w*PAGER|\w*EDITOR|\w*_COMMAND|\w*_PRELOAD|\w*_HOOK|IFS|ENV|BASH\w*|SHELL\w*|HOME|LD_\w*|DYLD_\w*|PYTHON\w*|PERL\w*|RUBY\w*|GIT_\w*|LESS\w*|PS\d|npm_config_\w*|OPENSSL_\w*)$/i

export function isSteering(variable: string): boolean {
  return STEERING.test(variable)
}

/** `redirects`: how many written redirects are known from commands and paths. */
export function textCertainty(effects: CommandEffects, redirects: number): Certainty {
  const { reasons } = effects
  if (reasons.some(({ code }) => UNREAD.has(code))) return 'unparsable'
  if (reasons.length >= MANY_REASONS) return 'unknown'
  const redirected = reasons.filter(({ code }) => code === 'redirect').length
  return redirected <= redirects && reasons.every(isHarmless) ? 'certain' : 'unknown'
}

function isHarmless({ code, text }: CommandEffects['reasons'][number]): boolean {
  switch (code) {
    // Counted; and wrappers that are not understood are dealt with where they stand.
    case 'redirect':
    case 'wrapper':
    // Judged part by part: what changes the meaning of words makes the others unknown.
    case 'changes-shell':
      return true
    // Of an `env`: its words tell. Of the request itself: no text.
    case 'variable':
      return text !== ''
    case 'assignment':
      return isHarmlessAssignment(text)
    default:
      return ABOUT_ONE_PROGRAM.has(code)
  }
}

/** One plain assignment, whole, of a variable that steers nothing. */
function isHarmlessAssignment(text: string): boolean {
  const name = /^([A-Za-z_]\w*)=(?:[\w./:@%,+-]*|'[^']*'|"[^"$`\\]*")$/.exec(text)?.[1]
  return name !== undefined && !isSteering(name)
}

export function changesMeaning(argv: readonly (string | null)[]): boolean {
  return typeof argv[0] === 'string' && CHANGES_MEANING.has(baseName(argv[0]))
}

/** Whether some wrapper in the text was not understood. */
export function hasOddWrapper(effects: CommandEffects): boolean {
  return effects.reasons.some(({ code }) => code === 'wrapper')
}
