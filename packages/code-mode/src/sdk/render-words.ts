/**
 * Names, literals and comments in TypeScript text, safe whatever they hold.
 */

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

export function renderKey(name: string): string {
  // `new(...)` would be a constructor.
  return IDENTIFIER.test(name) && name !== 'new' ? name : renderText(name)
}

export function renderText(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

export function renderLiteral(value: unknown): string {
  if (typeof value === 'string') return renderText(value)
  if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return JSON.stringify(value)
  return 'unknown'
}

/** A comment on one line; empty where there is nothing to say. */
export function renderDoc(text: unknown): string {
  const words = wordsOf(text).replaceAll(/\s+/g, ' ')
  return words === '' ? '' : `/** ${words} */ `
}

/** A comment block over a declaration. */
export function renderDocBlock(text: string, indent: string): string {
  const lines = wordsOf(text).split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0] ?? ''} */\n`
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`, ''].join('\n')
}

function wordsOf(text: unknown): string {
  return typeof text === 'string'
    ? text
        .trim()
        .replaceAll('\r\n', '\n')
        .replaceAll(/[\r\u2028\u2029]/g, '\n')
        .replaceAll('*/', '*\\/')
    : ''
}
