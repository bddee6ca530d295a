/**
 * Denies that no policy can take away: the model never answers an ask or changes the rules by a command, and the state folder is
 * nobody's to write.
 */
import type { PathFact } from './path-facts.ts'
import { baseName } from './command-pattern.ts'
import { isInside } from './path-pattern.ts'
import type { CommandPart } from './shell-parts.ts'

export interface BuiltinRule {
  label: string
  reason: string
}

export const SELF_APPROVAL: BuiltinRule = {
  label: 'builtin:self-approval',
  reason: 'a tool call may not run "toolseam approvals" or "toolseam policy"',
}

export const STATE_FOLDER: BuiltinRule = {
  label: 'builtin:state-folder',
  reason: 'the .toolseam folder is kept by the runtime alone',
}

/** Programs that only print or look at their words. */
const INERT = new Set([
  'echo',
  'printf',
  'grep',
  'egrep',
  'fgrep',
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'man',
  'which',
  'type',
  'test',
  '[',
  'true',
  'false',
  ':',
])

/** Programs that take the text of another command as one word. */
const TAKES_TEXT = new Set([
  'eval',
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'fish',
  'ash',
  'busybox',
  'ssh',
  'su',
  'sudo',
  'doas',
  'env',
  'script',
  'watch',
  'xargs',
  'parallel',
  'tmux',
  'screen',
  'trap',
  'at',
  'batch',
])

const VERBS = new Set(['approvals', 'policy'])

/** Whether a simple command runs `toolseam approvals` or `toolseam policy`, itself or through what it starts. */
export function runsSelfApproval({ argv }: CommandPart): boolean {
  const program = argv[0]
  if (program === undefined) return false
  if (program === null) return VERBS.has(argv[1] ?? '')
  const name = baseName(program)
  if (INERT.has(name)) return false
  if (name === 'git' && argv.some((word) => word !== null && /^[\w.-]+=.*toolseam\S*\s[^]*\b(approvals|policy)\b/.test(word))) return true
  if (TAKES_TEXT.has(name) && argv.some((word) => word !== null && /toolseam\S*\s[^]*\b(approvals|policy)\b/.test(word))) return true
  const at = argv.findIndex((word) => word !== null && isOwnProgram(word))
  if (at < 0) return false
  return argv.slice(at + 1).some((word) => (word === null ? true : VERBS.has(word)))
}

/** `toolseam`, `./node_modules/.bin/toolseam`, `toolseam@1.2.3`, `toolseam/dist/cli.js`. */
function isOwnProgram(word: string): boolean {
  return /(^|\/)toolseam(@[^/]*)?(\.(c|m)?js|\.cmd|\.ps1)?$/.test(word) || /(^|\/)toolseam\/(\S*\/)?[^/]+\.(c|m)?[jt]s$/.test(word)
}

/** Folded forms of the state folder: as given and as resolved. */
export interface StateFolders {
  state: readonly string[]
  output: readonly string[]
}

/** Whether a path is in the state folder and not a readable part of it, or, taken away as a `whole`, holds it. Commands are held to writing only: what they read is judged by presets. */
export function touchesState(path: PathFact, { state, output }: StateFolders, whole: boolean): boolean {
  if (path.of !== 'call' && path.access === 'read') return false
  return path.places.some(({ given, resolved }) => [given, resolved].some((form) => form !== undefined && isState(form)))

  function isState(form: string): boolean {
    if (whole && state.some((folder) => isInside(folder, form))) return true
    if (!state.some((folder) => isInside(form, folder))) return false
    return path.access === 'write' || !output.some((folder) => isInside(form, folder))
  }
}

/** Paths that decide what runs later: flagged by the tool, or known here, so that redirects of a command count too. */
export function isProtected(path: PathFact, policyFiles: readonly string[], whole: boolean): boolean {
  if (path.protected) return true
  return path.places.some(({ given, resolved }) =>
    [given, resolved].some(
      (form) => form !== undefined && (isKnownProtected(form, policyFiles) || (whole && holdsProtected(form, policyFiles))),
    ),
  )
}

function holdsProtected(form: string, policyFiles: readonly string[]): boolean {
  return /\/\.git$/i.test(form) || policyFiles.some((file) => isInside(file, form))
}

function isKnownProtected(form: string, policyFiles: readonly string[]): boolean {
  return policyFiles.includes(form) || /\/\.git\/(config$|hooks(\/|$))/i.test(form)
}
