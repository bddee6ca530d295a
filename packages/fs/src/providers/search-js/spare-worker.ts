/**
 * The worker of the last search, kept a while for the next one: starting a thread takes longer than most searches. It keeps no process
 * alive, and only one that has answered everything is kept.
 */
import type { Worker } from 'node:worker_threads'
import { startScanWorker } from './scan-worker.ts'

const KEPT_MS = 30_000

export interface SpareWorker {
  take(): Worker
  /** `worker` has nothing to do any more and no listeners. */
  keep(worker: Worker): void
}

export function spareWorker(): SpareWorker {
  let spare: { worker: Worker; forget(): void } | undefined
  return {
    take() {
      const kept = spare?.worker
      spare?.forget()
      kept?.ref()
      return kept ?? startScanWorker()
    },
    keep(worker) {
      if (spare !== undefined) {
        void worker.terminate()
        return
      }
      const forget = (): void => {
        clearTimeout(timer)
        worker.off('exit', forget).off('error', forget)
        spare = undefined
      }
      const timer = setTimeout(() => {
        forget()
        void worker.terminate()
      }, KEPT_MS)
      timer.unref()
      worker.unref()
      worker.once('exit', forget).once('error', forget)
      spare = { worker, forget }
    },
  }
}
