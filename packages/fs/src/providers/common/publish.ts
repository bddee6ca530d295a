/**
 * One file's new content becomes visible (F-30, F-33): journalled and staged, verified, renamed, settled, observed. Used by every change
 * of a whole file.
 */
import { FsError, isFsError } from '../../definition/errors.ts'
import type { PendingChange, RecordedChange } from '../../definition/change-journal.ts'
import type { WriteIntent } from '../../definition/file-system.ts'
import { HASHED_BYTES, type Version } from '../../definition/versions.ts'
import { tagOf, versionOf, type Core, type WholeFile } from './core.ts'
import { verifyUnchanged } from './expectations.ts'
import type { EntryFacts, Spot, Staged } from './storage.ts'

export interface Publication {
  spot: Spot
  /** Undefined: the file is created. */
  before: WholeFile | BeforeFacts | undefined
  after: Buffer
  intent: WriteIntent
}

/** A file too large to be held in memory: its content is not kept for undo. */
export interface BeforeFacts {
  bytes?: undefined
  facts: EntryFacts
  version: Version
  sha256?: undefined
}

export interface Published {
  version: Version
  entry?: string
  undoable: boolean
  notes: string[]
}

export async function publish(core: Core, publication: Publication): Promise<Published> {
  const { spot, before } = publication
  const inPlaceReason = before !== undefined && before.facts.links > 1 ? `${before.facts.links} hard links` : undefined
  if (inPlaceReason === undefined) return publishByRename(core, publication)
  if (core.hardLinks === 'refuse') throw new FsError('FS_HARD_LINK', { path: spot.path, links: before?.facts.links ?? 0 })
  return publishInPlace(core, publication, inPlaceReason)
}

async function publishByRename(core: Core, publication: Publication): Promise<Published> {
  const { spot, before, after, intent } = publication
  const { mode, notes } = keptMode(publication)
  const afterHash = hashFor(core, after)
  let staged: Staged
  let recorded: RecordedChange | undefined
  try {
    ;[staged, recorded] = await stageAndRecord(core, { publication, mode, afterHash })
  } catch (error) {
    const denied = isFsError(error) && error.code === 'FS_PERMISSION' && error.details['at'] === 'directory'
    if (denied && before?.bytes !== undefined) return publishInPlace(core, publication, 'its directory cannot be written', error)
    throw error
  }
  try {
    const order = {
      replace: before !== undefined || intent.expect === 'any',
      verify: () => verifyUnchanged(core, spot, { read: before, intent }),
    }
    const committed = await staged.commit(order)
    return await conclude(core, { publication, facts: committed.facts, recorded, notes, afterHash })
  } catch (error) {
    await staged.discard()
    await recorded?.drop()
    throw error
  }
}

async function publishInPlace(core: Core, publication: Publication, why: string, instead?: unknown): Promise<Published> {
  const { spot, before, after, intent } = publication
  if (before?.bytes === undefined)
    throw new FsError('FS_TOO_LARGE', { path: spot.path, size: before?.facts.size ?? 0, limit: core.limits.editBytes })
  const afterHash = hashFor(core, after)
  const recorded = await core.recorder?.begin(pendingOf(core, publication, afterHash))
  try {
    await verifyUnchanged(core, spot, { read: before, intent })
    const facts = await core.storage.overwrite(spot, after, before.bytes)
    if (intent.mode !== undefined) await core.storage.setMode(spot, intent.mode)
    return await conclude(core, { publication, facts, recorded, notes: [`written in place: ${why}`], afterHash })
  } catch (error) {
    await recorded?.drop()
    throw instead !== undefined && isFsError(error) && error.code === 'FS_PERMISSION' ? instead : error
  }
}

