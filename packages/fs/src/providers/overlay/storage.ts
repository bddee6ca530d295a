/**
 * The storage of an overlay: the lower file system resolves and reads; names, contents and gaps of the layer come before it.
 */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { FsError, isFsError } from '../../definition/errors.ts'
import type { FileFacts, FileSystem, FileTarget } from '../../definition/file-system.ts'
import type { DirectoryEntry, EntryFacts, Reversible, Spot, Staged, Storage } from '../common/storage.ts'
import { isWithin } from '../../paths/rules.ts'
import type { LayerEntry, OverlayLayer } from './layer.ts'

interface OverlaySpot extends Spot {
  /** What the lower file system has here, whether it is to be seen or not. */
  readonly lower: FileFacts | undefined
}

/** Layer entries have a device of their own: no inode of the lower file system is mistaken for one. */
const LAYER_DEVICE = 1_000_003

export function overlayStorage({ lower, layer, lockSpace }: { lower: FileSystem; layer: OverlayLayer; lockSpace: string }): Storage {
  const lowerOf = (spot: Spot): FileFacts | undefined => ('lower' in spot ? (spot as OverlaySpot).lower : undefined)
  const now = async (absolute: string): Promise<EntryFacts | undefined> => {
    const entry = layer.get(absolute)
    if (entry !== undefined) return entryFacts(entry)
    if (layer.hides(absolute)) return undefined
    return lowerFacts(await lower.stat(await lower.resolve(absolute, { leaf: 'keep' })))
  }
  const bytesOf = async (absolute: string): Promise<Buffer> => {
    const entry = layer.get(absolute)
    if (entry?.kind === 'file') return entry.content
    const target = await lower.resolve(absolute, { leaf: 'keep' })
    const { size } = await lower.stat(target)
    return Buffer.from(await lower.readBytes(target, { offset: 0, length: size }))
  }
  /** Directories that the layer has to know before something is in them. Gives the way back. */
  const makeParents = (spot: Spot): (() => void) => {
    const parts = spot.absolute.split('/').slice(0, -1)
    const before: [string, LayerEntry | undefined][] = []
    for (let at = parts.length - spot.missingParents.length; at < parts.length; at += 1) {
      const path = parts.slice(0, at + 1).join('/')
      before.push([path, layer.get(path)])
      layer.set(path, { kind: 'directory', mode: 0o755 }, undefined)
    }
    return () => {
      for (const [path, entry] of before.reverse()) layer.put(path, entry)
    }
  }
  /** The tree below a place as the overlay shows it, the place first. */
  const treeOf = async (absolute: string): Promise<string[]> => {
    const facts = await now(absolute)
    if (facts?.kind !== 'directory') return facts === undefined ? [] : [absolute]
    const names = (await storage.readDirectory(await storage.walk(absolute, 'keep'))).map((entry) => entry.name)
    return [absolute, ...(await Promise.all(names.map((name) => treeOf(`${absolute}/${name}`)))).flat()]
  }

  const storage: Storage = {
    roots: lower.roots,
    raceFree: lower.raceFree,
    stateFolders: lower.roots.map((root) => `${root}/.toolseam`),
    lockSpace,
    walk: (path, leaf) => walkOverlay({ lower, layer, roots: lower.roots }, { path, leaf }),
    async open(spot) {
      const facts = await now(spot.absolute)
      if (facts === undefined) throw new FsError('FS_NOT_FOUND', { path: spot.path })
      if (facts.kind !== 'file') throw new FsError('FS_NOT_REGULAR', { path: spot.path, kind: facts.kind })
      const entry = layer.get(spot.absolute)
      return {
        facts,
        async read(offset, length) {
          if (entry?.kind === 'file') return entry.content.subarray(offset, offset + length)
          return lower.readBytes(await lower.resolve(spot.absolute, { leaf: 'keep' }), { offset, length })
        },
        refresh: async () => (await now(spot.absolute)) ?? facts,
        close: async () => undefined,
      }
    },
    refresh: (spot) => now(spot.absolute),
    async siblings(spot) {
      const parts = spot.absolute.split('/')
      const parent = parts.slice(0, parts.length - 1 - spot.missingParents.length).join('/')
      try {
        return (await storage.readDirectory(await storage.walk(parent === '' ? '/' : parent, 'keep'))).map((entry) => entry.name)
      } catch {
        // Names are only proposed.
        return []
      }
    },
    async stage(spot, content, { mode }): Promise<Staged> {
      const bytes = Buffer.from(content)
      return {
        async commit({ replace, verify }) {
          await verify()
          const found = await now(spot.absolute)
          if (!replace && found !== undefined) throw new FsError('FS_ALREADY_EXISTS', { path: spot.path })
          const unmake = makeParents(spot)
          const before = layer.get(spot.absolute)
          const entry = layer.set(spot.absolute, { kind: 'file', content: bytes, mode: mode ?? 0o644 }, lowerOf(spot))
          const restore = async (): Promise<void> => {
            layer.put(spot.absolute, before)
            unmake()
          }
          return { facts: entryFacts(entry) ?? missingFacts(spot), restore, release: async () => undefined }
        },
        discard: async () => undefined,
      }
    },
    async overwrite(spot, content) {
      const facts = await now(spot.absolute)
      const entry = layer.set(
        spot.absolute,
        { kind: 'file', content: Buffer.from(content), mode: (facts?.mode ?? 0o644) & 0o7777 },
        lowerOf(spot),
      )
      return entryFacts(entry) ?? missingFacts(spot)
    },
    async setMode(spot, mode) {
      layer.set(spot.absolute, { kind: 'file', content: await bytesOf(spot.absolute), mode }, lowerOf(spot))
    },
    async removeEmpty(spot) {
      if ((await treeOf(spot.absolute)).length > 1) throw new FsError('FS_NOT_EMPTY', { path: spot.path })
      layer.set(spot.absolute, { kind: 'gone' }, lowerOf(spot))
    },
    async setAside(spot): Promise<Reversible> {
      const before = layer.entries().filter(([path]) => isWithin(path, spot.absolute))
      const restore = async (): Promise<void> => {
        layer.put(spot.absolute, undefined)
        for (const [path, entry] of before) layer.put(path, entry)
      }
      for (const [path] of before) layer.put(path, undefined)
      const top = before.find(([path]) => path === spot.absolute)?.[1]
      layer.set(spot.absolute, { kind: 'gone' }, top === undefined ? lowerOf(spot) : top.lower)
      return { restore, release: async () => undefined }
    },
    async rename(from, to, { replace, verify }) {
      await verify()
      if (!replace && (await now(to.absolute)) !== undefined) throw new FsError('FS_ALREADY_EXISTS', { path: to.path })
      const unmake = makeParents(to)
      try {
        for (const path of await treeOf(from.absolute)) {
          const facts = await now(path)
          const goal = to.absolute + path.slice(from.absolute.length)
          const before = await lowerStat(lower, goal)
          if (facts?.kind === 'directory') layer.set(goal, { kind: 'directory', mode: facts.mode }, before)
          else if (facts?.kind === 'file') layer.set(goal, { kind: 'file', content: await bytesOf(path), mode: facts.mode }, before)
          else
            throw new FsError('FS_NOT_REGULAR', {
              path: from.path,
              kind: facts?.kind ?? 'missing',
              reason: 'an overlay moves files and directories only',
            })
        }
      } catch (error) {
        unmake()
        throw error
      }
      await storage.setAside(from)
      return (await now(to.absolute)) ?? missingFacts(to)
    },
    async readDirectory(spot) {
      const entries = new Map<string, DirectoryEntry>()
      if (layer.get(spot.absolute) === undefined && !layer.hides(spot.absolute)) {
        for (const entry of await lowerEntries(lower, spot.absolute)) entries.set(entry.name, entry)
      }
      for (const [name, entry] of layer.below(spot.absolute)) {
        const facts = entryFacts(entry)
        if (facts === undefined) entries.delete(name)
        else entries.set(name, { name, facts })
      }
      return [...entries.values()]
    },
    async makeDirectory(spot) {
      makeParents(spot)
      layer.set(spot.absolute, { kind: 'directory', mode: 0o755 }, lowerOf(spot))
    },
    hash: (bytes) => createHash('sha256').update(bytes).digest('hex'),
    isUtf8,
  }
  return storage
}

