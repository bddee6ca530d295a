/**
 * `test`, `[` and `printf`: builtins whose words can assign or evaluate when they are not known (`-v`, `%n`). Source: the bash manual.
 */
import type { Arg } from './words.ts'

const UNARY = new Set([...'abcdefghknoprstuwxzGLNOS'].map((letter) => `-${letter}`))
const BINARY = new Set(['=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef'])
const JOINS = new Set(['-a', '-o', '(', ')', '!'])

/** Fixed words may be anything but `-v` and `-R`; dynamic ones only where the shape says that they are operands. */
export function testIsHarmless(args: readonly Arg[]): boolean {
  if (args.some((arg) => arg.multi)) return false
  const words = args[0]?.value === '!' ? args.slice(1) : args
  if (words.every((arg) => arg.value !== null)) return words.every((arg) => arg.value !== '-v' && arg.value !== '-R')
  const [first, second, third] = words
  if (words.length === 1) return true
  if (words.length === 2) return UNARY.has(first?.value ?? '')
  return words.length === 3 && BINARY.has(second?.value ?? '') && !JOINS.has(first?.value ?? '') && third !== undefined
}

/** `-v` and `%n` assign. */
export function printfIsHarmless(args: readonly Arg[]): boolean {
  const words = args[0]?.value === '--' ? args.slice(1) : args
  const format = words[0]?.value
  if (format === undefined) return args.length === 0
  if (format === null || (format.startsWith('-') && words === args)) return false
  return !/%[^%a-zA-Z]*n/.test(format.replaceAll('%%', ''))
}
