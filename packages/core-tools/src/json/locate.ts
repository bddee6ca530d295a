/**
 * Where a text stops being JSON, in words a model can act on. Engines word and place their syntax errors differently, some without a
 * position; this reads the text once more by the grammar of RFC 8259, and only after a parser has refused it.
 */

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
// One character of a string, or a run of plain ones.
const STRING_RUN = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

type Expectation = 'value' | 'value or ]' | 'property name' | 'property name or }' | ':' | ', or }' | ', or ]' | 'end'

interface Reader {
  readonly text: string
  position: number
}

/** For example `expected a property name at line 1, column 8, found "}"`. For text that is JSON: `no fault found`. */
export function locateJsonFault(text: string): string {
  const reader: Reader = { text, position: 0 }
  const open: ('{' | '[')[] = []
  let expected: Expectation = 'value'
  for (;;) {
    skipSpace(reader)
    const character = text[reader.position]
    if (expected === 'end') return character === undefined ? 'no fault found' : fault(reader, 'the end of the text')
    const closing = open.at(-1) === '{' ? '}' : ']'
    if (character === closing && open.length > 0 && mayClose(expected)) {
      reader.position++
      open.pop()
      expected = afterValue(open)
    } else if (expected === 'value' || expected === 'value or ]') {
      if (character === '{' || character === '[') {
        reader.position++
        open.push(character)
        expected = character === '{' ? 'property name or }' : 'value or ]'
      } else {
        const wrong = readScalar(reader)
        if (wrong !== undefined) return wrong
        expected = afterValue(open)
      }
    } else if (expected === 'property name' || expected === 'property name or }') {
      if (character !== '"') return fault(reader, 'a property name in double quotes')
      const wrong = readString(reader)
      if (wrong !== undefined) return wrong
      expected = ':'
    } else if (expected === ':') {
      if (character !== ':') return fault(reader, '":"')
      reader.position++
      expected = 'value'
    } else {
      if (character !== ',') return fault(reader, expected === ', or }' ? '"," or "}"' : '"," or "]"')
      reader.position++
      expected = expected === ', or }' ? 'property name' : 'value'
    }
  }
}

function mayClose(expected: Expectation): boolean {
  return expected === 'value or ]' || expected === 'property name or }' || expected === ', or }' || expected === ', or ]'
}

function afterValue(open: readonly ('{' | '[')[]): Expectation {
  const inside = open.at(-1)
  if (inside === undefined) return 'end'
  return inside === '{' ? ', or }' : ', or ]'
}

function skipSpace(reader: Reader): void {
  while (' \t\n\r'.includes(reader.text[reader.position] ?? 'x')) reader.position++
}

/** The fault, or undefined when a scalar was read. */
function readScalar(reader: Reader): string | undefined {
  if (reader.text[reader.position] === '"') return readString(reader)
  if (advance(reader, NUMBER) || advance(reader, WORD)) return undefined
  return fault(reader, 'a JSON value')
}

function readString(reader: Reader): string | undefined {
  const start = reader.position
  reader.position++
  while (advance(reader, STRING_RUN));
  const character = reader.text[reader.position]
  if (character === '"') {
    reader.position++
    return undefined
  }
  if (character === undefined) return `the string that begins at ${place(reader.text, start)} does not end`
  if (character === '\\') return `unknown escape in a string at ${place(reader.text, reader.position)}`
  return `unescaped control character in a string at ${place(reader.text, reader.position)}`
}

function advance(reader: Reader, pattern: RegExp): boolean {
  pattern.lastIndex = reader.position
  if (!pattern.test(reader.text)) return false
  reader.position = pattern.lastIndex
  return true
}

function fault(reader: Reader, expected: string): string {
  const found = reader.text.codePointAt(reader.position)
  const seen = found === undefined ? 'the text ends' : `found ${JSON.stringify(String.fromCodePoint(found))}`
  return `expected ${expected} at ${place(reader.text, reader.position)}, ${seen}`
}

function place(text: string, position: number): string {
  let line = 1
  let lineStart = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < position; end = text.indexOf('\n', end + 1)) {
    line++
    lineStart = end + 1
  }
  return `line ${line}, column ${position - lineStart + 1}`
}
