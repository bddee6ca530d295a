/**
 * Moving (F-11, F-21): the entry itself, also when it is a link. What is replaced must have been seen too.
 */
import { FsError } from '../../definition/errors.ts'
import type { RecordedChange } from '../../definition/change-journal.ts'
import type { Change, FileTarget, WriteIntent } from '../../definition/file-system.ts'
import { isWithin } from '../../paths/rules.ts'
import { refuseWrite, versionOf, withLocked, type Core } from './core.ts'
import { checkExpectation, verifyUnchanged } from './expectations.ts'
import { identityOf, madeParents, settle } from './publish.ts'
import { keptContent, removalOf } from './remove.ts'
import { notFound } from './resolve.ts'
import { refuseTwin } from './write.ts'
import type { EntryFacts, Spot } from './storage.ts'

export type MoveIntent = WriteIntent & { overwrite?: boolean }

export function moveTarget(core: Core, from: FileTarget, order: { to: FileTarget; intent: MoveIntent }): Promise<Change> {
  const places = [from, order.to].map((target) => ({ key: target.key, given: target.asked ?? target.given, leaf: 'keep' as const }))
  return withLocked(core, places, {
    signal: order.intent.signal,
    use: async ([source, goal]) => {
      if (source === undefined || goal === undefined) throw new FsError('FS_IO', { path: from.path })
      return moveSpot(core, source, { goal, intent: order.intent })
    },
  })
}

async function moveSpot(core: Core, source: Spot, { goal, intent }: { goal: Spot; intent: MoveIntent }): Promise<Change> {
  const facts = await refuseMove(core, source, { goal, intent })
  const before = await keptContent(core, source, facts)
  const version = before?.version ?? versionOf(facts)
  if (facts.kind === 'file') checkExpectation(core, source, { intent, needed: 'name', actual: version })
  const recorded: RecordedChange[] = []
  try {
    const replaced = await recordReplaced(core, goal, intent)
    if (replaced !== undefined) recorded.push(replaced)
    const pending = {
      ...identityOf(intent),
      path: source.path,
      to: goal.path,
      kind: 'move' as const,
      beforeMode: facts.mode,
      ...madeParents(goal),
    }
    const hash = before?.sha256 === undefined ? {} : { beforeHash: before.sha256, afterHash: before.sha256 }
    const entryKind = facts.kind === 'symlink' || facts.kind === 'directory' ? facts.kind : ('file' as const)
    const move = await core.recorder?.begin({ ...pending, ...hash, entryKind })
    if (move !== undefined) recorded.push(move)
    const moved = await core.storage.rename(source, goal, {
      replace: goal.facts !== undefined,
      verify: () => verifyUnchanged(core, source, { read: { version, facts }, intent }),
    })
    const after = versionOf(moved, before?.sha256)
    const notes: string[] = []
    for (const each of recorded)
      notes.push(...(await settle(core, each, before?.sha256 === undefined ? { after } : { after, afterHash: before.sha256 })))
    carryObservation(core, source, { goal, after, intent })
    return moveChange(source, { goal, version, after, recorded, notes })
  } catch (error) {
    for (const each of recorded) await each.drop()
    throw error
  }
}

/** Everything that speaks against the move; the facts of what is moved otherwise. */
async function refuseMove(core: Core, source: Spot, { goal, intent }: { goal: Spot; intent: MoveIntent }): Promise<EntryFacts> {
  for (const spot of [source, goal]) {
    if (spot.isRoot) throw new FsError('FS_PROTECTED', { path: spot.path, reason: 'root' })
    refuseWrite(core, spot)
  }
  if (source.facts === undefined) throw await notFound(core, source)
  const holdsState = core.storage.stateFolders.some((folder) => isWithin(folder, source.absolute))
  if (holdsState) throw new FsError('FS_PROTECTED', { path: source.path, reason: 'holds the state folder' })
  if (source.absolute === goal.absolute) throw new FsError('FS_NO_CHANGE', { path: source.path })
  if (isWithin(goal.absolute, source.absolute)) throw new FsError('FS_BAD_PATH', { path: goal.path, reason: 'inside what is moved' })
  if (goal.facts === undefined) {
    await refuseTwin(core, goal)
    return source.facts
  }
  if (intent.overwrite !== true) throw new FsError('FS_ALREADY_EXISTS', { path: goal.path })
  if (goal.facts.kind === 'directory') throw new FsError('FS_IS_DIRECTORY', { path: goal.path })
  if (source.facts.kind === 'directory') throw new FsError('FS_NOT_DIRECTORY', { path: goal.path })
  return source.facts
}

async function recordReplaced(core: Core, goal: Spot, intent: WriteIntent): Promise<RecordedChange | undefined> {
  if (goal.facts === undefined) return undefined
  const before = await keptContent(core, goal, goal.facts)
  if (goal.facts.kind === 'file') checkExpectation(core, goal, { intent, needed: 'name', actual: before?.version ?? versionOf(goal.facts) })
  return core.recorder?.begin(removalOf(goal, { facts: goal.facts, before, intent }))
}

/** What was seen of the file is known under its new name. */
function carryObservation(
  core: Core,
  source: Spot,
  { goal, after, intent }: { goal: Spot; after: NonNullable<Change['after']>; intent: WriteIntent },
): void {
  const seen = core.book.record(intent.agent, source)?.seen
  const view = core.book.view(intent.agent)
  view.forget(source)
  view.forget(goal)
  view.note(goal, seen === undefined ? { version: after, seen: 'named' } : { version: after, seen })
}

function moveChange(
  source: Spot,
  order: {
    goal: Spot
    version: NonNullable<Change['before']>
    after: NonNullable<Change['after']>
    /** What was replaced, and the move itself. */
    recorded: readonly RecordedChange[]
    notes: string[]
  },
): Change {
  const { goal, version, after, recorded, notes } = order
  const move = recorded.at(-1)
  return {
    path: goal.path,
    from: source.path,
    kind: 'move',
    before: version,
    after,
    hunks: [],
    added: 0,
    removed: 0,
    ...(goal.facts === undefined ? {} : { replaced: true as const }),
    undoable: move !== undefined && recorded.every(({ undoable }) => undoable),
    ...(move === undefined ? {} : { entry: move.id }),
    notes,
  }
}
