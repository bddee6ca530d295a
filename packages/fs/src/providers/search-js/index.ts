/**
 * The fallback engine on the local disk: directories are walked here through descriptors, files are read and matched in a worker thread.
 */
import { lstat, readdir } from 'node:fs/promises'
import type { Worker } from 'node:worker_threads'
import type { SearchEngine } from '../../search/engine.ts'
import type { ScanRequest } from '../../search/scan-text.ts'
import { createTreeEngine } from '../../search/tree-engine.ts'
import type { FileScan, TreeDirectory, TreeEntry, TreePlace } from '../../search/tree.ts'
import { holdDirectory, type HeldDirectory } from '../search/descent.ts'
import { openGround, readSmall, type GroundOptions, type GroundPlace } from '../search/ground-place.ts'
import { startScanWorker, type ScanAnswer } from './scan-worker.ts'

export function createScriptEngine(options: GroundOptions): SearchEngine<TreePlace> {
  return createTreeEngine({
    async place(path, want) {
      return treePlace(await openGround(options, path, want))
    },
  })
}

function treePlace(place: GroundPlace): TreePlace {
  const scanners = new Map<ScanRequest, ScanThread>()
  const scannerFor = (request: ScanRequest): ScanThread => {
    const known = scanners.get(request)
    if (known !== undefined) return known
    const started = scanThread(request)
    scanners.set(request, started)
    return started
  }
  return {
    ...place,
    close() {
      for (const scanner of scanners.values()) scanner.end()
      place.close()
    },
    directory(below) {
      if (place.kind === 'file') return Promise.resolve(heldTree({ path: place.procPath, close: () => {} }, scannerFor))
      try {
        return Promise.resolve(heldTree(holdDirectory(place.procPath, below), scannerFor))
      } catch (error) {
        return Promise.reject(error)
      }
    },
  }
}

function heldTree(held: HeldDirectory, scannerFor: (request: ScanRequest) => ScanThread): TreeDirectory {
  return {
    async entries() {
      const entries = await readdir(held.path, { withFileTypes: true })
      return entries.map((entry): TreeEntry => ({
        name: entry.name,
        kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'other',
      }))
    },
    readSmall: (path) => readSmall(held.path, path),
    modified: (names) => Promise.all(names.map((name) => modifiedAt(`${held.path}/${name}`))),
    scan: (names, request, stop) => scannerFor(request).scan(held.path, names, stop),
    close: () => held.close(),
  }
}

async function modifiedAt(path: string): Promise<number | undefined> {
  try {
    const stat = await lstat(path)
    return stat.isFile() ? stat.mtimeMs : undefined
  } catch {
    return undefined
  }
}

interface ScanThread {
  scan(directory: string, names: readonly string[], stop: AbortSignal): Promise<FileScan[]>
  end(): void
}

function scanThread(request: ScanRequest): ScanThread {
  const worker: Worker = startScanWorker(request)
  const waiting = new Map<number, { resolve(scans: FileScan[]): void; reject(error: unknown): void }>()
  let next = 0
  let failure: unknown
  let ended = false
  let watched: AbortSignal | undefined
  const endAll = (settle: (one: { resolve(scans: FileScan[]): void; reject(error: unknown): void }) => void): void => {
    for (const one of waiting.values()) settle(one)
    waiting.clear()
  }
  worker.on('message', ({ id, scans }: ScanAnswer) => {
    waiting.get(id)?.resolve(scans)
    waiting.delete(id)
  })
  worker.on('error', (error) => {
    failure = error
    endAll((one) => one.reject(error))
  })
  worker.on('exit', () => endAll((one) => one.resolve([])))
  const end = (): void => {
    ended = true
    watched?.removeEventListener('abort', end)
    void worker.terminate()
    endAll((one) => one.resolve([]))
  }
  return {
    end,
    scan(directory, names, stop) {
      if (stop.aborted || ended) return Promise.resolve([])
      if (watched === undefined) stop.addEventListener('abort', end, { once: true })
      watched ??= stop
      return new Promise<FileScan[]>((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure)
          return
        }
        const id = (next += 1)
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, directory, names }, [])
      })
    },
  }
}
