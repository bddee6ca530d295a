/**
 * The memory layer of an overlay: files, directories and gaps by absolute path, each with what the lower file system had there.
 */
import { FsError } from '../../definition/errors.ts'
import type { FileFacts, FileSystem } from '../../definition/file-system.ts'
import { isStale } from '../../definition/versions.ts'
import { isWithin } from '../../paths/rules.ts'

interface LayerFacts {
  /** What the lower file system had when the entry was first changed; undefined for nothing. */
  lower: FileFacts | undefined
  ino: number
  changedNs: bigint
}

export type LayerEntry = LayerFacts &
  ({ kind: 'file'; content: Buffer; mode: number } | { kind: 'directory'; mode: number } | { kind: 'gone' })

export type NewEntry = { kind: 'file'; content: Buffer; mode: number } | { kind: 'directory'; mode: number } | { kind: 'gone' }

export interface OverlayLayer {
  get(path: string): LayerEntry | undefined
  /** A directory above is gone: what the lower file system has here is not to be seen. */
  hides(path: string): boolean
  set(path: string, entry: NewEntry, lower: FileFacts | undefined): LayerEntry
  /** As it was before `set`. */
  put(path: string, entry: LayerEntry | undefined): void
  /** Names directly below that the layer knows. */
  below(directory: string): [name: string, entry: LayerEntry][]
  /** Everything, sorted by path. */
  entries(): [path: string, entry: LayerEntry][]
  refuseStale(lower: FileSystem, path: string, entry: LayerEntry): Promise<void>
  clear(): void
}

export function overlayLayer(): OverlayLayer {
  const known = new Map<string, LayerEntry>()
  let counter = 0
  return {
    get: (path) => known.get(path),
    hides(path) {
      // A directory in the layer was made there: what the lower file system has below that name is another one's.
      for (const [above, entry] of known) if (above !== path && isWithin(path, above) && entry.kind !== 'file') return true
      return false
    },
    set(path, entry, lower) {
      counter += 1
      const before = known.get(path)
      const next: LayerEntry = { ...entry, lower: before === undefined ? lower : before.lower, ino: counter, changedNs: BigInt(counter) }
      known.set(path, next)
      return next
    },
    put(path, entry) {
      if (entry === undefined) known.delete(path)
      else known.set(path, entry)
    },
    below(directory) {
      const prefix = directory === '/' ? '/' : `${directory}/`
      return [...known].flatMap(([path, entry]): [string, LayerEntry][] => {
        const name = path.startsWith(prefix) ? path.slice(prefix.length) : ''
        return name === '' || name.includes('/') ? [] : [[name, entry]]
      })
    },
    entries: () => [...known].sort(([a], [b]) => (a < b ? -1 : 1)),
    async refuseStale(lower, path, entry) {
      const now = await lower.stat(await lower.resolve(path, { leaf: 'keep' }))
      const before = entry.lower?.version
      const actual = now.version
      if (before === undefined && actual !== undefined && entry.kind === 'file') throw new FsError('FS_ALREADY_EXISTS', { path })
      if (before === undefined || now.kind === 'directory') return
      if (actual === undefined || isStale(before, actual))
        throw new FsError('FS_STALE_VERSION', { path, expected: before, actual: actual ?? 'missing' })
    },
    clear: () => known.clear(),
  }
}
