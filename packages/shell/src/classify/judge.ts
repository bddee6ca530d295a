/**
 * One command by its words: which program it is, whether these words of it only read, and what it runs in turn (S-61 to S-64).
 */
import type { Effects, Span } from './effects.ts'
import { readFind } from './find.ts'
import { gitReadsOnly } from './git.ts'
import { readOptions } from './options.ts'
import { ALWAYS_UNKNOWN, MUTATING, PROGRAMS, VERSION_ONLY, WRITES_OPERANDS, type Program } from './programs.ts'
import { sedScriptPrintsOnly } from './sed-script.ts'
import { printfIsHarmless, testIsHarmless } from './tests-and-printf.ts'
import { isPlainName, isPlainOperand, type Arg } from './words.ts'
import { unwrap } from './wrappers.ts'

export interface Invocation extends Span {
  /** The name and its words. */
  readonly words: readonly Arg[]
  readonly redirects: { operator: string; target: string | null; write: boolean }[]
  readonly wrappedBy: readonly string[]
  /** Literal text on its standard input; null: something, not literal; undefined: nothing fed to it. */
  readonly fed: string | null | undefined
  /** Classifies a text that a shell is given. */
  inner(text: string, wrappedBy: readonly string[]): void
}

/** Variables that change how programs talk, and nothing else (S-62). */
export function isHarmlessVariable(name: string): boolean {
  return /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|COLUMNS|LINES)$/.test(name)
}

const SHELLS = new Set(['bash', 'sh', 'dash', 'ash', 'ksh', 'zsh'])

export function judge(invocation: Invocation, effects: Effects): void {
  const [name, ...args] = invocation.words
  if (name === undefined) return
  effects.commands.push({
    argv: invocation.words.map((word) => word.value),
    dynamic: invocation.words.some((word) => word.value === null),
    redirects: invocation.redirects,
    ...(invocation.wrappedBy.length === 0 ? {} : { wrappedBy: [...invocation.wrappedBy] }),
  })
  if (name.value === null) return effects.worsen('unknown', 'dynamic-name', name)
  if (!isPlainName(name.value)) return effects.worsen('unknown', 'odd-name', name)
  judgeNamed(name.value, args, { invocation, effects })
}

interface Context {
  readonly invocation: Invocation
  readonly effects: Effects
}

function judgeNamed(name: string, args: readonly Arg[], context: Context): void {
  const { effects, invocation } = context
  if (VERSION_ONLY.get(name)?.includes(args[0]?.value ?? '') === true && args.length === 1) return
  if (SHELLS.has(name)) return judgeShell(name, args, context)
  if (unwrapInto(name, args, context)) return
  if (ALWAYS_UNKNOWN.has(name)) return effects.worsen('unknown', 'changes-shell', invocation)
  switch (name) {
    case 'cd':
      return changeDirectory(args, context)
    case 'git':
      return gitReadsOnly(args) ? undefined : effects.worsen('unknown', 'git', invocation)
    case 'find':
      return judgeFind(args, context)
    case 'sed':
      return judgeSed(args, context)
    case 'test':
      return testIsHarmless(args) ? undefined : effects.worsen('unknown', 'test', invocation)
    case '[':
      return args.at(-1)?.value === ']' && testIsHarmless(args.slice(0, -1)) ? undefined : effects.worsen('unknown', 'test', invocation)
    case 'printf':
      return printfIsHarmless(args) ? undefined : effects.worsen('unknown', 'printf', invocation)
  }
  const program = PROGRAMS.get(name)
  if (program === undefined) return judgeStranger(name, args, context)
  judgeListed(program, args, context)
}

function judgeListed(program: Program, args: readonly Arg[], { effects, invocation }: Context): void {
  const read = program.anyWord === true ? undefined : readOptions(args, program.table ?? {})
  if (program.anyWord !== true) {
    if (read === undefined) return refuseOption(args, { effects, invocation })
    if (!operandsFit(program, read.operands)) effects.worsen(program.maxOperands === 1 ? 'mutating' : 'unknown', 'operand', invocation)
  }
  const operands = read?.operands ?? args.filter(isPlainOperand)
  if (program.files === true) readPaths(operands.slice(program.firstIsPattern === true ? 1 : 0), effects)
}

/** The two writing options that are worth naming; the verdict is not read-only either way. */
function refuseOption(args: readonly Arg[], { effects, invocation }: Context): void {
  const output = args.some((arg) => /^(?:-[A-Za-z]*o|--output\b)/.test(arg.value ?? ''))
  effects.worsen(output ? 'mutating' : 'unknown', 'option', invocation)
}