/** Both at once; when one fails the other is undone. */
async function stageAndRecord(
  core: Core,
  { publication, mode, afterHash }: { publication: Publication; mode: number | undefined; afterHash: string | undefined },
): Promise<[Staged, RecordedChange | undefined]> {
  const { spot, after, intent } = publication
  const [staged, recorded] = await Promise.allSettled([
    core.storage.stage(spot, after, { mode, signal: intent.signal }),
    core.recorder?.begin(pendingOf(core, publication, afterHash)),
  ])
  if (staged.status === 'fulfilled' && recorded.status === 'fulfilled') return [staged.value, recorded.value]
  if (staged.status === 'fulfilled') await staged.value.discard()
  if (recorded.status === 'fulfilled') await recorded.value?.drop()
  throw staged.status === 'rejected' ? staged.reason : recorded.status === 'rejected' ? recorded.reason : undefined
}

export function pendingOf(core: Core, { spot, before, after, intent }: Publication, afterHash: string | undefined): PendingChange {
  const keep = before?.bytes !== undefined && before.bytes.length <= core.limits.undoBytes
  return {
    ...identityOf(intent),
    path: spot.path,
    kind: before === undefined ? 'create' : 'modify',
    ...(keep ? { before: before.bytes, after } : {}),
    ...madeParents(spot),
    ...(before?.sha256 === undefined ? {} : { beforeHash: before.sha256 }),
    ...(before === undefined ? {} : { beforeMode: before.facts.mode }),
    ...(afterHash === undefined ? {} : { afterHash }),
  }
}

/** Undo takes them away again where they are empty (F-62). */
export function madeParents(spot: Spot): { madeParents?: number } {
  return spot.missingParents.length === 0 ? {} : { madeParents: spot.missingParents.length }
}

export function identityOf(intent: WriteIntent): Pick<PendingChange, 'tag' | 'agent' | 'turnId' | 'rootCallId' | 'callId'> {
  return {
    tag: tagOf(intent),
    ...(intent.agent === undefined ? {} : { agent: intent.agent }),
    ...(intent.turnId === undefined ? {} : { turnId: intent.turnId }),
    rootCallId: intent.rootCallId,
    callId: intent.callId,
  }
}

/** Needed for the version of small files, and by the journal for every one. */
export function hashFor(core: Core, bytes: Uint8Array): string | undefined {
  return bytes.length <= HASHED_BYTES || core.recorder !== undefined ? core.storage.hash(bytes) : undefined
}

/** Settles an entry whose change is visible already: a failure here is told, never thrown (F-1). */
export async function settle(
  core: Core,
  recorded: RecordedChange | undefined,
  outcome: { afterHash?: string; after?: Version },
): Promise<string[]> {
  try {
    await recorded?.settle(outcome)
    return []
  } catch (error) {
    core.diagnose('a change could not be settled in the journal', { error: String(error) })
    return ['the journal could not note the end of this change; it will be settled at the next start']
  }
}

async function conclude(
  core: Core,
  done: {
    publication: Publication
    facts: EntryFacts
    recorded: RecordedChange | undefined
    notes: string[]
    afterHash: string | undefined
  },
): Promise<Published> {
  const { publication, facts, recorded, afterHash } = done
  const version = versionOf(facts, publication.after.length <= HASHED_BYTES ? afterHash : undefined)
  const unsettled = await settle(core, recorded, { after: version, ...(afterHash === undefined ? {} : { afterHash }) })
  const notes = [...done.notes, ...unsettled]
  if (recorded?.undoable === false) notes.push('too large to be kept: this change cannot be undone')
  return { version, ...(recorded === undefined ? {} : { entry: recorded.id }), undoable: recorded?.undoable ?? false, notes }
}

/** F-31: mode bits survive, set-id bits do not. */
function keptMode({ before, intent }: Publication): { mode: number | undefined; notes: string[] } {
  if (intent.mode !== undefined) return { mode: intent.mode & 0o1777, notes: [] }
  if (before === undefined) return { mode: undefined, notes: [] }
  const setId = (before.facts.mode & 0o6000) !== 0
  return { mode: before.facts.mode & 0o1777, notes: setId ? ['set-id bits were dropped'] : [] }
}
