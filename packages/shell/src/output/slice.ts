/**
 * One read of a pipe: raw bytes and clean text, cut where characters start, with what is missing said (S-30, S-32, S-33).
 */
import type { OutputSlice, SpillInfo } from '../definition/command.ts'
import { cleanOutput, unfinishedSequence } from './clean.ts'
import type { ByteRange, OutputRing } from './ring.ts'
import { decodeUtf8, orphanHead, unfinishedTail } from './utf8.ts'

export interface SliceOptions {
  from?: number
  maxBytes?: number
  /** Nothing more will come: the last bytes are shown as they are. */
  final: boolean
  /** Bytes after a gap that are given up for a notice. */
  reserve?: number
  spill?: SpillInfo | undefined
}

export function sliceOutput(ring: OutputRing, options: SliceOptions): OutputSlice {
  const from = Math.min(Math.max(0, Math.trunc(options.from ?? 0)), ring.total)
  const [before, after] = heldRanges(ring, { from, reserve: options.reserve ?? 0 })
  const limited = limit([before, after], Math.max(16, options.maxBytes ?? Number.MAX_SAFE_INTEGER))
  const reachesEnd = limited.next === ring.total
  const first = part(ring, limited.before, {
    start: 'known',
    end: after === undefined ? (reachesEnd && options.final ? 'final' : 'open') : 'gap',
  })
  const second =
    limited.after === undefined
      ? undefined
      : part(ring, limited.after, { start: 'gap', end: reachesEnd && options.final ? 'final' : 'open' })
  return assemble({ ring, from, first, second, spill: options.spill })
}

/** The held bytes from an offset on: in front of the gap, and behind it. */
function heldRanges(ring: OutputRing, { from, reserve }: { from: number; reserve: number }): [ByteRange, ByteRange | undefined] {
  const gap = ring.missing
  if (gap === undefined || from >= gap.to + reserve) return [{ from, to: ring.total }, undefined]
  const resume = Math.min(gap.to + reserve, ring.total)
  return [
    { from: Math.min(from, gap.from), to: gap.from },
    { from: resume, to: ring.total },
  ]
}

function limit(
  [before, after]: [ByteRange, ByteRange | undefined],
  maxBytes: number,
): { before: ByteRange; after: ByteRange | undefined; next: number } {
  const length = before.to - before.from
  if (length >= maxBytes && length > 0) {
    const to = before.from + maxBytes
    return { before: { from: before.from, to }, after: undefined, next: to }
  }
  if (after === undefined) return { before, after, next: before.to }
  const to = Math.min(after.to, after.from + maxBytes - length)
  return { before, after: { from: after.from, to }, next: to }
}

interface Part {
  from: number
  to: number
  bytes: Uint8Array
  text: string
  invalid: number
}

/** `end`: 'gap' drops a cut character, 'open' leaves it (and an open sequence) for the next read, 'final' shows it. */
function part(ring: OutputRing, range: ByteRange, edges: { start: 'known' | 'gap'; end: 'gap' | 'open' | 'final' }): Part {
  const bytes = ring.copy(range)
  const skip = orphanHead(bytes, edges.start === 'gap' ? undefined : bytesBefore(ring, range.from))
  const cut = edges.end === 'final' ? 0 : unfinishedTail(bytes.subarray(skip))
  const decoded = decodeUtf8(bytes.subarray(skip, bytes.length - cut))
  const waiting = edges.end === 'open' ? unfinishedSequence(decoded.text) : 0
  // An open sequence is ASCII or cut anew next time; it must not stop a reader that got nothing else.
  const held =
    waiting > 0 && waiting < decoded.text.length
      ? Buffer.byteLength(decoded.text.slice(-waiting))
      : waiting > 0 && range.to === ring.total
        ? bytes.length - skip - cut
        : 0
  const to = range.to - cut - held
  const kept = bytes.subarray(skip, to - range.from)
  const text = held > 0 ? decodeUtf8(kept) : decoded
  return { from: range.from + skip, to, bytes: kept, text: cleanOutput(text.text), invalid: text.invalid }
}

function bytesBefore(ring: OutputRing, from: number): Uint8Array | undefined {
  if (from === 0) return new Uint8Array(0)
  const start = Math.max(0, from - 3)
  const gap = ring.missing
  if (gap !== undefined && start < gap.to && from > gap.from) return undefined
  return ring.copy({ from: start, to: from })
}

function assemble(read: {
  ring: OutputRing
  from: number
  first: Part
  second: Part | undefined
  spill: SpillInfo | undefined
}): OutputSlice {
  const { first, second } = read
  const missing = second === undefined ? undefined : { from: Math.max(first.to, read.from), to: second.from }
  const skippedAtStart = second === undefined ? first.from - read.from : 0
  return {
    bytes: second === undefined ? first.bytes : Buffer.concat([first.bytes, second.bytes]),
    text: second === undefined ? first.text : first.text + second.text,
    omittedAt: second === undefined ? undefined : first.text.length,
    from: read.from,
    next: Math.max((second ?? first).to, read.from),
    totalBytes: read.ring.total,
    omittedBytes: missing === undefined ? skippedAtStart : missing.to - missing.from,
    lossy: missing !== undefined,
    missing,
    invalidBytes: first.invalid + (second?.invalid ?? 0),
    spill: read.spill,
  }
}