function operandsFit(program: Program, operands: readonly Arg[]): boolean {
  const { maxOperands, operand } = program
  if (maxOperands !== undefined && (operands.length > maxOperands || operands.some((arg) => arg.multi || arg.value === null))) return false
  return operand === undefined || operands.every((arg) => operand.test(arg.value ?? ''))
}

function readPaths(operands: readonly Arg[], effects: Effects): void {
  for (const arg of operands) if (arg.value !== null && arg.value !== '-') effects.path(arg.value, 'read', arg)
}

function judgeStranger(name: string, args: readonly Arg[], { effects, invocation }: Context): void {
  if (WRITES_OPERANDS.has(name)) {
    for (const arg of args) if (arg.value !== null && isPlainOperand(arg)) effects.path(arg.value, 'write', arg)
  }
  effects.worsen(MUTATING.has(name) ? 'mutating' : 'unknown', MUTATING.has(name) ? 'program' : 'unlisted', invocation)
}

/** Read-only itself, but the paths of what follows begin elsewhere. */
function changeDirectory(args: readonly Arg[], { effects, invocation }: Context): void {
  const operands = args.filter((arg) => arg.value !== '--')
  const target = operands[0]?.value
  if (operands.length > 1 || (operands[0] !== undefined && !isPlainOperand(operands[0]))) effects.worsen('unknown', 'option', invocation)
  const known = target !== undefined && target !== null && target !== '' && target !== '-' && !target.startsWith('~')
  effects.changeTo(known ? target : undefined)
}

function unwrapInto(name: string, args: readonly Arg[], { effects, invocation }: Context): boolean {
  const unwrapped = unwrap(name, args)
  if (unwrapped === undefined) return false
  if (!unwrapped.understood) effects.worsen('unknown', 'wrapper', invocation)
  for (const variable of unwrapped.assigns ?? []) if (!isHarmlessVariable(variable)) effects.worsen('unknown', 'variable', invocation)
  if (unwrapped.inner.length > 0) {
    effects.deeper(() =>
      judge({ ...invocation, redirects: [], words: unwrapped.inner, wrappedBy: [...invocation.wrappedBy, name] }, effects),
    )
  }
  return true
}

function judgeFind(args: readonly Arg[], { effects, invocation }: Context): void {
  const reading = readFind(args)
  if (reading.verdict !== 'read-only') effects.worsen(reading.verdict, 'find', invocation)
  readPaths(reading.starts, effects)
  for (const words of reading.runs) {
    effects.deeper(() =>
      judge({ ...invocation, fed: undefined, redirects: [], words, wrappedBy: [...invocation.wrappedBy, 'find'] }, effects),
    )
  }
}

function judgeSed(args: readonly Arg[], { effects, invocation }: Context): void {
  const read = readOptions(args, {
    flags: 'nErsuz',
    values: 'el',
    long: ['quiet', 'silent', 'regexp-extended', 'separate', 'unbuffered', 'null-data', 'posix'],
    longValues: ['expression', 'line-length'],
  })
  if (read === undefined) {
    const inPlace = args.some((arg) => /^-[A-Za-z]*i|^--in-place/.test(arg.value ?? ''))
    return effects.worsen(inPlace ? 'mutating' : 'unknown', 'option', invocation)
  }
  const given = read.options.filter(({ name }) => name === 'e' || name === 'expression').map(({ value }) => value?.value ?? null)
  const scripts = given.length > 0 ? given : [read.operands[0]?.value ?? null]
  if (!scripts.every((script) => script !== null && sedScriptPrintsOnly(script))) effects.worsen('unknown', 'sed-script', invocation)
  if (given.length === 0 && read.operands[0]?.multi === true) effects.worsen('unknown', 'sed-script', invocation)
  readPaths(given.length > 0 ? read.operands : read.operands.slice(1), effects)
}

/** `-c TEXT` alone, or a text on its input: the text is classified; anything else is unknown (S-62). */
function judgeShell(name: string, args: readonly Arg[], { effects, invocation }: Context): void {
  const [flag, text] = args
  const wrappedBy = [...invocation.wrappedBy, name]
  if (flag?.value === '-c' && text !== undefined && text.value !== null && !text.value.startsWith('-')) {
    const { value } = text
    return effects.anchored(text, () => invocation.inner(value, wrappedBy))
  }
  const fromInput = args.length === 0 || (args.length === 1 && (flag?.value === '-' || flag?.value === '-s'))
  if (!fromInput || typeof invocation.fed !== 'string') return effects.worsen('unknown', 'shell', invocation)
  const { fed } = invocation
  effects.anchored(invocation, () => invocation.inner(fed, wrappedBy))
}
