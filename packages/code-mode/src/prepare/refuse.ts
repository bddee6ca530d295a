/**
 * What a program may not contain, told by name: modules, `require`, and the parts of TypeScript that are not erased (C-9).
 */
import type { Node, Program } from 'acorn'
import { getFormattedTokens } from 'sucrase'
import { nodesOf, type SyntaxProblem } from './parse.ts'
import { type Refused, renderRefused } from './render-syntax.ts'

/** The first refusal in a tree of plain JavaScript. */
export function refusedInTree(tree: Program): SyntaxProblem | undefined {
  for (const node of nodesOf(tree)) {
    const what = refusedNode(node)
    if (what !== undefined) return problem(what, node.loc?.start.line)
  }
  return undefined
}

/**
 * `a<!--b` is a comparison to a parser of modules and begins a comment to an engine that runs scripts: what the engine leaves out could
 * close the wrapper.
 */
export function refusedInText(text: string, tree: Program): SyntaxProblem | undefined {
  if (!text.includes('<!--')) return undefined
  for (const node of nodesOf(tree)) {
    const right = child(node, 'right')
    if (node.type !== 'BinaryExpression' || typeof right !== 'object' || right === null) continue
    const { start } = right as { start?: unknown }
    if (typeof start === 'number' && text.startsWith('<!--', start - 1)) return problem('html-comment', node.loc?.start.line)
  }
  return undefined
}

function refusedNode(node: Node): Refused | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ImportExpression':
      return 'import'
    case 'MetaProperty':
      return isName(child(node, 'meta'), 'import') ? 'import' : undefined
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
    case 'ExportAllDeclaration':
      return 'export'
    case 'CallExpression':
      return isName(child(node, 'callee'), 'require') ? 'require' : undefined
    default:
      return undefined
  }
}

/**
 * The first refusal in TypeScript, by its tokens: these words are gone, or have become code, once the types are stripped. The names are
 * told from keys, strings and comments by the tokenizer that strips them.
 */
export function refusedInTypes(source: string): SyntaxProblem | undefined {
  const tokens = tokensOf(source)
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    const after = tokens[index + 2]
    if (token.label === 'enum') return problem('enum', token.line)
    if (token.label === 'import') return problem('import', token.line)
    const opens = next?.label === 'name' && next.line === token.line && (after?.label === '{' || after?.label === '.')
    if (token.label === 'name' && (token.raw === 'namespace' || token.raw === 'module') && opens && tokens[index - 1]?.label !== '.') {
      return problem('namespace', token.line)
    }
  }
  return undefined
}

interface Token {
  readonly line: number
  readonly label: string
  readonly raw: string
}

const ROW = /^(\d+):\d+-\d+:\d+\s+(\S+)(?:\s+(\S+))?/

function tokensOf(source: string): Token[] {
  return getFormattedTokens(source, { transforms: ['typescript'] })
    .split('\n')
    .flatMap((row) => {
      const [, line, label, raw = ''] = ROW.exec(row) ?? []
      return line === undefined || label === undefined ? [] : [{ line: Number(line), label, raw }]
    })
}

function problem(what: Refused, line: number | undefined): SyntaxProblem {
  return line === undefined ? { message: renderRefused(what) } : { message: renderRefused(what), line }
}

function child(node: Node, key: string): unknown {
  const value: unknown = Object.getOwnPropertyDescriptor(node, key)?.value
  return value
}

function isName(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && (value as { name?: unknown }).name === name
}
