/**
 * `ChangeJournal` over a store and a `FileSystem`: what was changed, and taking it back.
 */
import { randomBytes } from 'node:crypto'
import type { ChangeJournal, RevertOrder, RevertReport, TagSummary } from '../../definition/change-journal.ts'
import type { Hunk } from '../../definition/edits.ts'
import { FsError, isFsError } from '../../definition/errors.ts'
import type { FileSystem } from '../../definition/file-system.ts'
import { netChanges } from '../../journal/net-change.ts'
import { foldRecords, publicEntry, type Ledger, type LedgerEntry, type UncoveredNote } from '../../journal/records.ts'
import { applyPlan } from './apply.ts'
import { journalContents, type Contents } from './contents.ts'
import { currentAt } from './current.ts'
import { hunksBetween, planRevert, type Plan } from './plan.ts'
import { settleUnfinished, type TempSweep } from './settle.ts'
import type { JournalStore } from './store.ts'

export interface ChangeJournalOptions {
  store: JournalStore
  fileSystem: FileSystem
  /** Removes temp files that a crash left beside a path. */
  sweepTemp?: TempSweep | undefined
}

export interface OpenChangeJournal extends ChangeJournal {
  /** F-65: ends what a process that is gone left open. Once, at the start. */
  settleUnfinished(): Promise<void>
  /** A call whose effects are not journalled: named by reverts that meet it (F-64). */
  noteUncovered(note: UncoveredNote): Promise<void>
}

export function createChangeJournal({ store, fileSystem, sweepTemp }: ChangeJournalOptions): OpenChangeJournal {
  const ledger = async (): Promise<Ledger> => foldRecords(await store.load())
  return {
    async entries(filter = {}) {
      const { tag, agent, path, since } = filter
      const { entries } = await ledger()
      return entries
        .filter((entry) => (tag === undefined || entry.tag === tag) && (agent === undefined || entry.agent === agent))
        .filter((entry) => (path === undefined || entry.path === path || entry.to === path) && (since === undefined || entry.time >= since))
        .map(publicEntry)
    },
    tags: async () => summaries((await ledger()).entries),
    async diff(tag) {
      const { entries } = await ledger()
      const contents = journalContents(store, entries)
      return diffOf(
        fileSystem,
        entries.filter((entry) => entry.tag === tag),
        contents,
      )
    },
    async revert(order) {
      const { entries, notes } = await ledger()
      const chosen = selected(entries, order)
      const plan = await planRevert(fileSystem, chosen, journalContents(store, entries))
      const tag = undoTag(order, chosen)
      const notCovered = notes.filter((note) => chosenBy(order, note)).map(({ text, callId }) => `${text} (${callId})`)
      if (order.strict === true) refuseConflicts(plan)
      if (order.dryRun !== true && plan.operations.length > 0) await carryOut({ store, fileSystem }, plan, { order, tag })
      return reportOf(plan, { tag, applied: order.dryRun !== true, notCovered })
    },
    settleUnfinished: () => settleUnfinished({ store, fileSystem, sweepTemp }),
    noteUncovered: (note) => store.append({ type: 'uncovered', time: Date.now(), ...note }, { durable: false }),
  }
}

function selected(entries: readonly LedgerEntry[], order: RevertOrder): LedgerEntry[] {
  if (order.tag === undefined && order.turnId === undefined && order.rootCallIds === undefined) {
    throw new FsError('FS_NOT_FOUND', { reason: 'neither a tag nor a turn nor calls were named' })
  }
  const { paths } = order
  const named = (path: string): boolean =>
    paths === undefined || paths.some((one) => one === '.' || path === one || path.startsWith(`${one.replace(/\/$/, '')}/`))
  return entries.filter((entry) => chosenBy(order, entry) && (named(entry.path) || (entry.to !== undefined && named(entry.to))))
}

function chosenBy(order: RevertOrder, { tag, turnId, rootCallId }: { tag: string; turnId?: string; rootCallId: string }): boolean {
  if (order.tag !== undefined && order.tag !== tag) return false
  if (order.turnId !== undefined && order.turnId !== turnId) return false
  return order.rootCallIds === undefined || order.rootCallIds.includes(rootCallId)
}

