/**
 * One captured pipe: its ring, its spill, and the pausing of the pipe while the disk is behind.
 */
import type { OutputSlice, ReadOptions } from '../definition/command.ts'
import type { ShellLimits } from '../definition/limits.ts'
import type { OutputPipe } from '../definition/subprocess.ts'
import { OutputRing } from '../output/ring.ts'
import { sliceOutput } from '../output/slice.ts'
import type { SpillSink } from './ports.ts'

export interface Capture {
  readonly ring: OutputRing
  readonly pipe: OutputPipe
  readonly spill: SpillSink | undefined
  slice(options: ReadOptions & { final: boolean; reserve?: number }): OutputSlice
}

export function capture(pipe: OutputPipe, options: { limits: ShellLimits; openSpill(): SpillSink | undefined; onBytes(): void }): Capture {
  const { limits, openSpill, onBytes } = options
  const ring = new OutputRing(limits)
  const capacity = limits.headBytes + limits.tailBytes
  let spill: SpillSink | undefined

  const spillOver = (chunk: Uint8Array): void => {
    if (spill === undefined) {
      spill = openSpill()
      spill?.onDrain(() => pipe.resume())
      // Nothing has left the ring yet: the file begins with byte 0.
      if (ring.total > 0) spill?.write(ring.copy({ from: 0, to: ring.total }))
    }
    if (spill?.write(chunk) === false) pipe.pause()
  }
  pipe.onData((chunk) => {
    if (ring.total + chunk.length > capacity) spillOver(chunk)
    ring.push(chunk)
    onBytes()
  })
  return {
    ring,
    pipe,
    get spill() {
      return spill
    },
    slice: ({ from, maxBytes, final, reserve }) =>
      sliceOutput(ring, {
        final,
        ...(from === undefined ? {} : { from }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
        ...(reserve === undefined ? {} : { reserve }),
        spill: spill !== undefined && spill.failure === undefined ? spill.info : undefined,
      }),
  }
}
