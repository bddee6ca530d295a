/**
 * The part of sed's language that only prints: addresses with `p`, `d`, `q` and `s` without the flags `e` and `w` (S-63). Source: the manual of
 * GNU sed. Anything else is not understood, and so not read-only.
 */

/** True only for scripts made of nothing else. */
export function sedScriptPrintsOnly(script: string): boolean {
  const reader = { text: script, at: 0 }
  while (reader.at < script.length) {
    skip(reader, /[\s;]/)
    if (reader.at >= script.length) return true
    if (!readAddresses(reader)) return false
    skip(reader, /[ \t]/)
    if (reader.text[reader.at] === '!') reader.at += 1
    skip(reader, /[ \t!]/)
    if (!readCommand(reader)) return false
    skip(reader, /[ \t]/)
    const next = reader.text[reader.at]
    if (next !== undefined && next !== ';' && next !== '\n') return false
  }
  return true
}

interface Reader {
  readonly text: string
  at: number
}

function skip(reader: Reader, what: RegExp): void {
  while (what.test(reader.text[reader.at] ?? 'x')) reader.at += 1
}

function readAddresses(reader: Reader): boolean {
  const first = readAddress(reader)
  if (first !== 'found') return first === 'none'
  skip(reader, /[ \t]/)
  if (reader.text[reader.at] !== ',') return true
  reader.at += 1
  skip(reader, /[ \t]/)
  return readAddress(reader) === 'found'
}

function readAddress(reader: Reader): 'found' | 'none' | 'bad' {
  const rest = reader.text.slice(reader.at, reader.at + 40)
  const number = /^(?:\$|[+~]?\d+(?:~\d+)?)/.exec(rest)
  if (number !== null) {
    reader.at += number[0].length
    return 'found'
  }
  const opener = reader.text[reader.at]
  if (opener !== '/' && opener !== '\\') return 'none'
  if (opener === '\\') reader.at += 1
  const delimiter = reader.text[reader.at]
  if (delimiter === undefined || delimiter === '\n') return 'bad'
  reader.at += 1
  if (!readUntil(reader, delimiter)) return 'bad'
  skip(reader, /[IM]/)
  return 'found'
}

/** Past the next unescaped delimiter. A line end inside is not understood. */
function readUntil(reader: Reader, delimiter: string): boolean {
  for (; reader.at < reader.text.length; reader.at += 1) {
    const character = reader.text[reader.at]
    if (character === '\n') return false
    if (character === '\\') reader.at += 1
    else if (character === delimiter) {
      reader.at += 1
      return true
    }
  }
  return false
}

function readCommand(reader: Reader): boolean {
  const command = reader.text[reader.at]
  reader.at += 1
  if (command === 'p' || command === 'd') return true
  if (command === 'q') {
    skip(reader, /[ \t]/)
    skip(reader, /\d/)
    return true
  }
  if (command !== 's') return false
  const delimiter = reader.text[reader.at]
  if (delimiter === undefined || delimiter === '\n' || delimiter === '\\') return false
  reader.at += 1
  if (!readUntil(reader, delimiter) || !readUntil(reader, delimiter)) return false
  skip(reader, /[gpiIMm0-9]/)
  return true
}
