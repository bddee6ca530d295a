/**
 * The storage of the local disk: the walk, and every operation through what it holds.
 */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { FsError } from '../../definition/errors.ts'
import type { EntryFacts, OpenFile, Reversible, Spot, Storage } from '../common/storage.ts'
import { makeParents, stageFile, syncDirectory, tempName, type Goal } from './atomic.ts'
import {
  chmod,
  close,
  errnoOf,
  FLAGS,
  fstat,
  fsync,
  ftruncate,
  hostError,
  open,
  readAt,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
  writeAll,
} from './calls.ts'
import { readEntries, removeTree, siblingNames } from './directory.ts'
import { factsOf, sameEntry, type HostFacts } from './facts.ts'
import type { Stepper } from './held.ts'
import { lstatFacts, renameEntry } from './relocate.ts'
import { joined, walkPath, type Root, type Walked } from './walk.ts'

export interface RootedStorageOptions {
  roots: readonly Root[]
  stepper: Stepper
  stateFolders: readonly string[]
}

/** A spot that knows what the walk holds. */
export interface RootedSpot extends Spot {
  readonly walked: Walked
}

export interface RootedStorage extends Storage {
  walk(path: string, leaf: 'follow' | 'keep'): Promise<RootedSpot>
}

export function rootedStorage({ roots, stepper, stateFolders }: RootedStorageOptions): RootedStorage {
  const rootPaths = roots.map((root) => root.absolute)
  const walkedOf = (spot: Spot): Walked => {
    if ('walked' in spot) return (spot as RootedSpot).walked
    throw new FsError('FS_IO', { path: spot.path, reason: 'a place of another storage' })
  }
  const verifyInside = async (spot: Spot): Promise<void> => {
    if (!(await walkedOf(spot).parent.isInside(rootPaths)))
      throw new FsError('FS_OUTSIDE_ROOT', { path: spot.path, reason: 'moved meanwhile' })
  }
  const goalOf = (spot: Spot): Goal => {
    const { parent, missingParents, name, leaf } = walkedOf(spot)
    return { parent, missingParents, name, path: spot.path, owner: leaf?.facts.owner, verifyInside: () => verifyInside(spot) }
  }
  const openLeaf = async (spot: Spot, flags: { held: number; path: number }): Promise<number> => {
    const { parent, leaf, name } = walkedOf(spot)
    if (leaf === undefined) throw new FsError('FS_NOT_FOUND', { path: spot.path })
    try {
      // Through the held leaf itself: what is opened is what was looked at.
      if (leaf.held.fd !== undefined) return await open(leaf.held.self, flags.held)
      const fd = await open(parent.at(name), flags.path)
      if (sameEntry(factsOf(await fstat(fd)), leaf.facts) && (await parent.isInside(rootPaths))) return fd
      close(fd)
      throw new FsError('FS_STALE_VERSION', { path: spot.path, reason: 'replaced meanwhile' })
    } catch (error) {
      throw hostError(error, spot.path)
    }
  }

  return {
    roots: rootPaths,
    raceFree: stepper.raceFree,
    stateFolders,
    lockSpace: 'disk',
    walk: async (path, leaf) => withLinkText(spotOf(await walkPath(path, { roots, stepper, leaf }), roots)),
    async open(spot) {
      const fd = await openLeaf(spot, { held: FLAGS.read, path: FLAGS.readNoFollow })
      // A held leaf was looked at already: what is opened through it is the same inode.
      return openFile(fd, { path: spot.path, known: walkedOf(spot).leaf?.held.fd === undefined ? undefined : spot.facts })
    },
    async refresh(spot) {
      const { parent, name } = walkedOf(spot)
      if (spot.missingParents.length > 0) return undefined
      return lstatFacts(parent.at(name), spot.path)
    },
    siblings: (spot) => siblingNames(walkedOf(spot).parent, spot.path),
    stage: (spot, content, options) => stageFile(goalOf(spot), content, { stepper, options }),
    async overwrite(spot, content, before) {
      const fd = await openLeaf(spot, { held: FLAGS.overwrite, path: FLAGS.overwriteNoFollow })
      return overwriteFile(fd, { content, before, path: spot.path }).finally(() => close(fd))
    },
    async setMode(spot, mode) {
      const { leaf } = walkedOf(spot)
      if (leaf !== undefined) await chmod(leaf.held.self, mode).catch((error: unknown) => Promise.reject(hostError(error, spot.path)))
    },
    async removeEmpty(spot) {
      const { parent, name } = walkedOf(spot)
      await verifyInside(spot)
      await rmdir(parent.at(name)).catch((error: unknown) => Promise.reject(hostError(error, spot.path)))
      await syncDirectory(parent)
    },
    setAside: (spot) => setAside(walkedOf(spot), { spot, stepper, verifyInside }),
    async rename(from, to, { replace, verify }) {
      const made = await makeParents(goalOf(to), stepper)
      try {
        await verify()
        await Promise.all([verifyInside(from), verifyInside(to)])
        const facts = await renameEntry({ from, to, made: made.directory, replace, source: walkedOf(from), stepper })
        await syncDirectory(made.directory)
        made.close()
        return facts
      } catch (error) {
        await made.unmake()
        throw hostError(error, errnoOf(error) === 'EEXIST' ? to.path : from.path)
      }
    },
    async readDirectory(spot) {
      const { leaf } = walkedOf(spot)
      if (leaf?.facts.kind !== 'directory') throw new FsError('FS_NOT_DIRECTORY', { path: spot.path })
      return readEntries(leaf.held, spot.path)
    },
    async makeDirectory(spot) {
      const goal = goalOf(spot)
      const made = await makeParents({ ...goal, missingParents: [...goal.missingParents, goal.name] }, stepper)
      made.close()
    },
    async makeLink(spot, target) {
      const goal = goalOf(spot)
      const made = await makeParents(goal, stepper)
      try {
        await verifyInside(spot)
        await symlink(target, made.directory.at(goal.name))
        await syncDirectory(made.directory)
        made.close()
      } catch (error) {
        await made.unmake()
        throw hostError(error, spot.path)
      }
    },
    hash: (bytes) => createHash('sha256').update(bytes).digest('hex'),
    isUtf8,
  }
}

