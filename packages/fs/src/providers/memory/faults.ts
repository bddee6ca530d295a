/**
 * Faults that a test can put into the memory storage: a refusal, a delay of the virtual kind (an awaited hook), or something that
 * happens in between, at a named point.
 */
import { FsError, type FsErrorCode } from '../../definition/errors.ts'

/** In the order of a write: `walk`, `open`, `read`, `stage`, `write`, `sync`, `verify`, `publish`, `published`; further the other operations. */
export type FaultPoint =
  | 'walk'
  | 'open'
  | 'read'
  | 'stage'
  | 'write'
  | 'sync'
  | 'verify'
  | 'publish'
  | 'published'
  | 'overwrite'
  | 'remove'
  | 'rename'
  | 'makeDirectory'

export interface Fault {
  at: FaultPoint
  /** Only for this place, as shown; default any. */
  path?: string
  /** How often, default once. */
  times?: number
  /** Calls of this point to let pass first. */
  after?: number
  /** Refuse with this code. */
  code?: FsErrorCode
  /** Runs first; awaited. */
  run?: () => void | Promise<void>
}

export interface Faults {
  inject(fault: Fault): void
  /** @throws FsError of the fault that waits at this point */
  meet(at: FaultPoint, path: string): Promise<void>
}

export function createFaults(): Faults {
  const waiting: (Fault & { left: number; skip: number })[] = []
  return {
    inject: (fault) => void waiting.push({ ...fault, left: fault.times ?? 1, skip: fault.after ?? 0 }),
    async meet(at, path) {
      for (const fault of waiting) {
        if (fault.at !== at || fault.left === 0 || (fault.path !== undefined && fault.path !== path)) continue
        if (fault.skip > 0) {
          fault.skip -= 1
          continue
        }
        fault.left -= 1
        await fault.run?.()
        if (fault.code !== undefined) throw new FsError(fault.code, { path })
      }
    },
  }
}
