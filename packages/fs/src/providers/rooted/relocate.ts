/**
 * Moving an entry between held directories: in one step within a file system, as a whole copy between two.
 */
import { FsError } from '../../definition/errors.ts'
import type { EntryFacts, Spot } from '../common/storage.ts'
import { linkNew, stageFile, type Goal } from './atomic.ts'
import { close, errnoOf, FLAGS, hostError, lstat, open, readAt, rename, unlink } from './calls.ts'
import { factsOf } from './facts.ts'
import type { Held, Stepper } from './held.ts'
import type { Walked } from './walk.ts'

export interface RenameOrder {
  from: Spot
  to: Spot
  made: Held
  replace: boolean
  source: Walked
  stepper: Stepper
}

export async function renameEntry(order: RenameOrder): Promise<EntryFacts> {
  const { from, to, made, replace, source } = order
  const old = source.parent.at(source.name)
  const goal = made.at(to.name)
  try {
    if (replace) await rename(old, goal)
    else if (from.facts?.kind === 'directory') await renameDirectory(old, goal)
    else await linkNew(old, goal)
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV' || from.facts?.kind !== 'file') throw error
    await copyAcross(order)
  }
  const facts = await lstatFacts(goal, to.path)
  if (facts === undefined) throw new FsError('FS_NOT_FOUND', { path: to.path })
  return facts
}

/** A rename puts a directory over an empty one without a word: looked at first. */
async function renameDirectory(old: ReturnType<Held['at']>, goal: ReturnType<Held['at']>): Promise<void> {
  if ((await lstatFacts(goal, '')) !== undefined) throw Object.assign(new Error('exists'), { code: 'EEXIST' })
  await rename(old, goal)
}

/** Between file systems: a whole copy first, then the old name goes. */
async function copyAcross({ from, to, made, replace, source, stepper }: RenameOrder): Promise<void> {
  const { leaf, parent, name } = source
  if (leaf === undefined) throw new FsError('FS_NOT_FOUND', { path: from.path })
  const fd = await open(leaf.held.fd === undefined ? parent.at(name) : leaf.held.self, FLAGS.read)
  const content = await readAt(fd, 0, leaf.facts.size).finally(() => close(fd))
  const goal: Goal = {
    parent: made,
    missingParents: [],
    name: to.name,
    path: to.path,
    owner: leaf.facts.owner,
    verifyInside: () => Promise.resolve(),
  }
  const staged = await stageFile(goal, content, { stepper, options: { mode: leaf.facts.mode & 0o1777 } })
  try {
    await staged.commit({ replace, verify: () => Promise.resolve() })
  } catch (error) {
    await staged.discard()
    throw error
  }
  await unlink(parent.at(name))
}

/** Facts of an entry as it is now; undefined when nothing is there. */
export async function lstatFacts(path: ReturnType<Held['at']>, shown: string): Promise<EntryFacts | undefined> {
  try {
    return factsOf(await lstat(path))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw hostError(error, shown)
  }
}
