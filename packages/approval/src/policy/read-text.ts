/**
 * The text of a policy file: strict JSON without comments, duplicate keys refused, with the place of every pointer.
 */
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { PolicyFault } from '../definition/policy-errors.ts'
import { escape } from './check-file.ts'
import { parsePointer } from './conditions.ts'

export interface TextPlaces {
  /** Line and column, from 1, of what a pointer names; of its nearest parent where it is not there. */
  locate(pointer: string): { line: number; column: number }
}

/** A fault whose place is known better than by its pointer. */
export type PlacedFault = PolicyFault & { line?: number; column?: number }

export interface ReadText extends TextPlaces {
  value: unknown
  faults: PlacedFault[]
}

export function readText(text: string): ReadText {
  const errors: ParseError[] = []
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  const tree = parseTree(body, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  const lineOf = (offset: number): { line: number; column: number } => {
    const before = body.slice(0, offset).split('\n')
    return { line: before.length, column: (before[before.length - 1]?.length ?? 0) + 1 }
  }
  // What follows the first is mostly its consequence.
  const faults: OffsetFault[] = errors.slice(0, 1).map(({ error, offset }) => ({
    code: 'POLICY_SYNTAX',
    pointer: '',
    message: `not valid JSON: ${words(printParseErrorCode(error))}`,
    offset,
  }))
  if (tree !== undefined) duplicates(tree, '', faults)
  else if (faults.length === 0) faults.push({ code: 'POLICY_SYNTAX', pointer: '', message: 'the file is empty', offset: 0 })
  return {
    value: tree === undefined ? undefined : getNodeValue(tree),
    faults: faults.map(({ offset, ...fault }) => (offset === undefined ? fault : { ...fault, ...lineOf(offset) })),
    locate(pointer) {
      return tree === undefined ? { line: 1, column: 1 } : lineOf(nodeAt(tree, pointer).offset)
    },
  }
}

type OffsetFault = PolicyFault & { offset?: number }

function duplicates(node: Node, pointer: string, faults: OffsetFault[]): void {
  if (node.type === 'array') for (const [index, child] of (node.children ?? []).entries()) duplicates(child, `${pointer}/${index}`, faults)
  if (node.type !== 'object') return
  const seen = new Set<string>()
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    const name = String(key?.value)
    const at = `${pointer}/${escape(name)}`
    if (seen.has(name))
      faults.push({
        code: 'POLICY_SYNTAX',
        pointer: at,
        message: `the key ${JSON.stringify(name)} is there twice`,
        offset: property.offset,
      })
    seen.add(name)
    if (value !== undefined) duplicates(value, at, faults)
  }
}

function nodeAt(tree: Node, pointer: string): Node {
  const path = parsePointer(pointer)
  for (let length = path.length; length > 0; length--) {
    const node = find(tree, path.slice(0, length))
    if (node !== undefined) return node.parent?.type === 'property' ? node.parent : node
  }
  return tree
}

function find(tree: Node, path: readonly string[]): Node | undefined {
  let node: Node | undefined = tree
  for (const key of path) {
    if (node === undefined) return undefined
    node = findNodeAtLocation(node, [node.type === 'array' ? Number(key) : key])
  }
  return node
}

/** `PropertyNameExpected` -> `property name expected`. */
function words(code: string): string {
  return code.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
}
