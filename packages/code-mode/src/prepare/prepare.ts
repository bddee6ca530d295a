/**
 * From what the model wrote to a program that can run (C-9). Nothing runs here; whatever is wrong with the text is a value.
 */
import type { PreparedProgram } from '../definition/code-runtime.ts'
import type { CodeError } from '../definition/errors.ts'
import { stripFences } from './fences.ts'
import type { SyntaxProblem } from './parse.ts'
import { renderEmpty } from './render-syntax.ts'
import { shapeBody, wholeExpression } from './shape.ts'
import { toPlain } from './types.ts'

export type PreparedOrNot = { readonly ok: true; readonly program: PreparedProgram } | { readonly ok: false; readonly error: CodeError }

/** The lines of the source are those of the code, so an error at run time names the line that the model wrote. */
export function prepareProgram(text: string): PreparedOrNot {
  const source = stripFences(text)
  if (source.trim() === '') return refuse(source, { message: renderEmpty() })
  const plain = toPlain(source)
  if (plain.ok) return ready(source, shapeBody(plain.text, plain.tree))
  // `function () {}` and `{ a: 1, b: 2 }` are no statements, so they do not parse as a body.
  const called = wholeExpression(source, toPlain)
  return called === undefined ? refuse(source, plain.problem) : ready(source, called)
}

function ready(source: string, body: string): PreparedOrNot {
  return { ok: true, program: Object.freeze({ code: `(async function () { "use strict"; ${body}\n})`, source }) }
}

function refuse(source: string, { message, line }: SyntaxProblem): PreparedOrNot {
  const shown = line === undefined ? undefined : source.split('\n')[line - 1]
  const place = line === undefined || shown === undefined ? {} : { line, source: shown.slice(0, 500) }
  return { ok: false, error: { kind: 'syntax', name: 'SyntaxError', message, ...place } }
}
