/**
 * Parsing of a bare program: on its own, before it is wrapped, so that no text can close the wrapper (C-9).
 */
import { type Node, type Program, parse } from 'acorn'
import { renderTooDeep } from './render-syntax.ts'

export interface SyntaxProblem {
  readonly message: string
  /** From 1. */
  readonly line?: number
}

export type Parsed = { readonly ok: true; readonly tree: Program } | { readonly ok: false; readonly problem: SyntaxProblem }

/** As the strict body of an async function; parentheses stay in the tree. */
export function parseBody(source: string): Parsed {
  try {
    const tree = parse(source, {
      ecmaVersion: 'latest',
      // A module is strict and may await at its top, as the body of our function is and may.
      sourceType: 'module',
      allowReturnOutsideFunction: true,
      allowHashBang: false,
      preserveParens: true,
      locations: true,
    })
    return { ok: true, tree }
  } catch (error) {
    return { ok: false, problem: problemOf(error) }
  }
}

/** Facts of whatever a parser threw: acorn and sucrase both tell a `loc` and put it into the message too. */
export function problemOf(error: unknown): SyntaxProblem {
  if (error instanceof RangeError) return { message: renderTooDeep() }
  const { message, loc } = error as { message?: unknown; loc?: { line?: unknown } }
  const text =
    typeof message === 'string' ? message.replace(/ \(\d+:\d+\)$/, '').replace(/^Error transforming .*?: /, '') : 'cannot be parsed'
  return typeof loc?.line === 'number' ? { message: text, line: loc.line } : { message: text }
}

/** Every node below and including `root`, without recursion: a hostile tree is deep. */
export function* nodesOf(root: Node): Generator<Node> {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const at = open.pop()
    if (Array.isArray(at)) open.push(...at.toReversed())
    else if (isNode(at)) {
      yield at
      open.push(...Object.values(at).toReversed())
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}
