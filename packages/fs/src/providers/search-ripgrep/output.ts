/**
 * Reads what the engine prints: `PATH NUL line SEP column SEP offset SEP text LF` for matches, `PATH NUL line SEP offset SEP text LF` for
 * context. A path may hold line ends, so records are told apart by NUL and separators, never by lines.
 */
import { CONTEXT_SEPARATOR, MATCH_SEPARATOR } from './arguments.ts'

export interface PrintedLine {
  kind: 'match' | 'context'
  path: Buffer
  line: number
  /** In bytes, 1-based; 0 for context. */
  column: number
  /** Of the line's start in the text the engine saw. */
  offset: number
  text: Buffer
}

export type Printed = PrintedLine | { kind: 'binary'; path: Buffer } | { kind: 'stopped'; path: Buffer }

const LF = 10
const NOTICE = /^([^]*?): (WARNING: stopped searching binary file after match|binary file matches) \(found "\\0" byte around offset \d+\)\n/

/** Complete records of a stream of chunks. */
export async function* printedLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Printed[]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : Buffer.concat([rest, chunk])
    const { records, end } = parse(bytes)
    rest = Buffer.from(bytes.subarray(end))
    if (records.length > 0) yield records
  }
  const last = noticeAt(rest, 0)
  if (last !== undefined) yield [last.record]
}

function parse(bytes: Buffer): { records: Printed[]; end: number } {
  const records: Printed[] = []
  let at = 0
  for (;;) {
    const nul = bytes.indexOf(0, at)
    if (nul === -1) return { records, end: at }
    const notice = noticeAt(bytes.subarray(0, nul), at)
    if (notice !== undefined) {
      records.push(notice.record)
      at = notice.end
      continue
    }
    const end = bytes.indexOf(LF, nul)
    if (end === -1) return { records, end: at }
    const record = lineRecord(bytes.subarray(at, nul), bytes.subarray(nul + 1, end))
    if (record !== undefined) records.push(record)
    at = end + 1
  }
}

/** The engine's words about a binary file, which it prints among the records. */
function noticeAt(bytes: Buffer, at: number): { record: Printed; end: number } | undefined {
  const newline = bytes.indexOf(': ', at)
  if (newline === -1 || !bytes.subarray(at).includes('byte around offset')) return undefined
  // Latin-1 keeps one character a byte, so that the path comes back as it was.
  const found = NOTICE.exec(bytes.toString('latin1', at))
  if (found === null) return undefined
  const path = Buffer.from(found[1] ?? '', 'latin1')
  return { record: { kind: found[2] === 'binary file matches' ? 'binary' : 'stopped', path }, end: at + found[0].length }
}

function lineRecord(path: Buffer, fields: Buffer): PrintedLine | undefined {
  const match = numbers(fields, MATCH_SEPARATOR, 3)
  if (match !== undefined) {
    const [line = 0, column = 0, offset = 0] = match.values
    return { kind: 'match', path, line, column, offset, text: fields.subarray(match.end) }
  }
  const context = numbers(fields, CONTEXT_SEPARATOR, 2)
  if (context === undefined) return undefined
  const [line = 0, offset = 0] = context.values
  return { kind: 'context', path, line, column: 0, offset, text: fields.subarray(context.end) }
}

function numbers(fields: Buffer, separator: number, count: number): { values: number[]; end: number } | undefined {
  const values: number[] = []
  let at = 0
  while (values.length < count) {
    let value = 0
    const start = at
    for (let digit = fields[at] ?? 0; digit >= 0x30 && digit <= 0x39; digit = fields[at] ?? 0) {
      value = value * 10 + digit - 0x30
      at += 1
    }
    if (at === start || fields[at] !== separator) return undefined
    values.push(value)
    at += 1
  }
  return { values, end: at }
}

/** Paths of `--files --null`, and `PATH NUL count LF` of `--count`. */
export async function* printedPaths(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk])
    const paths: Buffer[] = []
    let at = 0
    for (let nul = bytes.indexOf(0, at); nul !== -1; nul = bytes.indexOf(0, at)) {
      paths.push(bytes.subarray(at, nul))
      at = nul + 1
    }
    rest = bytes.subarray(at)
    if (paths.length > 0) yield paths
  }
}

export async function* printedCounts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<{ path: Buffer; count: number }[]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk])
    const counts: { path: Buffer; count: number }[] = []
    let at = 0
    for (;;) {
      const nul = bytes.indexOf(0, at)
      const end = nul === -1 ? -1 : bytes.indexOf(LF, nul)
      if (end === -1) break
      counts.push({ path: bytes.subarray(at, nul), count: Number(bytes.toString('latin1', nul + 1, end)) })
      at = end + 1
    }
    rest = bytes.subarray(at)
    if (counts.length > 0) yield counts
  }
}
