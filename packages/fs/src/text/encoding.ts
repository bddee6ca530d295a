/**
 * Encodings (F-34). A file's bytes become a body in UTF-8 to search and edit, and the way back. UTF-8 bodies are the bytes themselves,
 * so that nothing is ever re-encoded; UTF-16 is converted only where the conversion is lossless both ways.
 */
import { FsError } from '../definition/errors.ts'
import type { TextEncoding } from '../definition/file-system.ts'

/** How far into a file a NUL makes it binary. */
export const SNIFFED_BYTES: number = 8 * 1024

export interface Sniffed {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'binary'
  bom: boolean
  bomBytes: number
}

/** Tells the encoding from the first bytes; validity of UTF-8 is not looked at. */
export function sniffEncoding(head: Uint8Array): Sniffed {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return withNul(head, { encoding: 'utf-8', bom: true, bomBytes: 3 })
  const utf32 = head.length >= 4 && head[2] === 0 && head[3] === 0
  if (head[0] === 0xff && head[1] === 0xfe && !utf32) return { encoding: 'utf-16le', bom: true, bomBytes: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', bom: true, bomBytes: 2 }
  return withNul(head, { encoding: 'utf-8', bom: false, bomBytes: 0 })
}

function withNul(head: Uint8Array, sniffed: Sniffed): Sniffed {
  const nul = head.subarray(0, SNIFFED_BYTES).includes(0)
  return nul ? { encoding: 'binary', bom: false, bomBytes: 0 } : sniffed
}

/** Text of a file without its BOM, as UTF-8 bytes, and what is needed to write it back. */
export interface DecodedFile {
  body: Buffer
  bom: boolean
  encoding: TextEncoding
}

/** @throws FsError FS_BINARY. Invalid UTF-8 is given as `unknown-8bit` with its bytes as they are. */
export function decodeFile(bytes: Uint8Array, path: string, valid: (bytes: Uint8Array) => boolean = isUtf8): DecodedFile {
  const sniffed = sniffEncoding(bytes)
  if (sniffed.encoding === 'binary') throw new FsError('FS_BINARY', { path, size: bytes.length })
  const rest = viewOf(bytes).subarray(sniffed.bomBytes)
  if (sniffed.encoding === 'utf-8') return { body: rest, bom: sniffed.bom, encoding: valid(rest) ? 'utf-8' : 'unknown-8bit' }
  return { body: Buffer.from(fromUtf16(rest, sniffed.encoding), 'utf8'), bom: true, encoding: sniffed.encoding }
}

/** As `decodeFile`, for changes: what could not be written back alike is refused. @throws FsError FS_BINARY, FS_ENCODING */
export function decodeForChange(bytes: Uint8Array, path: string, valid?: (bytes: Uint8Array) => boolean): DecodedFile {
  const decoded = decodeFile(bytes, path, valid)
  const lossless =
    decoded.encoding === 'utf-8' || (decoded.encoding !== 'unknown-8bit' && encodeFile(decoded.body, decoded).equals(viewOf(bytes)))
  if (!lossless) throw new FsError('FS_ENCODING', { path, encoding: decoded.encoding })
  return decoded
}

/** The bytes of a file whose text is `body` (UTF-8), with the BOM and encoding of `like`. */
export function encodeFile(body: Buffer, like: { bom: boolean; encoding: TextEncoding }): Buffer {
  if (like.encoding === 'utf-16le' || like.encoding === 'utf-16be') {
    const units = Buffer.from(`\uFEFF${body.toString('utf8')}`, 'utf16le')
    return like.encoding === 'utf-16be' ? units.swap16() : units
  }
  return like.bom ? Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]) : body
}

/** UTF-8 bytes of a string that a caller gave. @throws FsError FS_ENCODING for lone surrogates, which no file could hold. */
export function encodeGiven(text: string, path: string): Buffer {
  if (/\p{Surrogate}/u.test(text)) throw new FsError('FS_ENCODING', { path, reason: 'lone surrogate in the given text' })
  return Buffer.from(text, 'utf8')
}

/** A view on the same memory. */
export function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Checked in pieces that end at a character start, so that a large file never becomes one big string. */
export function isUtf8(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const piece = 256 * 1024
  try {
    for (let start = 0; start < bytes.length; start += piece) {
      decoder.decode(bytes.subarray(start, start + piece), { stream: true })
    }
    decoder.decode()
    return true
  } catch {
    return false
  }
}

function fromUtf16(units: Buffer, encoding: 'utf-16le' | 'utf-16be'): string {
  const even = units.subarray(0, units.length & ~1)
  return (encoding === 'utf-16be' ? Buffer.from(even).swap16() : even).toString('utf16le')
}
