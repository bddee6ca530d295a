/**
 * Content that becomes a file in one step (F-30): written beside its name, counted, synced, then renamed, or linked where nothing may be
 * replaced. Whatever fails, no temp file and no made directory stays.
 */
import { randomBytes } from 'node:crypto'
import { Buffer } from 'node:buffer'
import { FsError } from '../../definition/errors.ts'
import type { CommitOrder, Committed, Staged, StageOptions } from '../common/storage.ts'
import {
  close,
  copyFile,
  errnoOf,
  fchmod,
  fchown,
  FLAGS,
  fstat,
  fsync,
  hostError,
  link,
  mkdir,
  open,
  rename,
  rmdir,
  unlink,
  writeAll,
} from './calls.ts'
import { factsOf, type HostFacts } from './facts.ts'
import type { Held, Stepper } from './held.ts'

/** Where a file is to be: a held directory, directories to make in it, a name. */
export interface Goal {
  parent: Held
  missingParents: readonly string[]
  name: string
  path: string
  /** Of the file that is replaced. */
  owner?: HostFacts['owner'] | undefined
  /** The held directory is still below a root. */
  verifyInside(): Promise<void>
}

export async function stageFile(
  goal: Goal,
  content: Uint8Array,
  { stepper, options }: { stepper: Stepper; options: StageOptions },
): Promise<Staged> {
  const made = await makeParents(goal, stepper)
  const directory = made.directory
  const temp = directory.at(tempName(goal.name))
  let fd: number | undefined
  try {
    fd = await open(temp, FLAGS.create, options.mode === undefined ? 0o666 : 0o600).catch((error: unknown) => {
      throw hostError(error, goal.path, 'directory')
    })
    await writeAll(fd, content, options.signal)
    const { size, owner } = factsOf(await fstat(fd))
    if (size !== content.length) throw new FsError('FS_DISK_FULL', { path: goal.path, written: size, of: content.length })
    if (options.mode !== undefined) await keepOwnerAndMode(fd, { mode: options.mode, now: owner, wanted: goal.owner })
    await fsync(fd)
    return staged({ goal, directory, temp, fd, made })
  } catch (error) {
    if (fd !== undefined) close(fd)
    await unlink(temp).catch(() => undefined)
    await made.unmake()
    throw hostError(error, goal.path)
  }
}

interface Parts {
  goal: Goal
  directory: Held
  temp: ReturnType<Held['at']>
  fd: number
  made: MadeParents
}

function staged({ goal, directory, temp, fd, made }: Parts): Staged {
  let open = true
  const end = (): void => {
    if (open) close(fd)
    open = false
  }
  return {
    async commit(order) {
      try {
        const committed = await publish({ goal, directory, temp, fd, made }, order)
        end()
        if (order.keep !== true) made.close()
        return committed
      } catch (error) {
        throw hostError(error, goal.path)
      }
    },
    async discard() {
      if (!open) return
      end()
      await unlink(temp).catch(() => undefined)
      await made.unmake()
    },
  }
}

async function publish({ goal, directory, temp, fd, made }: Parts, { replace, verify, keep }: CommitOrder): Promise<Committed> {
  const final = directory.at(goal.name)
  const backup = keep === true && replace ? directory.at(tempName(goal.name)) : undefined
  if (backup !== undefined) await keepOld(final, backup)
  try {
    await Promise.all([verify(), goal.verifyInside()])
    if (replace) await rename(temp, final)
    else await linkNew(temp, final)
  } catch (error) {
    if (backup !== undefined) await unlink(backup).catch(() => undefined)
    throw error
  }
  const [stat] = await Promise.all([fstat(fd), syncDirectory(directory)])
  return {
    facts: factsOf(stat),
    async restore() {
      if (backup !== undefined) await rename(backup, final)
      else await unlink(final)
      await made.unmake()
    },
    async release() {
      made.close()
      if (backup !== undefined) await unlink(backup)
    },
  }
}

