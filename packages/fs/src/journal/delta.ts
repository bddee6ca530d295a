/**
 * A new content told by its pre-image: what both have in common at the beginning and at the end is only counted. So the journal knows
 * both sides of a change for little more than the bytes that changed.
 */

export interface Delta {
  /** Bytes at the start of the pre-image that the new content shares. */
  head: number
  /** The same at the end. */
  tail: number
  /** What is between them now. */
  middle: Uint8Array
}

export function deltaOf(before: Uint8Array, after: Uint8Array): Delta {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  return { head, tail, middle: after.subarray(head, after.length - tail) }
}

export function applyDelta(before: Uint8Array, { head, tail, middle }: Delta): Uint8Array {
  const after = new Uint8Array(head + middle.length + tail)
  after.set(before.subarray(0, head))
  after.set(middle, head)
  after.set(before.subarray(before.length - tail), head + middle.length)
  return after
}
