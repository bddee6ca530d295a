/**
 * Which variables of the host reach a command (S-18): names are judged by whole word parts, values by well-known shapes of secrets, and names
 * that change how programs load code never pass.
 */

const SECRET_WORDS = new Set([
  'KEY', 'APIKEY', 'TOKEN', 'SECRET', 'PASSWORD', 'PASSWD', 'PASSPHRASE', 'CREDENTIAL', 'CREDENTIALS', 'AUTH', 'COOKIE', 'PRIVATE',
]) // prettier-ignore

/** Names, or beginnings of names, that steer loaders and interpreters. */
const ALWAYS_EXACT = new Set([
  'NODE_OPTIONS', 'NODE_PATH', 'BASH_ENV', 'ENV', 'PROMPT_COMMAND', 'PYTHONSTARTUP', 'PERL5OPT', 'RUBYOPT', 'GIT_DIR', 'GIT_EXTERNAL_DIFF',
]) // prettier-ignore
const ALWAYS_PREFIXES = ['LD_', 'DYLD_', 'BASH_FUNC_', 'GIT_CONFIG'] as const

const SECRET_VALUES: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]*:[^\s/?#@]+@/i, // a URL with a password
  /-----BEGIN [A-Z0-9 ]{0,40}(?:KEY|CERTIFICATE|MESSAGE)[A-Z0-9 ]{0,20}-----/, // PEM
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/, // JSON Web Token, RFC 7519
  /(?:^|[^A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,})/,
  /(?:^|[^A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|AKIA[A-Z0-9]{16}|ASIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})/,
]

/** The parts of a variable's name: `MY_SERVICE_PASSWORD`, `myApiKey` and `HTTPAuth` alike. */
function wordParts(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .map((part) => part.replace(/[0-9]+$/, ''))
}

/** Whether this name steers a loader or interpreter: it is dropped from the host's environment, and suspicious in a request (S-19). */
export function isLoaderName(name: string): boolean {
  return ALWAYS_EXACT.has(name) || ALWAYS_PREFIXES.some((prefix) => name.startsWith(prefix))
}

function isSecretName(name: string): boolean {
  return wordParts(name).some((part) => SECRET_WORDS.has(part))
}

function isSecretValue(value: string): boolean {
  // Long values are looked at in part: a key ring may be megabytes.
  const looked = value.length > 16_384 ? value.slice(0, 16_384) : value
  return looked.length >= 8 && SECRET_VALUES.some((shape) => shape.test(looked))
}

/** Whether a variable looks like a secret, by its name or its value. */
export function isSecretVariable(name: string, value: string): boolean {
  return isSecretName(name) || isSecretValue(value)
}

export interface ScrubOptions {
  /** Names to let through. */
  grant?: readonly string[]
  /** Further names to drop. */
  drop?: readonly string[]
}

export interface ScrubbedEnvironment {
  env: Record<string, string>
  /** Names, never values, in code-point order. */
  removed: string[]
}

/** Drops secrets and loader variables from an environment. Pure; sets nothing. A granted name passes, unless `drop` names it too. */
export function scrubEnvironment(env: Readonly<Record<string, string | undefined>>, options: ScrubOptions = {}): ScrubbedEnvironment {
  const grant = new Set(options.grant)
  const drop = new Set(options.drop)
  const kept: Record<string, string> = {}
  const removed: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    if (passes({ name, value, grant, drop })) kept[name] = value
    else removed.push(name)
  }
  return { env: kept, removed: removed.sort() }
}

function passes({ name, value, grant, drop }: { name: string; value: string; grant: Set<string>; drop: Set<string> }): boolean {
  if (drop.has(name)) return false
  if (grant.has(name)) return true
  return !isLoaderName(name) && !isSecretVariable(name, value)
}

/** What a command without a terminal and a user needs (S-18). */
export const QUIET_ENVIRONMENT: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  DEBIAN_FRONTEND: 'noninteractive',
}

/** The marker of a command's tree (S-16). No request may set it. */
export const MARKER_NAME = 'TOOLSEAM_CALL'
