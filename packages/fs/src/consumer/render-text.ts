/**
 * Text for a model: control characters are visible, names are unambiguous, lists of lines are short (F-16, F-71).
 */
import type { ContentBlock } from '@toolseam/core-tools'

const NAMED: { [character: string]: string } = { '\r': '\\r', '\b': '\\b', '\f': '\\f', '\v': '\\v', '\0': '\\0' }

/** Control characters but TAB (and LF, which ends lines) as escapes. */
export function visible(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029]/g, (character) => NAMED[character] ?? escaped(character))
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/** A name with control characters as a JSON string; others as they are. */
export function shownName(path: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  return /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/.test(path) ? JSON.stringify(path) : path
}

export function textBlock(text: string): ContentBlock[] {
  return [{ type: 'text', text }]
}

export function bytesText(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`
}

export function countText(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

export function factLines(facts: readonly string[]): string[] {
  return facts.map((fact) => `[${fact}]`)
}