function undoTag(order: RevertOrder, chosen: readonly LedgerEntry[]): string {
  const of = order.tag ?? order.turnId ?? chosen.at(-1)?.tag ?? 'nothing'
  return `undo:${of}.${randomBytes(3).toString('hex')}`
}

/** @throws FsError FS_UNDO_CONFLICT with every file that is in the way */
function refuseConflicts({ files }: Plan): void {
  const conflicts = files.flatMap(({ path, conflict }) => (conflict === undefined ? [] : [{ path, why: conflict }]))
  if (conflicts.length > 0) throw new FsError('FS_UNDO_CONFLICT', { conflicts })
}

async function carryOut(
  { store, fileSystem }: { store: JournalStore; fileSystem: FileSystem },
  plan: Plan,
  { order, tag }: { order: RevertOrder; tag: string },
): Promise<void> {
  const strict = order.strict === true
  try {
    await applyPlan(fileSystem, plan, { tag, signal: order.signal, strict })
  } catch (error) {
    if (!strict || !isFsError(error)) throw error
    await takeBack({ store, fileSystem }, tag)
    const path = error.details.path ?? ''
    throw new FsError('FS_UNDO_CONFLICT', { conflicts: [{ path, why: error.code }] }, { cause: error })
  }
}

/** What a strict revert had done before it met a conflict. */
async function takeBack({ store, fileSystem }: { store: JournalStore; fileSystem: FileSystem }, tag: string): Promise<void> {
  const { entries } = foldRecords(await store.load())
  const done = entries.filter((entry) => entry.tag === tag)
  const plan = await planRevert(fileSystem, done, journalContents(store, entries))
  await applyPlan(fileSystem, plan, { tag: `undo:${tag}`, signal: undefined, strict: false })
}

function reportOf({ files }: Plan, { tag, applied, notCovered }: { tag: string; applied: boolean; notCovered: string[] }): RevertReport {
  const done = files.filter(({ action, conflict }) => conflict === undefined && action !== 'none')
  return {
    tag,
    applied: applied && done.length > 0,
    reverted: done.map(({ path }) => path),
    kept: files.flatMap(({ path, conflict }) => (conflict === undefined ? [] : [{ path, why: conflict }])),
    notCovered,
    files: files.map(({ path, action, conflict, hunks }) => ({ path, action, ...(conflict === undefined ? {} : { conflict }), hunks })),
  }
}

function summaries(entries: readonly LedgerEntry[]): TagSummary[] {
  const byTag = new Map<string, LedgerEntry[]>()
  for (const entry of entries) byTag.set(entry.tag, [...(byTag.get(entry.tag) ?? []), entry])
  return [...byTag].map(([tag, own]) => ({
    tag,
    turnIds: [...new Set(own.flatMap(({ turnId }) => (turnId === undefined ? [] : [turnId])))],
    paths: [...new Set(own.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])))],
    changes: own.length,
    first: own[0]?.time ?? 0,
    last: own.at(-1)?.time ?? 0,
  }))
}

/** What a tag did, a list of hunks a file; a content that the journal does not hold is read where it still stands. */
async function diffOf(fileSystem: FileSystem, entries: readonly LedgerEntry[], contents: Contents): Promise<Hunk[][]> {
  const diffs = await Promise.all(
    netChanges(entries).map(async ({ steps, place }) => {
      const [first, last] = [steps[0]?.before, steps.at(-1)?.after]
      if (first === undefined || last === undefined) return []
      const sides = [first, last].map(async (content) => {
        if (content.kind === 'absent') return Buffer.alloc(0)
        const known = await contents.bytes(content)
        if (known !== undefined) return known
        const current = await currentAt(fileSystem, place)
        const read = current.kind === 'file' ? await current.read() : undefined
        return read !== undefined && read.hash === content.hash ? read.bytes : undefined
      })
      const [before, after] = await Promise.all(sides)
      return before === undefined || after === undefined ? [] : hunksBetween(before, after)
    }),
  )
  return diffs.filter((hunks) => hunks.length > 0)
}
