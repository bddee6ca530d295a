/**
 * The text of a file as a search sees it: UTF-16 with a byte order mark is decoded, the mark itself is not part of the text, bytes that
 * are not UTF-8 become U+FFFD, and a NUL makes the file binary. The functions refer to nothing outside of this file: a worker runs their text.
 */
import { identifierOf } from './scan-text.ts'

/** Undefined: binary. */
export function searchedText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return decodeBigEndian(bytes)
  return bytes.includes(0) ? undefined : new TextDecoder('utf-8').decode(bytes)
}

/** Hosts built with little international data lack this decoder: the bytes are swapped instead. */
function decodeBigEndian(bytes: Uint8Array): string {
  const swapped = new Uint8Array(bytes.length)
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    swapped[at] = bytes[at + 1] ?? 0
    swapped[at + 1] = bytes[at] ?? 0
  }
  return new TextDecoder('utf-16le').decode(swapped.subarray(0, bytes.length - (bytes.length % 2)))
}

/** JavaScript that evaluates to `searchedText`, for a worker thread. */
export function searchedTextSource(): string {
  return ['(() => {', ...[decodeBigEndian, searchedText].map(String), `return ${identifierOf(searchedText)} })()`].join('\n')
}
