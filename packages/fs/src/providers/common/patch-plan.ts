/**
 * What each operation of a patch will do, decided and checked before anything changes.
 */
import { FsError } from '../../definition/errors.ts'
import type { Hunk, PatchOperation } from '../../definition/edits.ts'
import type { FileTarget, WriteIntent } from '../../definition/file-system.ts'
import { countHunks, hunksOf } from '../../editing/hunks.ts'
import { applyHunks } from '../../editing/patch.ts'
import { planWrite } from '../../editing/plan-write.ts'
import { decodeForChange, encodeFile, encodeGiven } from '../../text/encoding.ts'
import { readWhole, refuseIrregular, refuseWrite, type Core, type WholeFile } from './core.ts'
import { seenAfter } from './edit.ts'
import { checkExpectation } from './expectations.ts'
import { notFound, resolveTarget } from './resolve.ts'
import type { Spot } from './storage.ts'
import { refuseTwin } from './write.ts'

export interface OperationTargets {
  path: FileTarget
  to: FileTarget | undefined
}

/** One file of the patch: `after` undefined removes it, `goal` moves it. */
export interface PlannedStep {
  spot: Spot
  goal: Spot | undefined
  before: WholeFile | undefined
  after: Buffer | undefined
  change: { hunks: Hunk[]; added: number; removed: number }
  seen: 'whole' | [number, number][]
  notes: string[]
}

export async function acquireTargets(
  core: Core,
  operations: readonly PatchOperation[],
  { agent }: WriteIntent,
): Promise<OperationTargets[]> {
  const options = agent === undefined ? {} : { agent }
  const targets: OperationTargets[] = []
  for (const operation of operations) {
    const leaf = operation.kind === 'delete' ? ('keep' as const) : ('follow' as const)
    const path = await resolveTarget(core, operation.path, { ...options, leaf })
    const to =
      operation.kind === 'update' && operation.moveTo !== undefined
        ? await resolveTarget(core, operation.moveTo, { ...options, leaf: 'keep' })
        : undefined
    targets.push({ path, to })
  }
  return targets
}

interface PlanOrder {
  spot: Spot
  goal: Spot | undefined
  intent: WriteIntent
}

export async function planOperation(core: Core, operation: PatchOperation, order: PlanOrder): Promise<PlannedStep> {
  refuseWrite(core, order.spot)
  switch (operation.kind) {
    case 'add':
      return planAdd(core, operation, order)
    case 'delete':
      return planDelete(core, order)
    case 'update':
      return planUpdate(core, operation, order)
    default:
      return operation satisfies never
  }
}

async function planAdd(core: Core, operation: { path: string; content: string }, { spot }: PlanOrder): Promise<PlannedStep> {
  if (spot.facts !== undefined) throw new FsError('FS_ALREADY_EXISTS', { path: spot.path })
  await refuseTwin(core, spot)
  const given = encodeGiven(operation.content, spot.path)
  if (given.length > core.limits.writeBytes)
    throw new FsError('FS_TOO_LARGE', { path: spot.path, size: given.length, limit: core.limits.writeBytes })
  const { after, notes, change } = planWrite(spot.path, undefined, given)
  return { spot, goal: undefined, before: undefined, after, change, seen: 'whole', notes }
}

async function planDelete(core: Core, { spot, intent }: PlanOrder): Promise<PlannedStep> {
  const before = await readExisting(core, spot)
  checkExpectation(core, spot, { intent, needed: 'name', actual: before.version })
  return { spot, goal: undefined, before, after: undefined, change: { hunks: [], added: 0, removed: 0 }, seen: [], notes: [] }
}

async function planUpdate(
  core: Core,
  operation: PatchOperation & { kind: 'update' },
  { spot, goal, intent }: PlanOrder,
): Promise<PlannedStep> {
  const before = await readExisting(core, spot)
  if (before.facts.links > 1 && core.hardLinks === 'refuse')
    throw new FsError('FS_HARD_LINK', { path: spot.path, links: before.facts.links })
  checkExpectation(core, spot, { intent, needed: 'part', actual: before.version })
  if (goal !== undefined) {
    refuseWrite(core, goal)
    if (goal.facts !== undefined) throw new FsError('FS_ALREADY_EXISTS', { path: goal.path })
    await refuseTwin(core, goal)
  }
  const notes =
    before.facts.links > 1
      ? [
          goal === undefined
            ? `written in place: ${before.facts.links} hard links`
            : `the file had ${before.facts.links} hard links; the others keep the old name and content`,
        ]
      : []
  if (operation.hunks.length === 0) {
    if (goal === undefined) throw new FsError('FS_PATCH_REJECTED', { path: spot.path, reason: 'no hunk' })
    const seen = core.book.record(intent.agent, spot)?.seen ?? []
    return { spot, goal, before, after: before.bytes, change: { hunks: [], added: 0, removed: 0 }, seen, notes }
  }
  const decoded = decodeForChange(before.bytes, spot.path, core.storage.isUtf8)
  const patched = applyHunks(decoded.body, operation.hunks, spot.path)
  if (patched.body.equals(decoded.body) && goal === undefined) throw new FsError('FS_NO_CHANGE', { path: spot.path })
  const hunks = hunksOf(decoded.body, patched.body, patched.splices)
  const seen = seenAfter(core.book.record(intent.agent, spot), {
    splices: patched.splices,
    bomBytes: before.bytes.length - decoded.body.length,
    utf8: decoded.encoding === 'utf-8',
  })
  return { spot, goal, before, after: encodeFile(patched.body, decoded), change: { hunks, ...countHunks(hunks) }, seen, notes }
}

async function readExisting(core: Core, spot: Spot): Promise<WholeFile> {
  if (spot.facts === undefined) throw await notFound(core, spot)
  refuseIrregular(spot, spot.facts)
  return readWhole(core, spot, core.limits.editBytes)
}
