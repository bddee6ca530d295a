/**
 * The storage over a memory tree: the same promises as on disk, with temp entries that can be seen, a capacity that can be full, and
 * permission bits that count.
 */
import { createHash, randomBytes } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { FsError } from '../../definition/errors.ts'
import type { Committed, EntryFacts, OpenFile, Reversible, Spot, Staged, Storage } from '../common/storage.ts'
import type { Faults } from './faults.ts'
import { factsOf, type Inode, type Located, type MemoryTree } from './tree.ts'

export interface MemorySpot extends Spot {
  readonly located: Located
}

export interface MemoryStorageOptions {
  tree: MemoryTree
  faults: Faults
  /** Bytes that fit; default no limit. */
  capacity: number
  readOnlyRoots: readonly string[]
  umask: number
  lockSpace: string
}

export function memoryStorage({ tree, faults, capacity, readOnlyRoots, umask, lockSpace }: MemoryStorageOptions): Storage {
  let used = 0
  const locatedOf = (spot: Spot): Located => {
    if ('located' in spot) return (spot as MemorySpot).located
    throw new FsError('FS_IO', { path: spot.path, reason: 'a place of another storage' })
  }
  const take = (bytes: number, path: string): void => {
    if (used + bytes > capacity) throw new FsError('FS_DISK_FULL', { path })
    used += bytes
  }
  const put = (directory: Inode, name: string, inode: Inode): void => {
    directory.entries.set(name, inode)
    tree.changed(directory, 'content')
  }
  const drop = (directory: Inode, name: string): void => {
    directory.entries.delete(name)
    tree.changed(directory, 'content')
  }
  const unlinkInode = (inode: Inode): void => {
    inode.links -= 1
    if (inode.links === 0 && inode.kind === 'file') used -= inode.content.length
    tree.changed(inode, 'facts')
  }
  const writable = (directory: Inode, path: string): void => {
    if ((directory.mode & 0o200) === 0) throw new FsError('FS_PERMISSION', { path, at: 'directory' })
  }

  const makeParents = async (spot: Spot, extra: readonly string[] = []): Promise<{ directory: Inode; unmake(): void }> => {
    const made: { parent: Inode; name: string; inode: Inode }[] = []
    let directory = locatedOf(spot).parent
    const unmake = (): void => {
      for (const { parent, name, inode } of made.reverse()) if (inode.entries.size === 0) drop(parent, name)
    }
    try {
      for (const name of [...spot.missingParents, ...extra]) {
        await faults.meet('makeDirectory', spot.path)
        writable(directory, spot.path)
        const known = directory.entries.get(name)
        if (known !== undefined && known.kind !== 'directory')
          throw new FsError('FS_NOT_DIRECTORY', { path: spot.path, at: name, kind: known.kind })
        if (known === undefined) {
          const inode = tree.create('directory', { mode: 0o777 & ~umask })
          made.push({ parent: directory, name, inode })
          put(directory, name, inode)
        }
        directory = directory.entries.get(name) ?? directory
      }
      return { directory, unmake }
    } catch (error) {
      unmake()
      throw error
    }
  }

  const stage: Storage['stage'] = async (spot, content, { mode }) => {
    const made = await makeParents(spot)
    const temp = tempName(spot.name)
    const inode = tree.create('file', { mode: mode ?? 0o666 & ~umask })
    let taken = 0
    const clean = (): void => {
      used -= taken
      taken = 0
      if (made.directory.entries.get(temp) === inode) drop(made.directory, temp)
      made.unmake()
    }
    try {
      await faults.meet('stage', spot.path)
      writable(made.directory, spot.path)
      put(made.directory, temp, inode)
      take(content.length, spot.path)
      taken = content.length
      await faults.meet('write', spot.path)
      inode.content = Buffer.from(content)
      tree.changed(inode, 'content')
      await faults.meet('sync', spot.path)
    } catch (error) {
      clean()
      throw error
    }
    return {
      commit: (order) => commit(order, { spot, made, temp, inode }),
      discard: async () => (inode.links > 0 && made.directory.entries.has(temp) ? clean() : undefined),
    }
  }

  const commit = async (
    { replace, verify, keep }: Parameters<Staged['commit']>[0],
    { spot, made, temp, inode }: { spot: Spot; made: { directory: Inode; unmake(): void }; temp: string; inode: Inode },
  ): Promise<Committed> => {
    await faults.meet('verify', spot.path)
    await verify()
    await faults.meet('publish', spot.path)
    const { directory } = made
    const old = directory.entries.get(spot.name)
    if (old !== undefined && !replace) throw new FsError('FS_ALREADY_EXISTS', { path: spot.path })
    if (old?.kind === 'directory') throw new FsError('FS_IS_DIRECTORY', { path: spot.path })
    directory.entries.delete(temp)
    put(directory, spot.name, inode)
    tree.changed(inode, 'facts')
    if (old !== undefined && keep !== true) unlinkInode(old)
    await faults.meet('published', spot.path)
    return {
      facts: factsOf(inode),
      async restore() {
        unlinkInode(inode)
        if (old === undefined) drop(directory, spot.name)
        else put(directory, spot.name, old)
        made.unmake()
      },
      async release() {
        if (old !== undefined && keep === true) unlinkInode(old)
      },
    }
  }

  return {
    roots: tree.roots,
    raceFree: true,
    stateFolders: tree.roots.map((root) => `${root}/.toolseam`),
    lockSpace,
    async walk(path, leaf) {
      const spot = spotOf(tree.locate(path, leaf), { roots: tree.roots, readOnlyRoots })
      await faults.meet('walk', spot.path)
      return spot
    },
    async open(spot): Promise<OpenFile> {
      await faults.meet('open', spot.path)
      const { inode } = locatedOf(spot)
      if (inode === undefined) throw new FsError('FS_NOT_FOUND', { path: spot.path })
      if (inode.kind !== 'file') throw new FsError('FS_NOT_REGULAR', { path: spot.path, kind: inode.kind })
      if ((inode.mode & 0o400) === 0) throw new FsError('FS_PERMISSION', { path: spot.path })
      return {
        facts: factsOf(inode),
        async read(offset, length) {
          await faults.meet('read', spot.path)
          return Buffer.from(inode.content.subarray(offset, offset + length))
        },
        refresh: async () => factsOf(inode),
        close: async () => undefined,
      }
    },
    async refresh(spot) {
      const { parent, name } = locatedOf(spot)
      const inode = spot.missingParents.length > 0 ? undefined : parent.entries.get(name)
      return inode === undefined ? undefined : factsOf(inode)
    },
    siblings: async (spot) => [...locatedOf(spot).parent.entries.keys()],
    stage,
    async overwrite(spot, content, before) {
      const { inode } = locatedOf(spot)
      if (inode === undefined) throw new FsError('FS_NOT_FOUND', { path: spot.path })
      if ((inode.mode & 0o200) === 0) throw new FsError('FS_PERMISSION', { path: spot.path })
      try {
        inode.content = Buffer.from(content.subarray(0, content.length >> 1))
        tree.changed(inode, 'content')
        await faults.meet('overwrite', spot.path)
        take(content.length - before.length, spot.path)
        inode.content = Buffer.from(content)
        tree.changed(inode, 'content')
        return factsOf(inode)
      } catch (error) {
        inode.content = Buffer.from(before)
        tree.changed(inode, 'content')
        throw error
      }
    },
    async setMode(spot, mode) {
      const { inode } = locatedOf(spot)
      if (inode === undefined) return
      inode.mode = mode
      tree.changed(inode, 'facts')
    },
    async removeEmpty(spot) {
      await faults.meet('remove', spot.path)
      const { parent, name, inode } = locatedOf(spot)
      if (inode !== undefined && inode.entries.size > 0) throw new FsError('FS_NOT_EMPTY', { path: spot.path })
      writable(parent, spot.path)
      drop(parent, name)
    },
    async setAside(spot): Promise<Reversible> {
      await faults.meet('remove', spot.path)
      const { parent, name } = locatedOf(spot)
      const inode = parent.entries.get(name)
      if (inode === undefined) throw new FsError('FS_NOT_FOUND', { path: spot.path })
      writable(parent, spot.path)
      drop(parent, name)
      tree.changed(inode, 'facts')
      return { restore: async () => put(parent, name, inode), release: async () => unlinkInode(inode) }
    },
    async rename(from, to, { replace, verify }) {
      const made = await makeParents(to)
      try {
        await faults.meet('verify', from.path)
        await verify()
        await faults.meet('rename', from.path)
        const { parent, name } = locatedOf(from)
        const inode = parent.entries.get(name)
        if (inode === undefined) throw new FsError('FS_NOT_FOUND', { path: from.path })
        const old = made.directory.entries.get(to.name)
        if (old !== undefined && !replace) throw new FsError('FS_ALREADY_EXISTS', { path: to.path })
        writable(parent, from.path)
        writable(made.directory, to.path)
        drop(parent, name)
        put(made.directory, to.name, inode)
        tree.changed(inode, 'facts')
        if (old !== undefined) unlinkInode(old)
        return factsOf(inode)
      } catch (error) {
        made.unmake()
        throw error
      }
    },
    async readDirectory(spot) {
      const { inode } = locatedOf(spot)
      if (inode?.kind !== 'directory') throw new FsError('FS_NOT_DIRECTORY', { path: spot.path })
      if ((inode.mode & 0o400) === 0) throw new FsError('FS_PERMISSION', { path: spot.path })
      return [...inode.entries].map(([name, child]) => ({ name, facts: factsOf(child) }))
    },
    async makeDirectory(spot) {
      await makeParents(spot, [spot.name])
    },
    async makeLink(spot, target) {
      const { directory } = await makeParents(spot)
      writable(directory, spot.path)
      put(directory, spot.name, tree.create('symlink', { target, mode: 0o777 }))
    },
    hash: (bytes) => createHash('sha256').update(bytes).digest('hex'),
    isUtf8,
  }
}

function spotOf(located: Located, { roots, readOnlyRoots }: { roots: readonly string[]; readOnlyRoots: readonly string[] }): MemorySpot {
  const { parentPath, missingParents, name, inode, root, isRoot } = located
  const absolute = isRoot ? root : [parentPath, ...missingParents, name].join('/')
  const first = roots[0] ?? ''
  const inFirst = absolute.startsWith(`${first}/`)
  const facts: EntryFacts | undefined = inode === undefined ? undefined : factsOf(inode)
  return {
    key: facts !== undefined && facts.kind === 'file' && facts.links > 1 ? `inode:${facts.stamp.ino}` : absolute,
    absolute,
    path: absolute === first ? '.' : inFirst ? absolute.slice(first.length + 1) : absolute,
    name,
    facts,
    missingParents,
    isRoot,
    readOnly: readOnlyRoots.includes(root),
    located,
    close: () => undefined,
  }
}

function tempName(name: string): string {
  return `.${name}.${randomBytes(6).toString('hex')}.tmp`
}
