/**
 * Removing (F-11, F-21): a file, a link itself, a directory with or without what is in it. The entry leaves sight in one step; what
 * was in it is journalled before.
 */
import { FsError } from '../../definition/errors.ts'
import type { RecordedChange } from '../../definition/change-journal.ts'
import type { Change, FileTarget, WriteIntent } from '../../definition/file-system.ts'
import { isWithin } from '../../paths/rules.ts'
import { readWhole, refuseAborted, refuseWrite, versionOf, withLocked, type Core, type WholeFile } from './core.ts'
import { checkExpectation, verifyUnchanged } from './expectations.ts'
import { identityOf, settle } from './publish.ts'
import { notFound } from './resolve.ts'
import type { EntryFacts, Spot } from './storage.ts'

/** Above this many entries a removed directory is not kept for undo. */
const MOST_KEPT_ENTRIES = 2000
const MOST_KEPT_BYTES = 256 * 1024 * 1024

export type RemoveIntent = WriteIntent & { recursive?: boolean }

export function removeTarget(core: Core, target: FileTarget, intent: RemoveIntent): Promise<Change[]> {
  const place = { key: target.key, given: target.asked ?? target.given, leaf: 'keep' as const }
  return withLocked(core, [place], {
    signal: intent.signal,
    use: async ([spot]) => {
      if (spot === undefined) throw new FsError('FS_IO', { path: target.path })
      if (spot.isRoot) throw new FsError('FS_PROTECTED', { path: spot.path, reason: 'root' })
      refuseWrite(core, spot)
      if (spot.facts === undefined) throw await notFound(core, spot)
      return spot.facts.kind === 'directory'
        ? removeDirectory(core, spot, intent)
        : [await removeEntry(core, spot, { facts: spot.facts, intent })]
    },
  })
}

async function removeEntry(core: Core, spot: Spot, { facts, intent }: { facts: EntryFacts; intent: WriteIntent }): Promise<Change> {
  const before = await keptContent(core, spot, facts)
  const version = before?.version ?? versionOf(facts)
  if (facts.kind === 'file') checkExpectation(core, spot, { intent, needed: 'name', actual: version })
  const recorded = await core.recorder?.begin(removalOf(spot, { facts, before, intent }))
  try {
    refuseAborted(intent.signal, spot.path)
    await verifyUnchanged(core, spot, { read: { version, facts }, intent })
    const aside = await core.storage.setAside(spot)
    const unsettled = await settle(core, recorded, {})
    await aside.release()
    core.book.view(intent.agent).forget(spot)
    return removedChange(spot, { version, recorded, notes: unsettled })
  } catch (error) {
    await recorded?.drop()
    throw error
  }
}

async function removeDirectory(core: Core, spot: Spot, intent: RemoveIntent): Promise<Change[]> {
  const inside = core.storage.stateFolders.find((folder) => isWithin(folder, spot.absolute))
  if (inside !== undefined) throw new FsError('FS_PROTECTED', { path: spot.path, reason: 'holds the state folder' })
  const entries = await core.storage.readDirectory(spot)
  if (entries.length > 0 && intent.recursive !== true) throw new FsError('FS_NOT_EMPTY', { path: spot.path, entries: entries.length })
  const recorded = await recordTree(core, spot, intent)
  try {
    refuseAborted(intent.signal, spot.path)
    const aside = intent.recursive === true ? await core.storage.setAside(spot) : undefined
    if (aside === undefined) await core.storage.removeEmpty(spot)
    const changes: Change[] = []
    for (const each of recorded.reverse()) {
      const notes = await settle(core, each.recorded, {})
      changes.push(removedChange(each, { version: each.version, recorded: each.recorded, notes: [...each.notes, ...notes] }))
      core.book.view(intent.agent).forget({ key: each.absolute, absolute: each.absolute })
    }
    const litter = await (aside?.release() ?? Promise.resolve()).then(
      () => [],
      (error: unknown) => [`what was removed could not be deleted whole: ${String(error)}`],
    )
    changes[0]?.notes.push(...litter)
    return changes
  } catch (error) {
    for (const each of recorded) await each.recorded?.drop()
    throw error
  }
}

