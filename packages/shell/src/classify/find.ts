/**
 * find: its expression read word by word (S-63). Source: the manual of GNU findutils. What `-exec` runs is handed back to be judged like any command.
 */
import { inventedArg, isPlainOperand, type Arg } from './words.ts'

/** How many words a test or action takes. */
const WORDS: ReadonlyMap<string, number> = new Map([
  ...['-empty', '-nouser', '-nogroup', '-readable', '-writable', '-executable', '-true', '-false', '-depth', '-d', '-print', '-print0', '-ls', '-prune', '-quit', '-not', '!', '-a', '-and', '-o', '-or', '(', ')', ',', '-follow', '-mount', '-xdev', '-daystart', '-noleaf', '-ignore_readdir_race', '-noignore_readdir_race', '-warn', '-nowarn', '-H', '-L', '-P'].map((name): [string, number] => [name, 0]),
  ...['-name', '-iname', '-path', '-ipath', '-wholename', '-iwholename', '-regex', '-iregex', '-regextype', '-type', '-xtype', '-size', '-mtime', '-mmin', '-atime', '-amin', '-ctime', '-cmin', '-newer', '-anewer', '-cnewer', '-perm', '-user', '-group', '-uid', '-gid', '-maxdepth', '-mindepth', '-printf', '-links', '-inum', '-samefile', '-lname', '-ilname', '-fstype', '-used'].map((name): [string, number] => [name, 1]),
]) // prettier-ignore

const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const DELETES = new Set(['-delete', '-fprint', '-fprint0', '-fprintf', '-fls'])

export interface FindReading {
  verdict: 'read-only' | 'mutating' | 'unknown'
  starts: Arg[]
  /** Commands it runs, with `{}` in place of what it finds. */
  runs: Arg[][]
}

export function readFind(args: readonly Arg[]): FindReading {
  const reading: FindReading = { verdict: 'read-only', starts: [], runs: [] }
  let at = 0
  while (at < args.length && isStart(args[at])) {
    const start = args[at]
    if (start !== undefined) reading.starts.push(start)
    at += 1
  }
  while (at < args.length) at += readWord(args, at, reading)
  return reading
}

/** In front of the first test stand options of find itself and folders. */
function isStart(arg: Arg | undefined): boolean {
  if (arg === undefined) return false
  if (['-H', '-L', '-P'].includes(arg.value ?? '')) return false
  return isPlainOperand(arg) && !['(', ')', '!', ','].includes(arg.value ?? '')
}

/** How many words were used up. */
function readWord(args: readonly Arg[], at: number, reading: FindReading): number {
  const arg = args[at]
  const name = arg?.value ?? null
  if (arg === undefined || name === null) return worsen(reading, 'unknown')
  if (DELETES.has(name)) return worsen(reading, 'mutating')
  if (RUNS.has(name)) return readRun(args, at, reading)
  // -H and friends stand before the folders.
  if (isStart(arg)) {
    if (reading.starts.length > 0 || !['-H', '-L', '-P'].includes(args[at - 1]?.value ?? '')) return worsen(reading, 'unknown')
    reading.starts.push(arg)
    return 1
  }
  const words = WORDS.get(name) ?? (/^-newer[aBcm][aBcmt]$/.test(name) ? 1 : undefined)
  const values = args.slice(at + 1, at + 1 + (words ?? 0))
  if (words === undefined || values.length < words || values.some((value) => value.multi)) return worsen(reading, 'unknown')
  return 1 + words
}

function worsen(reading: FindReading, verdict: 'mutating' | 'unknown'): number {
  if (reading.verdict !== 'unknown') reading.verdict = verdict
  return 1
}

function readRun(args: readonly Arg[], at: number, reading: FindReading): number {
  const end = args.findIndex((arg, index) => index > at && (arg.value === ';' || (arg.value === '+' && args[index - 1]?.value === '{}')))
  if (end === -1) {
    worsen(reading, 'unknown')
    return args.length - at
  }
  reading.runs.push(args.slice(at + 1, end).map((arg) => withFound(arg, reading.starts)))
  return end - at + 1
}

/** What is found begins as its folder does: never with a dash where the folders are plain. */
function withFound(arg: Arg, starts: readonly Arg[]): Arg {
  if (arg.value === null || !arg.value.includes('{}')) return arg
  const prefix = starts.every(isPlainOperand) ? (starts[0]?.prefix ?? './') : ''
  return inventedArg(arg, { prefix: arg.value === '{}' ? prefix || '' : '', multi: false })
}
