/**
 * What undo makes again and no tool makes: empty directories and links. Journalled like every change, so that the undo can be undone.
 */
import { FsError } from '../../definition/errors.ts'
import type { Change, FileTarget, RemadeEntry, WriteIntent } from '../../definition/file-system.ts'
import { refuseAborted, refuseWrite, versionOf, withLocked, type Core } from './core.ts'
import { identityOf, madeParents, settle } from './publish.ts'
import type { Spot } from './storage.ts'

export function remakeEntry(core: Core, target: FileTarget, order: { entry: RemadeEntry; intent: WriteIntent }): Promise<Change> {
  const place = { key: target.key, given: target.asked ?? target.given, leaf: 'keep' as const }
  return withLocked(core, [place], {
    signal: order.intent.signal,
    use: async ([spot]) => {
      if (spot === undefined) throw new FsError('FS_IO', { path: target.path })
      refuseWrite(core, spot)
      if (spot.facts !== undefined) throw new FsError('FS_ALREADY_EXISTS', { path: spot.path })
      return remakeSpot(core, spot, order)
    },
  })
}

async function remakeSpot(core: Core, spot: Spot, { entry, intent }: { entry: RemadeEntry; intent: WriteIntent }): Promise<Change> {
  const afterHash = entry.kind === 'symlink' ? { afterHash: core.storage.hash(Buffer.from(entry.target, 'utf8')) } : {}
  const recorded = await core.recorder?.begin({
    ...identityOf(intent),
    path: spot.path,
    kind: 'create',
    entryKind: entry.kind,
    ...afterHash,
    ...madeParents(spot),
  })
  try {
    refuseAborted(intent.signal, spot.path)
    await make(core, spot, entry)
    const facts = await core.storage.refresh(spot)
    const after = facts === undefined ? {} : { after: versionOf(facts) }
    const notes = await settle(core, recorded, { ...after, ...afterHash })
    const entryId = recorded === undefined ? {} : { entry: recorded.id }
    return {
      path: spot.path,
      kind: 'create',
      ...after,
      hunks: [],
      added: 0,
      removed: 0,
      undoable: recorded !== undefined,
      ...entryId,
      notes,
    }
  } catch (error) {
    await recorded?.drop()
    throw error
  }
}

async function make(core: Core, spot: Spot, entry: RemadeEntry): Promise<void> {
  if (entry.kind === 'symlink') {
    if (core.storage.makeLink === undefined) throw new FsError('FS_NOT_REGULAR', { path: spot.path, kind: 'symlink' })
    await core.storage.makeLink(spot, entry.target)
    return
  }
  await core.storage.makeDirectory(spot)
  if (entry.mode === undefined) return
  const made = await core.storage.walk(spot.absolute, 'keep')
  try {
    await core.storage.setMode(made, entry.mode & 0o1777)
  } finally {
    made.close()
  }
}