interface RecordedRemoval {
  path: string
  absolute: string
  version: Change['before']
  recorded: RecordedChange | undefined
  notes: string[]
}

/** Entries of the directory in the journal, the directory first; none of its content when it is too much to keep. */
async function recordTree(core: Core, top: Spot, intent: WriteIntent): Promise<RecordedRemoval[]> {
  const done: RecordedRemoval[] = []
  const budget = { entries: MOST_KEPT_ENTRIES, bytes: MOST_KEPT_BYTES }
  const fits = core.recorder !== undefined && (await fitsBudget(core, top.absolute, budget))
  const visit = async (spot: Spot): Promise<void> => {
    refuseAborted(intent.signal, top.path)
    const { facts } = spot
    if (facts === undefined) return
    const before = await keptContent(core, spot, facts)
    const recorded = await core.recorder?.begin(removalOf(spot, { facts, before, intent }))
    done.push({ path: spot.path, absolute: spot.absolute, version: versionOf(facts), recorded, notes: [] })
    if (facts.kind !== 'directory') return
    for (const entry of await core.storage.readDirectory(spot)) {
      if (entry.raw !== undefined) continue
      await visiting(core, `${spot.absolute}/${entry.name}`, visit)
    }
  }
  try {
    if (fits) await visit(top)
    else {
      const notes =
        core.recorder === undefined
          ? []
          : [`more than ${MOST_KEPT_ENTRIES} entries or ${MOST_KEPT_BYTES} bytes: this change cannot be undone`]
      done.push({ path: top.path, absolute: top.absolute, version: top.facts && versionOf(top.facts), recorded: undefined, notes })
    }
    return done
  } catch (error) {
    for (const each of done) await each.recorded?.drop()
    throw error
  }
}

async function visiting(core: Core, absolute: string, visit: (spot: Spot) => Promise<void>): Promise<void> {
  const spot = await core.storage.walk(absolute, 'keep')
  try {
    await visit(spot)
  } finally {
    spot.close()
  }
}

async function fitsBudget(core: Core, absolute: string, budget: { entries: number; bytes: number }): Promise<boolean> {
  let fits = true
  await visiting(core, absolute, async (spot) => {
    if (spot.facts?.kind !== 'directory') return
    for (const entry of await core.storage.readDirectory(spot)) {
      budget.entries -= 1
      budget.bytes -= entry.facts.kind === 'file' ? entry.facts.size : 0
      fits = fits && budget.entries >= 0 && budget.bytes >= 0
      if (!fits) return
      if (entry.facts.kind === 'directory' && entry.raw === undefined) fits = await fitsBudget(core, `${absolute}/${entry.name}`, budget)
    }
  })
  return fits
}

/** The content of a file for the journal, when it is not too large. */
export async function keptContent(core: Core, spot: Spot, facts: EntryFacts): Promise<WholeFile | undefined> {
  return facts.kind === 'file' && facts.size <= core.limits.undoBytes ? readWhole(core, spot, core.limits.undoBytes) : undefined
}

export function removalOf(
  spot: Spot,
  order: { facts: EntryFacts; before: WholeFile | undefined; intent: WriteIntent },
): Parameters<NonNullable<Core['recorder']>['begin']>[0] {
  const { facts, before, intent } = order
  const content = facts.kind === 'symlink' ? Buffer.from(facts.target ?? '', 'utf8') : before?.bytes
  const entryKind = facts.kind === 'symlink' || facts.kind === 'directory' ? facts.kind : 'file'
  return {
    ...identityOf(intent),
    path: spot.path,
    kind: 'delete',
    entryKind,
    ...(content === undefined ? {} : { before: content }),
    ...(before?.sha256 === undefined ? {} : { beforeHash: before.sha256 }),
    beforeMode: facts.mode,
  }
}

function removedChange(
  spot: { path: string },
  order: { version: Change['before']; recorded: RecordedChange | undefined; notes: string[] },
): Change {
  const { version, recorded, notes } = order
  return {
    path: spot.path,
    kind: 'delete',
    ...(version === undefined ? {} : { before: version }),
    hunks: [],
    added: 0,
    removed: 0,
    undoable: recorded?.undoable ?? false,
    ...(recorded === undefined ? {} : { entry: recorded.id }),
    notes,
  }
}
