/**
 * The `overlay` provider: reads through to a lower `FileSystem`, keeps every change in memory until `commit`. For dry runs and
 * rehearsals of programs. Links of the lower file system are followed by it; the overlay itself makes none.
 */
import type { Change, FileSystem, WriteIntent } from '../../definition/file-system.ts'
import type { ChangeRecorder } from '../../definition/change-journal.ts'
import type { Search } from '../../definition/search.ts'
import { createFileSystem, type FileSystemOptions } from '../common/file-system.ts'
import { observationBook } from '../common/observations.ts'
import { createFileSystemSearch } from '../../search/file-system-search.ts'
import { overlayLayer, type LayerEntry, type OverlayLayer } from './layer.ts'
import { overlayStorage } from './storage.ts'

export interface OverlayOptions extends Pick<FileSystemOptions, 'limits' | 'observe' | 'hardLinks' | 'diagnose'> {
  lower: FileSystem
  /** Default: the fallback engine over this file system. */
  search?: (fileSystem: FileSystem) => Search
  lineage?: (agent: string) => readonly string[]
  recorder?: ChangeRecorder
}

export interface OverlayChange {
  /** Absolute. */
  path: string
  kind: 'create' | 'modify' | 'delete'
}

export interface OverlayFileSystem extends FileSystem {
  /** What differs from the lower file system, sorted by path. */
  changes(): Promise<OverlayChange[]>
  /**
   * Puts the changes into the lower file system, one file after the other: files that were changed there meanwhile are refused
   * (`FS_STALE_VERSION`) before the first one is written.
   */
  commit(intent: WriteIntent): Promise<Change[]>
  discard(): void
}

let instances = 0

export function createOverlayFileSystem(options: OverlayOptions): OverlayFileSystem {
  const { lower, lineage, search = createFileSystemSearch, recorder, limits, observe, hardLinks, diagnose } = options
  const layer = overlayLayer()
  instances += 1
  const storage = overlayStorage({ lower, layer, lockSpace: `overlay-${instances}` })
  const book = observationBook({ lineage })
  const fileSystem = createFileSystem(storage, { book, search, recorder, limits, observe, hardLinks, diagnose })
  return {
    ...fileSystem,
    changes: () => changesOf(layer),
    commit: (intent) => commitLayer({ lower, layer, intent }),
    discard: () => layer.clear(),
  }
}

async function changesOf(layer: OverlayLayer): Promise<OverlayChange[]> {
  return layer.entries().flatMap(([path, entry]) => {
    const kind = kindOf(entry)
    return kind === undefined ? [] : [{ path, kind }]
  })
}

function kindOf(entry: LayerEntry): OverlayChange['kind'] | undefined {
  if (entry.kind === 'gone') return entry.lower === undefined ? undefined : 'delete'
  return entry.lower === undefined ? 'create' : 'modify'
}

async function commitLayer({ lower, layer, intent }: { lower: FileSystem; layer: OverlayLayer; intent: WriteIntent }): Promise<Change[]> {
  const entries = layer.entries()
  for (const [path, entry] of entries) await layer.refuseStale(lower, path, entry)
  const changes: Change[] = []
  // Removals first, deepest first; then what is new, from the top.
  for (const [path, entry] of [...entries].reverse()) {
    if (entry.kind === 'file' || entry.lower === undefined) continue
    const target = await lower.resolve(path, { leaf: 'keep' })
    if ((await lower.stat(target)).kind !== 'missing')
      changes.push(...(await lower.remove(target, { ...intent, expect: 'any', recursive: true })))
  }
  for (const [path, entry] of entries) {
    if (entry.kind !== 'file') continue
    const target = await lower.resolve(path)
    const mode = entry.lower?.mode === entry.mode ? {} : { mode: entry.mode }
    changes.push(await lower.write(target, entry.content, { ...intent, ...mode, expect: entry.lower === undefined ? 'absent' : 'any' }))
  }
  layer.clear()
  return changes
}
