/**
 * Programs that run the rest of their words (S-63): what they run is judged in their place.
 */
import { readOptions, type OptionTable } from './options.ts'
import { inventedArg, isPlainOperand, type Arg } from './words.ts'

export interface Unwrapped {
  /** Empty: the wrapper alone. */
  inner: Arg[]
  /** Its own options and words are understood. */
  understood: boolean
  /** Names of variables that it sets. */
  assigns?: string[]
}

const SIMPLE: Readonly<Record<string, OptionTable & { own?: RegExp }>> = {
  time: { flags: 'pv', long: ['portability', 'verbose'] },
  nice: { values: 'n', long: [], longValues: ['adjustment'], numeric: true },
  nohup: {},
  stdbuf: { values: 'ioe', longValues: ['input', 'output', 'error'] },
  builtin: {},
  timeout: {
    flags: 'v',
    values: 'ks',
    long: ['foreground', 'preserve-status', 'verbose'],
    longValues: ['kill-after', 'signal'],
    own: /^\d+(?:\.\d+)?[smhd]?$/,
  },
}

/** Options of programs whose command is only shown to policy: enough to find its first word. */
const OPAQUE_OPTIONS: Readonly<Record<string, OptionTable>> = {
  exec: { flags: 'cl', values: 'a' },
  sudo: {
    flags: 'AbBEeHiKklNnPSsVv',
    values: 'CDghpRrTtUu',
    long: ['askpass', 'background', 'preserve-env', 'set-home', 'login', 'non-interactive', 'stdin', 'shell'],
    longValues: ['user', 'group', 'host', 'prompt', 'chdir', 'chroot', 'role', 'type', 'close-from', 'command-timeout'],
    longOptional: ['preserve-env'],
  },
  doas: { flags: 'Lns', values: 'aCu' },
  npx: { flags: 'yq', values: 'p', long: ['yes', 'no', 'quiet', 'no-install'], longValues: ['package'] },
}

/** The first words that lead to a command that is shown to policy, and never called read-only. */
const OPAQUE: ReadonlyMap<string, readonly string[]> = new Map([
  ['exec', []],
  ['sudo', []],
  ['doas', []],
  ['npx', []],
  ['bunx', []],
  ['pnpm', ['dlx', 'exec']],
  ['yarn', ['dlx', 'exec']],
  ['npm', ['exec', 'x']],
  ['bun', ['x']],
])

export function unwrap(name: string, args: readonly Arg[]): Unwrapped | undefined {
  if (name === 'env') return unwrapEnv(args)
  if (name === 'xargs') return unwrapXargs(args)
  if (name === 'command') return unwrapCommand(args)
  const table = Object.hasOwn(SIMPLE, name) ? SIMPLE[name] : undefined
  if (table !== undefined) return unwrapSimple(args, table)
  const verbs = OPAQUE.get(name)
  return verbs === undefined ? undefined : unwrapOpaque(name, args, verbs)
}

function unwrapSimple(args: readonly Arg[], table: OptionTable & { own?: RegExp }): Unwrapped {
  const read = readOptions(args, table, true)
  if (read === undefined) return { inner: fromFirstWord(args), understood: false }
  if (table.own === undefined) return { inner: read.operands, understood: true }
  return { inner: read.operands.slice(1), understood: table.own.test(read.operands[0]?.value ?? '') }
}

function unwrapCommand(args: readonly Arg[]): Unwrapped | undefined {
  const read = readOptions(args, { flags: 'pvV' }, true)
  if (read === undefined) return { inner: fromFirstWord(args), understood: false }
  // With -v it only tells where a command is.
  const asks = read.options.some(({ name }) => name !== 'p')
  return { inner: asks ? [] : read.operands, understood: true }
}

function unwrapEnv(args: readonly Arg[]): Unwrapped {
  const read = readOptions(args, { flags: 'i0v', values: 'u', long: ['ignore-environment', 'null', 'debug'], longValues: ['unset'] }, true)
  const words = read?.operands ?? fromFirstWord(args)
  const assigns: string[] = []
  let at = 0
  for (; at < words.length; at += 1) {
    const text = words[at]?.value ?? words[at]?.prefix ?? ''
    const equals = text.indexOf('=')
    if (equals === -1) break
    assigns.push(text.slice(0, equals))
  }
  return { inner: words.slice(at), understood: read !== undefined, assigns }
}

/** Its own input becomes further words: anything, any number. */
function unwrapXargs(args: readonly Arg[]): Unwrapped {
  const read = readOptions(
    args,
    {
      flags: '0rtx',
      values: 'nPLIdasE',
      attached: 'ile',
      long: ['null', 'no-run-if-empty', 'verbose', 'exit'],
      longValues: ['max-args', 'max-procs', 'max-lines', 'delimiter', 'arg-file', 'max-chars'],
    },
    true,
  )
  if (read === undefined) return { inner: fromFirstWord(args), understood: false }
  const span = args.at(-1) ?? { start: 0, end: 0 }
  const replacing = read.options.find(({ name }) => name === 'I' || name === 'i')
  const [name, ...words] = read.operands
  if (name === undefined) return { inner: [], understood: true }
  if (replacing === undefined) return { inner: [name, ...words, inventedArg(span, { prefix: '', multi: true })], understood: true }
  const mark = replacing.value?.value || '{}'
  return { inner: [name, ...words].map((word) => withRead(word, mark)), understood: true }
}

/** A word that holds the mark keeps what stands in front of it. */
function withRead(word: Arg, mark: string): Arg {
  if (word.value === null || !word.value.includes(mark)) return word
  return inventedArg(word, { prefix: word.value.slice(0, word.value.indexOf(mark)), multi: false })
}

function unwrapOpaque(name: string, args: readonly Arg[], verbs: readonly string[]): Unwrapped | undefined {
  if (verbs.length > 0 && !verbs.includes(args[0]?.value ?? '')) return undefined
  const words = verbs.length > 0 ? args.slice(1) : args
  const read = readOptions(words, OPAQUE_OPTIONS[name] ?? {}, true)
  return { inner: fromFirstWord(read?.operands ?? words), understood: false }
}

/** A guess for facts only: behind what looks like options and assignments. */
function fromFirstWord(args: readonly Arg[]): Arg[] {
  const first = args.findIndex((arg) => isPlainOperand(arg) && !(arg.value ?? '').includes('='))
  return first === -1 ? [] : args.slice(first)
}
