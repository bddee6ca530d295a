/**
 * What a program's value is: that of the one function it consists of, of its `return`, or of its trailing expression. Only brackets and a
 * `return` are put in, never a line.
 */
import type { Program, Statement } from 'acorn'
import type { Plain } from './types.ts'

export function shapeBody(text: string, tree: Program): string {
  const statements = tree.body.filter(({ type }) => type !== 'EmptyStatement')
  const last = statements.at(-1)
  if (last === undefined) return text
  if (statements.length === 1) {
    const called = callOf(text, last)
    if (called !== undefined) return called
  }
  if (last.type !== 'ExpressionStatement') return text
  // `'use strict'` as the only word is a directive, any other string a value.
  if (last.directive === 'use strict') return text
  return returning(text, last, '')
}

/** A text that is one anonymous function, which no statement can begin with. */
export function wholeFunction(source: string, toPlain: (text: string) => Plain): string | undefined {
  if (!/^\s*(?:\/\/[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(?:async\s+)?function\b/.test(source)) return undefined
  const plain = toPlain(`(${source.trimEnd().replace(/;+$/, '')}\n)`)
  const only = plain.ok && plain.tree.body.length === 1 ? plain.tree.body[0] : undefined
  return plain.ok && only !== undefined ? callOf(plain.text, only) : undefined
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
