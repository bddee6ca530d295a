/**
 * From the source to plain JavaScript with the same lines: as it is where it parses, else with its types stripped.
 */
import type { Node, Program } from 'acorn'
import { transform } from 'sucrase'
import { nodesOf, parseBody, problemOf, type SyntaxProblem } from './parse.ts'
import { refusedInText, refusedInTree, refusedInTypes } from './refuse.ts'

export type Plain =
  | { readonly ok: true; readonly text: string; readonly tree: Program }
  | { readonly ok: false; readonly problem: SyntaxProblem }

export function toPlain(source: string): Plain {
  const parsed = parseBody(source)
  if (!parsed.ok || hasTypeArguments(parsed.tree)) return stripTypes(source)
  return checked(source, parsed.tree)
}

function stripTypes(source: string): Plain {
  try {
    const refused = refusedInTypes(source)
    if (refused !== undefined) return { ok: false, problem: refused }
    const { code } = transform(source, { transforms: ['typescript'], disableESTransforms: true, keepUnusedImports: true })
    const parsed = parseBody(code)
    if (!parsed.ok) return parsed
    return checked(code, parsed.tree)
  } catch (error) {
    return { ok: false, problem: problemOf(error) }
  }
}

function checked(text: string, tree: Program): Plain {
  const refused = refusedInTree(tree) ?? refusedInText(text, tree)
  return refused === undefined ? { ok: true, text, tree } : { ok: false, problem: refused }
}

/** `f<number>(1)` is a comparison in JavaScript: nobody means that, so it is read as TypeScript. */
function hasTypeArguments(tree: Program): boolean {
  for (const node of nodesOf(tree)) {
    if (node.type !== 'BinaryExpression') continue
    const { operator, left, right } = node as Node & { operator?: string; left?: Node & { operator?: string }; right?: Node }
    if (operator === '>' && left?.type === 'BinaryExpression' && left.operator === '<' && right?.type === 'ParenthesizedExpression')
      return true
  }
  return false
}
