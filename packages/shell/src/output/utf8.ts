/**
 * Where characters start and end in bytes that may be cut anywhere, and decoding that counts what was no UTF-8 (RFC 3629).
 */

/** Bytes of the character that this byte starts; 1 for what starts none. */
function sequenceLength(byte: number): number {
  if (byte >= 0xf0 && byte <= 0xf4) return 4
  if (byte >= 0xe0 && byte < 0xf0) return 3
  if (byte >= 0xc2 && byte < 0xe0) return 2
  return 1
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Bytes at the end that are the beginning of a character still to come: 0 to 3. */
export function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    return sequenceLength(byte) > back ? back : 0
  }
  return 0
}

/** Bytes at the start that end a character whose beginning lies before them: 0 to 3. `before` holds up to 3 bytes in front, if known. */
export function orphanHead(bytes: Uint8Array, before: Uint8Array | undefined): number {
  let orphans = 0
  while (orphans < 3 && isContinuation(bytes[orphans])) orphans += 1
  if (orphans === 0) return 0
  if (before === undefined) return orphans
  const pending = unfinishedTail(before)
  if (pending === 0) return 0
  return Math.min(orphans, sequenceLength(before[before.length - pending] ?? 0) - pending)
}

/** Decodes; every maximal part that is no UTF-8 becomes one U+FFFD and counts one (WHATWG Encoding, "UTF-8 decode without BOM"). */
export function decodeUtf8(bytes: Uint8Array): { text: string; invalid: number } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  if (!text.includes('\uFFFD')) return { text, invalid: 0 }
  return { text, invalid: count(text, '\uFFFD') - genuineReplacements(bytes) }
}

function count(text: string, character: string): number {
  let found = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1
  return found
}

/** U+FFFD may be printed as such: EF BF BD. */
function genuineReplacements(bytes: Uint8Array): number {
  let found = 0
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) found += 1
  }
  return found
}
