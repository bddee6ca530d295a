/**
 * Reading an argument list against an allow list of options: bundled (`-la`), with value (`-n 5`, `-n5`, `--x=y`), after `--` (S-61). An option that
 * is not on the list, or cannot be read, ends the reading.
 */
import { isPlainOperand, type Arg } from './words.ts'

export interface OptionTable {
  /** Letters without a value. */
  flags?: string
  /** Letters that take a value, in the same word or the next. */
  values?: string
  /** Letters whose value can only stand in the same word. */
  attached?: string
  /** Long names without a value. */
  long?: readonly string[]
  /** Long names that take a value, after `=` or as the next word. */
  longValues?: readonly string[]
  /** Long names that may have a value, only after `=`. */
  longOptional?: readonly string[]
  /** `-5`, `+5`. */
  numeric?: true
}

export interface ReadOptions {
  /** In order: letter or long name, and its value where it has one. */
  options: { name: string; value: Arg | undefined }[]
  operands: Arg[]
}

/** Undefined: something is not on the list. `stopAtOperand`: the rest belongs to another command. */
export function readOptions(args: readonly Arg[], table: OptionTable, stopAtOperand = false): ReadOptions | undefined {
  const read: ReadOptions = { options: [], operands: [] }
  let at = 0
  while (at < args.length) {
    const arg = args[at]
    if (arg === undefined) break
    at += 1
    if (arg.value === '--') {
      read.operands.push(...args.slice(at))
      return read
    }
    if (isPlainOperand(arg)) {
      if (stopAtOperand) {
        read.operands.push(...args.slice(at - 1))
        return read
      }
      read.operands.push(arg)
      continue
    }
    if (arg.value === null) return undefined
    const used = arg.value.startsWith('--')
      ? longOption(arg.value, { table, next: args[at], read, arg })
      : shortOptions(arg.value, { table, next: args[at], read, arg })
    if (used === undefined) return undefined
    at += used
  }
  return read
}

interface Reading {
  table: OptionTable
  next: Arg | undefined
  read: ReadOptions
  arg: Arg
}

/** How many further words it took. A value may be any single word. */
function longOption(text: string, { table, next, read, arg }: Reading): 0 | 1 | undefined {
  const equals = text.indexOf('=')
  const name = text.slice(2, equals === -1 ? undefined : equals)
  if (equals !== -1) {
    if (table.longValues?.includes(name) !== true && table.longOptional?.includes(name) !== true) return undefined
    const value = text.slice(equals + 1)
    read.options.push({ name, value: { ...arg, value, prefix: value } })
    return 0
  }
  if (table.long?.includes(name) === true || table.longOptional?.includes(name) === true) {
    read.options.push({ name, value: undefined })
    return 0
  }
  return table.longValues?.includes(name) === true ? takeNext(name, next, read) : undefined
}

function takeNext(name: string, next: Arg | undefined, read: ReadOptions): 1 | undefined {
  // Whether a program takes the next word as a value or as an option must not matter.
  if (next === undefined || !isPlainOperand(next)) return undefined
  read.options.push({ name, value: next })
  return 1
}

function shortOptions(text: string, { table, next, read, arg }: Reading): 0 | 1 | undefined {
  if (table.numeric === true && /^-\d+$/.test(text)) {
    read.options.push({ name: 'number', value: arg })
    return 0
  }
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? ''
    const rest = text.slice(at + 1)
    if (table.flags?.includes(letter) === true) read.options.push({ name: letter, value: undefined })
    else if (table.attached?.includes(letter) === true) {
      read.options.push({ name: letter, value: { ...arg, value: rest, prefix: rest } })
      return 0
    } else if (table.values?.includes(letter) === true) {
      if (rest === '') return takeNext(letter, next, read)
      read.options.push({ name: letter, value: { ...arg, value: rest, prefix: rest } })
      return 0
    } else return undefined
  }
  return 0
}
