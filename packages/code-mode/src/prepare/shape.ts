/**
 * What a program's value is: that of the one function it consists of, of its `return`, or of its trailing expression. Only brackets and a
 * `return` are put in, never a line.
 */
import type { Program, Statement } from 'acorn'
import { parseBody } from './parse.ts'
import type { Plain } from './types.ts'

export function shapeBody(text: string, tree: Program): string {
  const statements = tree.body.filter(({ type }) => type !== 'EmptyStatement')
  const last = statements.at(-1)
  if (last === undefined) return text
  if (statements.length === 1) {
    const called = callOf(text, last)
    if (called !== undefined) return called
  }
  if (last.type === 'BlockStatement') return isObject(text.slice(last.start, last.end)) ? returning(text, last, '') : text
  if (last.type !== 'ExpressionStatement') return text
  // `'use strict'` as the only word is a directive, any other string a value.
  if (last.directive === 'use strict') return text
  return returning(text, last, '')
}

/** A text that is one anonymous function or one object, which no statement can begin with. */
export function wholeExpression(source: string, toPlain: (text: string) => Plain): string | undefined {
  const [begin] = /^\s*(?:\/\/[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(?:(?:async\s+)?function\b|\{)/.exec(source) ?? []
  if (begin === undefined) return undefined
  const plain = toPlain(`(${source.trimEnd().replace(/;+$/, '')}\n)`)
  const only = plain.ok && plain.tree.body.length === 1 ? plain.tree.body[0] : undefined
  if (!plain.ok || only === undefined) return undefined
  return begin.endsWith('{') ? shapeBody(plain.text, plain.tree) : callOf(plain.text, only)
}

/** `{ count, names }` at the end is meant as a value, though it reads as a block. */
function isObject(block: string): boolean {
  const parsed = parseBody(`(${block})`)
  return parsed.ok && /[^{}\s]/.test(block)
}

function callOf(text: string, statement: Program['body'][number]): string | undefined {
  if (statement.type === 'FunctionDeclaration') return `${text}\nreturn ${statement.id.name}(tools)`
  if (statement.type !== 'ExpressionStatement') return undefined
  let { expression } = statement
  while (expression.type === 'ParenthesizedExpression') ({ expression } = expression)
  const isFunction = expression.type === 'ArrowFunctionExpression' || expression.type === 'FunctionExpression'
  return isFunction ? returning(text, statement, '(tools)') : undefined
}

/** `return (EXPRESSION)CALL`, where the expression stood; what is behind it, such as a comment, stays behind. */
function returning(text: string, { start, end }: Pick<Statement, 'start' | 'end'>, call: string): string {
  const statement = text.slice(start, end)
  const bare = statement.endsWith(';') ? statement.slice(0, -1) : statement
  // The line break ends a comment that could swallow the bracket; it is inside the last line's tail and moves no line of the program.
  return `${text.slice(0, start)}return (${bare}\n)${call};${text.slice(end).trim() === '' ? '' : text.slice(end)}`
}
