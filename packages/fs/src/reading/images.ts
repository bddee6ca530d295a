/**
 * Images by their bytes (F-51): png, jpeg, gif, webp. Structure is walked to its end and dimensions are read, so that a damaged or
 * enormous image never reaches a model.
 */

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

export const IMAGE_BYTES: number = 5 * 1024 * 1024
export const IMAGE_SIDE = 8000

export interface ImageFacts {
  mimeType: ImageType
  width: number
  height: number
}

export type ImageVerdict =
  | { ok: true; image: ImageFacts }
  | { ok: false; reason: 'corrupt' | 'dimensions'; width?: number; height?: number }

/** Which image the first bytes claim to be. */
export function imageType(head: Uint8Array): ImageType | undefined {
  if (ascii(head, 1, 3) === 'PNG' && head[0] === 0x89 && head[4] === 0x0d && head[5] === 0x0a) return 'image/png'
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'image/jpeg'
  if (ascii(head, 0, 6) === 'GIF87a' || ascii(head, 0, 6) === 'GIF89a') return 'image/gif'
  if (ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 4) === 'WEBP') return 'image/webp'
  return undefined
}

export function checkImage(bytes: Uint8Array, mimeType: ImageType): ImageVerdict {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = { 'image/png': readPng, 'image/jpeg': readJpeg, 'image/gif': readGif, 'image/webp': readWebp }[mimeType]
  let found: Structure | undefined
  try {
    found = read(view)
  } catch {
    // Reading past the end: the structure is cut off.
    found = undefined
  }
  if (found === undefined || found.width === 0 || found.height === 0) return { ok: false, reason: 'corrupt' }
  const { width, height } = found
  if (width > IMAGE_SIDE || height > IMAGE_SIDE) return { ok: false, reason: 'dimensions', width, height }
  return found.complete() ? { ok: true, image: { mimeType, width, height } } : { ok: false, reason: 'corrupt', width, height }
}

interface Structure {
  width: number
  height: number
  /** Whether the structure reaches its end; false or a throw where it does not. */
  complete(): boolean
}

function readPng(view: DataView): Structure | undefined {
  if (view.getUint32(8) !== 13 || text(view, 12, 4) !== 'IHDR') return undefined
  const complete = (): boolean =>
    guarded(() => {
      let data = false
      for (let at = 8; ;) {
        const length = view.getUint32(at)
        const type = text(view, at + 4, 4)
        // The checksum that ends the chunk must be inside the file.
        view.getUint32(at + 8 + length)
        if (type === 'IDAT') data = true
        if (type === 'IEND') return data
        at += 12 + length
      }
    })
  return { width: view.getUint32(16), height: view.getUint32(20), complete }
}

function readJpeg(view: DataView): Structure | undefined {
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === 0xd9 || marker === 0xda) return undefined
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (frame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7), complete: () => endsWithMarker(view, at) }
    at += marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7) ? 2 : 2 + view.getUint16(at + 2)
  }
}

/** A scan (FFDA) and after it the end marker (FFD9), which some writers pad. */
function endsWithMarker(view: DataView, from: number): boolean {
  let scan = -1
  for (let at = from; at + 1 < view.byteLength; at += 1) {
    if (view.getUint8(at) !== 0xff) continue
    if (view.getUint8(at + 1) === 0xda) scan = at
    if (view.getUint8(at + 1) === 0xd9 && scan !== -1) return true
  }
  return false
}

function readGif(view: DataView): Structure | undefined {
  const complete = (): boolean =>
    guarded(() => {
      const flags = view.getUint8(10)
      let at = 13 + colourTable(flags)
      let frames = 0
      for (;;) {
        const kind = view.getUint8(at)
        if (kind === 0x3b) return frames > 0
        if (kind === 0x21) at = skipBlocks(view, at + 2)
        else if (kind === 0x2c) {
          frames += 1
          at = skipBlocks(view, at + 11 + colourTable(view.getUint8(at + 9)))
        } else return false
      }
    })
  return { width: view.getUint16(6, true), height: view.getUint16(8, true), complete }
}

function colourTable(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1)
}

function skipBlocks(view: DataView, from: number): number {
  let at = from
  while (view.getUint8(at) !== 0) at += view.getUint8(at) + 1
  return at + 1
}

function readWebp(view: DataView): Structure | undefined {
  const complete = (): boolean => view.getUint32(4, true) + 8 <= view.byteLength
  const kind = text(view, 12, 4)
  if (kind === 'VP8X') return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1, complete }
  if (kind === 'VP8L') {
    if (view.getUint8(20) !== 0x2f) return undefined
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, complete }
  }
  if (kind !== 'VP8 ' || view.getUint8(23) !== 0x9d || view.getUint8(24) !== 0x01 || view.getUint8(25) !== 0x2a) return undefined
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, complete }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}

function guarded(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}

function text(view: DataView, at: number, length: number): string {
  return ascii(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), at, length)
}

function ascii(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}
