/**
 * The admission store: live blocks in one map, tombstones of those that are gone in another, bounded one.
 */
import type { AdmissionMiss, AdmissionOptions, AdmissionStore, AdmittedBlock } from '../definition/admissions.ts'
import { ToolExecutorError } from '../definition/errors.ts'
import { BoundedMap } from '../guarding/bounded-map.ts'

const DEFAULT_RETAIN = 10_000

export function createAdmissions<R>(options: AdmissionOptions = {}): AdmissionStore<R> {
  const live = new Map<string, AdmittedBlock<R>>()
  const gone = new BoundedMap<Exclude<AdmissionMiss, 'never_prepared'>>(options.retain ?? DEFAULT_RETAIN)

  return {
    put(dlineTid, block) {
      if (gone.get(dlineTid) === 'consumed') {
        throw new ToolExecutorError('ADMISSION_CONSUMED', `block '${dlineTid}' was taken already; its effects happen at most once`, {
          dlineTid,
        })
      }
      gone.delete(dlineTid)
      live.set(dlineTid, block)
    },
    peek: (dlineTid) => live.get(dlineTid),
    take(dlineTid) {
      const block = live.get(dlineTid)
      if (block === undefined) throw missing(dlineTid, gone.get(dlineTid) ?? 'never_prepared')
      live.delete(dlineTid)
      gone.set(dlineTid, 'consumed')
      return block
    },
    discard(dlineTid) {
      if (!live.delete(dlineTid)) return false
      gone.set(dlineTid, 'discarded')
      return true
    },
    get size() {
      return live.size
    },
  }
}

const MISS: Record<AdmissionMiss, string> = {
  never_prepared: 'was never prepared, or long ago',
  consumed: 'was taken already',
  discarded: 'was discarded',
}

function missing(dlineTid: string, why: AdmissionMiss): ToolExecutorError {
  return new ToolExecutorError('ADMISSION_MISSING', `block '${dlineTid}' ${MISS[why]}`, { dlineTid, why })
}
