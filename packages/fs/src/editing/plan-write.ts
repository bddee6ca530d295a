/**
 * What a write over a file puts there (F-34, F-35): the BOM, the encoding and uniform CRLF of the old file are kept.
 */
import { decodeFile, encodeFile, sniffEncoding } from '../text/encoding.ts'
import { detectLineEnds, withLineEnds } from '../text/lines.ts'
import { changeBetween, type TextChange } from './whole-file.ts'

export interface PlannedWrite {
  after: Buffer
  notes: string[]
  change: TextChange
}

/** The bytes to write: BOM, encoding and CRLF of the old file are kept (F-34, F-35); bytes given as such are literal. */
export function planWrite(path: string, before: Buffer | undefined, given: Buffer | { literal: Buffer }): PlannedWrite {
  if (!Buffer.isBuffer(given)) return { after: given.literal, notes: [], change: changeOf(path, before, given.literal) }
  if (before === undefined) return { after: given, notes: [], change: changeOf(path, undefined, given) }
  const sniffed = sniffEncoding(before)
  if (sniffed.encoding === 'binary')
    return { after: given, notes: ['the file was binary before'], change: { hunks: [], added: 0, removed: 0 } }
  const old = decodeFile(before, path)
  const notes: string[] = []
  let body = withoutBom(given, old.bom)
  if (!body.includes(13) && body.includes(10) && detectLineEnds(old.body) === 'crlf') {
    body = Buffer.from(withLineEnds(body.toString('utf8'), '\r\n'), 'utf8')
    notes.push('written with CRLF line ends, as the file had them')
  }
  const encoding = old.encoding === 'unknown-8bit' ? 'utf-8' : old.encoding
  if (old.encoding === 'unknown-8bit') notes.push('the file was not valid UTF-8; it is now')
  return { after: encodeFile(body, { bom: old.bom, encoding }), notes, change: changeBetween(old.body, body) }
}

function withoutBom(body: Buffer, oldBom: boolean): Buffer {
  return oldBom && body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

function changeOf(path: string, before: Buffer | undefined, after: Buffer): TextChange {
  const text = (bytes: Buffer): Buffer | undefined =>
    sniffEncoding(bytes).encoding === 'binary' ? undefined : decodeFile(bytes, path).body
  const old = before === undefined ? Buffer.alloc(0) : text(before)
  const now = text(after)
  return old === undefined || now === undefined ? { hunks: [], added: 0, removed: 0 } : changeBetween(old, now)
}