/** The lower walk says where a path leads; where the layer has something on the way, the path is taken name by name. */
async function walkOverlay(
  { lower, layer, roots }: { lower: FileSystem; layer: OverlayLayer; roots: readonly string[] },
  { path, leaf }: { path: string; leaf: 'follow' | 'keep' },
): Promise<OverlaySpot> {
  const target = await lower.resolve(path, { leaf }).catch((error: unknown) => {
    // A file that the layer replaced by a directory stands in the way of the lower walk only.
    if (!isFsError(error) || error.code !== 'FS_NOT_DIRECTORY') throw error
    return undefined
  })
  const absolute = target === undefined || target.asked !== undefined ? plain(path, roots) : target.absolute
  const below = target === undefined || target.asked !== undefined ? undefined : await statShown(lower, target)
  const present = below?.kind === 'missing' ? undefined : below
  const entry = layer.get(absolute)
  const facts = entry !== undefined ? entryFacts(entry) : layer.hides(absolute) || present === undefined ? undefined : lowerFacts(present)
  const missingParents = facts === undefined ? await missingAbove({ lower, layer, roots }, absolute) : []
  const first = roots[0] ?? '/'
  return {
    key: absolute,
    absolute,
    path: absolute === first ? '.' : isWithin(absolute, first) ? absolute.slice(first.length + 1) : absolute,
    name: absolute.split('/').at(-1) ?? '',
    facts,
    missingParents,
    isRoot: roots.includes(absolute),
    readOnly: false,
    lower: present,
    close: () => undefined,
  }
}