/** A second name costs no space and no copying; where the host refuses it (a file of somebody else) the content is copied. */
async function keepOld(final: ReturnType<Held['at']>, backup: ReturnType<Held['at']>): Promise<void> {
  try {
    await link(final, backup)
  } catch {
    await copyFile(final, backup)
  }
}

/** A new name that replaces nothing. Where the file system has no hard links the name is reserved first. */
export async function linkNew(temp: ReturnType<Held['at']>, final: ReturnType<Held['at']>): Promise<void> {
  try {
    await link(temp, final)
  } catch (error) {
    const errno = errnoOf(error)
    if (errno !== 'EPERM' && errno !== 'ENOTSUP' && errno !== 'EOPNOTSUPP' && errno !== 'ENOSYS') throw error
    close(await open(final, FLAGS.create, 0o600))
    await rename(temp, final)
    return
  }
  await unlink(temp)
}

async function keepOwnerAndMode(
  fd: number,
  { mode, now, wanted }: { mode: number; now: HostFacts['owner']; wanted: Goal['owner'] },
): Promise<void> {
  const differs = wanted !== undefined && (now.uid !== wanted.uid || now.gid !== wanted.gid)
  // Best effort: only the administrator can give files away.
  if (differs) await fchown(fd, wanted.uid, wanted.gid).catch(() => undefined)
  await fchmod(fd, mode)
}

/** A rename is durable when its directory is. File systems that cannot sync directories are as good as they are. */
export async function syncDirectory(directory: Held): Promise<void> {
  try {
    const fd = await open(directory.self, FLAGS.sync)
    await fsync(fd).finally(() => close(fd))
  } catch {
    // The file itself was synced; the name is in the page cache.
  }
}

export interface MadeParents {
  directory: Held
  /** Lets the made directories go, they stay. */
  close(): void
  /** Removes what was made, as far as it is empty. */
  unmake(): Promise<void>
}

export async function makeParents(goal: Pick<Goal, 'parent' | 'missingParents' | 'path'>, stepper: Stepper): Promise<MadeParents> {
  const made: { parent: Held; name: string }[] = []
  const opened: Held[] = []
  let directory = goal.parent
  const unmake = async (): Promise<void> => {
    for (const { parent, name } of made.splice(0).reverse()) await rmdir(parent.at(name)).catch(() => undefined)
    for (const held of opened.splice(0)) held.close()
  }
  try {
    for (const name of goal.missingParents) {
      const isNew = await mkdir(directory.at(name)).then(
        () => true,
        (error: unknown) => {
          // Made by somebody else meanwhile: as good, but not ours to remove.
          if (errnoOf(error) === 'EEXIST') return false
          throw hostError(error, goal.path, 'directory')
        },
      )
      if (isNew) made.push({ parent: directory, name })
      const child = await stepper.child(directory, name)
      if (child === undefined) throw new FsError('FS_NOT_FOUND', { path: goal.path })
      opened.push(child.held)
      if (child.facts.kind !== 'directory') throw new FsError('FS_NOT_DIRECTORY', { path: goal.path, at: name, kind: child.facts.kind })
      directory = child.held
    }
  } catch (error) {
    await unmake()
    throw hostError(error, goal.path)
  }
  return {
    directory,
    close() {
      if (opened.length > 0) for (const held of opened.splice(0)) held.close()
    },
    unmake,
  }
}

/** `.NAME.RANDOM.tmp`, at most 255 bytes. */
export function tempName(name: string): string {
  const random = randomBytes(6).toString('hex')
  const bytes = Buffer.from(name, 'utf8')
  const kept = bytes.length <= 230 ? name : bytes.subarray(0, 230).toString('utf8').replaceAll('\uFFFD', '')
  return `.${kept}.${random}.tmp`
}

/** Whether a name is one of ours, for the clearing up after a crash (F-65). */
export function isTempName(name: string): boolean {
  return /^\..+\.[0-9a-f]{12}\.tmp$/s.test(name)
}