function spotOf(walked: Walked, roots: readonly Root[]): RootedSpot {
  const { parentPath, missingParents, name, leaf, root, isRoot } = walked
  const absolute = isRoot ? root.absolute : joined(parentPath, [...missingParents, name])
  const shown = shownPath(absolute, roots)
  const facts = leaf?.facts
  // Hard links are one file under several names: they share a lock and what was seen of them.
  const shared = facts !== undefined && facts.kind === 'file' && facts.links > 1
  return {
    key: shared ? `inode:${facts.stamp.dev}:${facts.stamp.ino}` : absolute,
    absolute,
    path: shown === '' ? '.' : shown,
    name,
    facts,
    missingParents,
    isRoot,
    readOnly: root.readOnly,
    walked,
    close: () => walked.close(),
  }
}

/** A kept link says where it points: undo has to know. */
async function withLinkText(spot: RootedSpot): Promise<RootedSpot> {
  if (spot.facts?.kind !== 'symlink') return spot
  const { parent, name } = spot.walked
  const target = await readlink(parent.at(name)).catch(() => undefined)
  return target === undefined ? spot : { ...spot, facts: { ...spot.facts, target } }
}

/** F-16: relative to the first root, absolute in further ones. */
export function shownPath(absolute: string, roots: readonly { absolute: string }[]): string {
  const first = roots[0]?.absolute ?? '/'
  if (absolute === first) return ''
  const prefix = first === '/' ? '/' : `${first}/`
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length) : absolute
}

async function openFile(fd: number, { path, known }: { path: string; known: EntryFacts | undefined }): Promise<OpenFile> {
  const refresh = async (): Promise<EntryFacts> => factsOf(await fstat(fd))
  try {
    const facts = known ?? (await refresh())
    if (facts.kind !== 'file') throw new FsError('FS_NOT_REGULAR', { path, kind: facts.kind })
    return {
      facts,
      read: (offset, length) => readAt(fd, offset, length).catch((error: unknown) => Promise.reject(hostError(error, path))),
      refresh,
      close: () => Promise.resolve(close(fd)),
    }
  } catch (error) {
    close(fd)
    throw hostError(error, path)
  }
}

/** F-33: the bytes in place, the old ones again when that fails. */
async function overwriteFile(
  fd: number,
  { content, before, path }: { content: Uint8Array; before: Uint8Array; path: string },
): Promise<HostFacts> {
  try {
    await writeAll(fd, content)
    await ftruncate(fd, content.length)
    await fsync(fd)
    return factsOf(await fstat(fd))
  } catch (error) {
    await writeAll(fd, before)
    await ftruncate(fd, before.length)
    await fsync(fd)
    throw hostError(error, path)
  }
}

async function setAside(
  walked: Walked,
  order: { spot: Spot; stepper: Stepper; verifyInside(spot: Spot): Promise<void> },
): Promise<Reversible> {
  const { parent, name, leaf } = walked
  const { spot, stepper } = order
  const aside = tempName(name)
  await order.verifyInside(spot)
  await rename(parent.at(name), parent.at(aside)).catch((error: unknown) => Promise.reject(hostError(error, spot.path)))
  await syncDirectory(parent)
  return {
    restore: async () => rename(parent.at(aside), parent.at(name)),
    release: async () => {
      if (leaf?.facts.kind === 'directory') await removeTree(parent, { name: aside, stepper })
      else await unlink(parent.at(aside))
    },
  }
}
