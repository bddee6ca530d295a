/**
 * The fallback engine on the local disk: directories are walked here through descriptors, files are read and matched in a worker thread.
 */
import { lstat, readdir } from 'node:fs/promises'
import type { SearchEngine } from '../../search/engine.ts'
import type { ScanRequest } from '../../search/scan-text.ts'
import { createTreeEngine } from '../../search/tree-engine.ts'
import type { TreeDirectory, TreeEntry, TreePlace } from '../../search/tree.ts'
import { holdDirectory, type HeldDirectory } from '../search/descent.ts'
import { openGround, readSmall, type GroundOptions, type GroundPlace } from '../search/ground-place.ts'
import { scanThread, type ScanThread } from './scan-thread.ts'
import { spareWorker, type SpareWorker } from './spare-worker.ts'

export function createScriptEngine(options: GroundOptions): SearchEngine<TreePlace> {
  const workers = spareWorker()
  return createTreeEngine({
    async place(path, want) {
      return treePlace(await openGround(options, path, want), workers)
    },
  })
}

function treePlace(place: GroundPlace, workers: SpareWorker): TreePlace {
  const scanners = new Map<ScanRequest, ScanThread>()
  const scannerFor = (request: ScanRequest): ScanThread => {
    const known = scanners.get(request)
    if (known !== undefined) return known
    const started = scanThread(request, workers)
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
