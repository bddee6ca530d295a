/**
 * One search's use of a worker: orders go out, answers come back by number. What has not answered when the search ends may be a pattern
 * that never ends: then the thread is ended with it.
 */
import type { ScanRequest } from '../../search/scan-text.ts'
import type { FileScan } from '../../search/tree.ts'
import type { ScanAnswer, ScanOrder } from './scan-worker.ts'
import type { SpareWorker } from './spare-worker.ts'

export interface ScanThread {
  scan(directory: string, names: readonly string[], stop: AbortSignal): Promise<FileScan[]>
  end(): void
}

interface Waiting {
  resolve(scans: FileScan[]): void
  reject(error: unknown): void
}

export function scanThread(request: ScanRequest, workers: SpareWorker): ScanThread {
  const worker = workers.take()
  const waiting = new Map<number, Waiting>()
  let next = 0
  let failure: { error: unknown } | undefined
  let ended = false
  let watched: AbortSignal | undefined
  const endAll = (settle: (one: Waiting) => void): void => {
    for (const one of waiting.values()) settle(one)
    waiting.clear()
  }
  const onMessage = ({ id, scans }: ScanAnswer): void => {
    waiting.get(id)?.resolve(scans)
    waiting.delete(id)
  }
  const onError = (error: unknown): void => {
    failure = { error }
    endAll((one) => one.reject(error))
  }
  const onExit = (): void => {
    ended = true
    endAll((one) => one.resolve([]))
  }
  worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  const stopped = (): void => {
    if (ended || waiting.size === 0) return
    ended = true
    void worker.terminate()
    endAll((one) => one.resolve([]))
  }
  return {
    end() {
      watched?.removeEventListener('abort', stopped)
      stopped()
      if (ended || failure !== undefined) return
      ended = true
      workers.keep(worker.off('message', onMessage).off('error', onError).off('exit', onExit))
    },
    scan(directory, names, stop) {
      if (stop.aborted || ended) return Promise.resolve([])
      if (watched === undefined) stop.addEventListener('abort', stopped, { once: true })
      watched ??= stop
      return new Promise<FileScan[]>((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure.error)
          return
        }
        const id = (next += 1)
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, request, directory, names } satisfies ScanOrder, [])
      })
    },
  }
}