/** The state folder of the lower file system is not shown; the rules above this storage refuse it by name. */
async function statShown(lower: FileSystem, target: FileTarget): Promise<FileFacts | undefined> {
  try {
    return await lower.stat(target)
  } catch (error) {
    if (isFsError(error) && error.code === 'FS_PROTECTED') return undefined
    throw error
  }
}

function plain(path: string, roots: readonly string[]): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  return path.startsWith('/') ? `/${names.join('/')}` : [roots[0] ?? '', ...names].join('/')
}

async function missingAbove(
  { lower, layer, roots }: { lower: FileSystem; layer: OverlayLayer; roots: readonly string[] },
  absolute: string,
): Promise<string[]> {
  const missing: string[] = []
  for (let at = parentOf(absolute); !roots.includes(at) && at !== ''; at = parentOf(at)) {
    const entry = layer.get(at)
    const kind = entry !== undefined ? entry.kind : layer.hides(at) ? 'missing' : ((await lowerStat(lower, at))?.kind ?? 'missing')
    if (kind === 'directory') break
    if (kind !== 'gone' && kind !== 'missing')
      throw new FsError('FS_NOT_DIRECTORY', { path: absolute, at: at.split('/').at(-1) ?? '', kind })
    missing.unshift(at.split('/').at(-1) ?? '')
  }
  return missing
}

function parentOf(absolute: string): string {
  return absolute.slice(0, Math.max(absolute.lastIndexOf('/'), 0))
}

async function lowerStat(lower: FileSystem, absolute: string): Promise<FileFacts | undefined> {
  try {
    const facts = await lower.stat(await lower.resolve(absolute, { leaf: 'keep' }))
    return facts.kind === 'missing' ? undefined : facts
  } catch (error) {
    if (isFsError(error) && ['FS_NOT_DIRECTORY', 'FS_NOT_FOUND', 'FS_PROTECTED'].includes(error.code)) return undefined
    throw error
  }
}

async function lowerEntries(lower: FileSystem, absolute: string): Promise<DirectoryEntry[]> {
  const listing = await lower.list(await lower.resolve(absolute, { leaf: 'keep' }), { limit: Number.MAX_SAFE_INTEGER })
  const found = await Promise.all(
    listing.entries.map(async (entry): Promise<DirectoryEntry[]> => {
      if (entry.raw !== undefined) return []
      const facts = await lowerStat(lower, `${absolute}/${entry.name}`)
      const seen = facts === undefined ? undefined : lowerFacts(facts)
      if (seen === undefined) return []
      return [{ name: entry.name, facts: entry.target === undefined ? seen : { ...seen, target: entry.target } }]
    }),
  )
  return found.flat()
}

function lowerFacts(facts: FileFacts): EntryFacts | undefined {
  if (facts.kind === 'missing' || facts.version === undefined) return undefined
  const { kind, size, mode, links, mtimeMs, version } = facts
  const [dev = '0', ino = '0', , mtimeNs = '0', ctimeNs = '0'] = version.split(':')
  return {
    kind,
    size,
    mode,
    links: kind === 'file' ? 1 : links,
    mtimeMs,
    stamp: { dev: BigInt(dev), ino: BigInt(ino), size, mtimeNs: BigInt(mtimeNs), ctimeNs: BigInt(ctimeNs) },
  }
}

function entryFacts(entry: LayerEntry): EntryFacts | undefined {
  if (entry.kind === 'gone') return undefined
  const size = entry.kind === 'file' ? entry.content.length : 0
  const stamp = { dev: LAYER_DEVICE, ino: entry.ino, size, mtimeNs: entry.changedNs, ctimeNs: entry.changedNs }
  return { kind: entry.kind, size, mode: entry.mode, links: 1, mtimeMs: Number(entry.changedNs), stamp }
}

function missingFacts(spot: Spot): never {
  throw new FsError('FS_NOT_FOUND', { path: spot.path })
}
