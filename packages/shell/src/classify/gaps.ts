/**
 * The parser is tolerant: characters that belong to no node may be an error to bash (`ls( -la`). What stands between the parts of a command, and
 * between statements, is therefore looked at once more (S-60).
 */
import type { SyntaxNode } from 'unbash'

interface Part {
  readonly pos: number
  readonly end: number
}

const BLANKS = /^(?:[ \t]|\\\n)*$/
const BETWEEN_STATEMENTS = /^(?:[ \t\r;]|\\\n|#[^\n]*)*$/

/** Whether bash could see something in this node that the parser stepped over. `source` is the text that its positions count in. */
export function hasStrayText(node: SyntaxNode, source: string): boolean {
  switch (node.type) {
    case 'Command':
      // Nothing that begins with a parenthesis can follow a simple command.
      return (
        /^(?:[ \t]|\\\n)*\(/.test(source.slice(node.end, node.end + 200)) ||
        strayInCommand([...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix], source)
      )
    case 'Script':
    case 'CompoundList':
      return strayInList(node, { statements: node.commands, source })
    case 'Statement':
      return doubleEnd(source.slice(node.end, node.end + 200), node.background === true)
    case 'TestUnary':
      return source.slice(node.pos, node.operand.pos).includes('\n')
    case 'TestBinary':
      return source.slice(node.left.end, node.right.pos).includes('\n')
    default:
      return false
  }
}

/** A statement ends once: `a &; b` and a line that begins with `;` are refused by bash. `;;` and `;&` belong to a case. */
function doubleEnd(after: string, ended: boolean): boolean {
  if (ended && /^(?:[ \t]|\\\n)*;(?![;&])/.test(after)) return true
  return /^(?:[ \t]|\\\n)*(?:;(?!;)|\n)(?:\s|#[^\n]*\n)*;(?![;&])/.test(after)
}

function strayInCommand(parts: readonly Part[], source: string): boolean {
  return parts.some((part, index) => {
    const before = parts[index - 1]
    return before !== undefined && before.end <= part.pos && !BLANKS.test(source.slice(before.end, part.pos))
  })
}

/** Bodies of heredocs lie between statements too: then only the rest of the line is looked at. */
function strayInList(list: Part, { statements, source }: { statements: readonly Part[]; source: string }): boolean {
  let from = list.pos
  for (const statement of [...statements, { pos: list.end, end: list.end }]) {
    const gap = statement.pos > from ? source.slice(from, statement.pos) : ''
    from = Math.max(from, statement.end)
    if (gap === '' || gap === '; ') continue
    const lines = gap.split('\n')
    // One look through the source for many lists would be quadratic.
    const code = lines.length > 1 && source.includes('<<') ? lines.slice(0, 1) : lines
    if (!code.every((line) => BETWEEN_STATEMENTS.test(line))) return true
  }
  return false
}
