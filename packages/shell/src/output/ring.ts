/**
 * What is kept of one pipe: the first bytes, the last bytes and an exact count of all. The only truncation of output in this package (S-30).
 */

export interface ByteRange {
  readonly from: number
  readonly to: number
}

export class OutputRing {
  readonly headBytes: number
  readonly tailBytes: number
  #head: Uint8Array | undefined
  #tail: Uint8Array | undefined
  #total = 0

  constructor(size: { headBytes: number; tailBytes: number }) {
    this.headBytes = size.headBytes
    this.tailBytes = size.tailBytes
  }

  get total(): number {
    return this.#total
  }

  /** The bytes that are gone; undefined while everything is held. */
  get missing(): ByteRange | undefined {
    const from = this.headBytes
    const to = this.#total - this.tailBytes
    return to > from ? { from, to } : undefined
  }

  /** Copies what it keeps: the chunk may be used again by its owner. */
  push(chunk: Uint8Array): void {
    const toHead = Math.min(chunk.length, Math.max(0, this.headBytes - this.#total))
    if (toHead > 0) {
      this.#head = roomFor(this.#head, { used: this.#total, more: toHead, max: this.headBytes })
      this.#head.set(chunk.subarray(0, toHead), this.#total)
      this.#total += toHead
    }
    if (chunk.length > toHead) this.#pushTail(toHead === 0 ? chunk : chunk.subarray(toHead))
  }

  #pushTail(bytes: Uint8Array): void {
    this.#tail ??= new Uint8Array(this.tailBytes)
    const keep = bytes.length > this.tailBytes ? bytes.subarray(bytes.length - this.tailBytes) : bytes
    this.#total += bytes.length
    const end = (this.#total - this.headBytes) % this.tailBytes
    const start = end - keep.length
    if (start >= 0) return this.#tail.set(keep, start)
    this.#tail.set(keep.subarray(0, -start), this.tailBytes + start)
    this.#tail.set(keep.subarray(-start), 0)
  }

  /** A copy of the held bytes of a range. The range must not touch `missing`. */
  copy(range: ByteRange): Uint8Array {
    const out = new Uint8Array(Math.max(0, range.to - range.from))
    const headEnd = Math.min(this.#total, this.headBytes)
    const headPart = Math.max(0, Math.min(range.to, headEnd) - range.from)
    if (headPart > 0 && this.#head !== undefined) out.set(this.#head.subarray(range.from, range.from + headPart))
    if (out.length > headPart && this.#tail !== undefined) this.#copyTail(out.subarray(headPart), range.from + headPart)
    return out
  }

  #copyTail(out: Uint8Array, from: number): void {
    if (this.#tail === undefined) return
    const start = (from - this.headBytes) % this.tailBytes
    const first = Math.min(out.length, this.tailBytes - start)
    out.set(this.#tail.subarray(start, start + first))
    if (out.length > first) out.set(this.#tail.subarray(0, out.length - first), first)
  }
}

/** Most commands print little: the head grows from 1 KiB. */
function roomFor(buffer: Uint8Array | undefined, { used, more, max }: { used: number; more: number; max: number }): Uint8Array {
  if (buffer !== undefined && buffer.length >= used + more) return buffer
  const grown = new Uint8Array(Math.min(max, Math.max(1024, (used + more) * 2)))
  if (buffer !== undefined) grown.set(buffer.subarray(0, used))
  return grown
}
