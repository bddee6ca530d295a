/**
 * Patches (F-45): every file is locked, checked and staged before the first one changes; a change that fails takes the others back.
 */
import { FsError, isFsError } from '../../definition/errors.ts'
import type { RecordedChange } from '../../definition/change-journal.ts'
import type { PatchOperation } from '../../definition/edits.ts'
import type { Change, FileTarget, WriteIntent } from '../../definition/file-system.ts'
import { acquireTargets, planOperation, type OperationTargets, type PlannedStep } from './patch-plan.ts'
import { withLocked, type Core } from './core.ts'
import { verifyUnchanged } from './expectations.ts'
import { hashFor, identityOf, madeParents, pendingOf, settle } from './publish.ts'
import { removalOf } from './remove.ts'
import { versionOf } from './core.ts'
import type { EntryFacts, Reversible, Spot, Staged } from './storage.ts'
import { HASHED_BYTES } from '../../definition/versions.ts'

export async function patchFiles(core: Core, operations: readonly PatchOperation[], intent: WriteIntent): Promise<Change[]> {
  if (operations.length === 0) throw new FsError('FS_PATCH_REJECTED', { reason: 'no operation' })
  const targets = await acquireTargets(core, operations, intent)
  const places = targets.flatMap((each) => placesOf(each))
  return withLocked(core, places, {
    signal: intent.signal,
    use: async (spots) => {
      refuseRepeated(spots)
      const steps: PlannedStep[] = []
      let next = 0
      for (const [index, operation] of operations.entries()) {
        const spot = spots[next]
        const goal = targets[index]?.to === undefined ? undefined : spots[next + 1]
        next += targets[index]?.to === undefined ? 1 : 2
        if (spot === undefined) throw new FsError('FS_IO', { path: operation.path })
        steps.push(await planOperation(core, operation, { spot, goal, intent }))
      }
      return applySteps(core, steps, intent)
    },
  })
}

function placesOf({ path, to }: OperationTargets): Pick<FileTarget, 'key' | 'given' | 'leaf'>[] {
  return to === undefined ? [path] : [path, to]
}

function refuseRepeated(spots: readonly Spot[]): void {
  const known = new Set<string>()
  for (const spot of spots) {
    if (known.has(spot.key)) throw new FsError('FS_PATCH_REJECTED', { path: spot.path, reason: 'the file is named twice' })
    known.add(spot.key)
  }
}

interface PreparedStep {
  step: PlannedStep
  staged: Staged | undefined
  recorded: RecordedChange[]
  afterHash: string | undefined
}

async function applySteps(core: Core, steps: readonly PlannedStep[], intent: WriteIntent): Promise<Change[]> {
  const prepared: PreparedStep[] = []
  const done: Reversible[] = []
  try {
    for (const step of steps) prepared.push(await prepareStep(core, step, intent))
    const facts: (EntryFacts | undefined)[] = []
    for (const each of prepared) facts.push(await commitStep(core, each, { intent, done }))
    const changes: Change[] = []
    for (const [index, each] of prepared.entries()) changes.push(await concludeStep(core, each, { intent, facts: facts[index] }))
    for (const each of done)
      await each.release().catch((error: unknown) => core.diagnose('a kept file could not be removed', { error: String(error) }))
    return changes
  } catch (error) {
    await rollBack(core, done, prepared)
    throw error
  }
}

async function prepareStep(core: Core, step: PlannedStep, intent: WriteIntent): Promise<PreparedStep> {
  const recorded: RecordedChange[] = []
  let staged: Staged | undefined
  const afterHash = step.after === undefined ? undefined : hashFor(core, step.after)
  try {
    if (step.after !== undefined && !isInPlace(step)) {
      const mode = step.before === undefined ? undefined : step.before.facts.mode & 0o1777
      staged = await core.storage.stage(step.goal ?? step.spot, step.after, { mode, signal: intent.signal })
    }
    for (const pending of pendingSteps(core, step, { intent, afterHash })) {
      const each = await core.recorder?.begin(pending)
      if (each !== undefined) recorded.push(each)
    }
    return { step, staged, recorded, afterHash }
  } catch (error) {
    await staged?.discard()
    for (const each of recorded) await each.drop()
    throw error
  }
}

/** F-33: a file with several hard links keeps them. */
function isInPlace({ before, goal }: PlannedStep): boolean {
  return before !== undefined && before.facts.links > 1 && goal === undefined
}

/** A move with hunks is, for undo, the creation of one file and the removal of another. */
function pendingSteps(
  core: Core,
  step: PlannedStep,
  { intent, afterHash }: { intent: WriteIntent; afterHash: string | undefined },
): Parameters<NonNullable<Core['recorder']>['begin']>[0][] {
  const { spot, goal, before, after } = step
  const removal = before === undefined ? undefined : removalOf(spot, { facts: before.facts, before, intent })
  if (after === undefined) return removal === undefined ? [] : [removal]
  if (goal === undefined) return [pendingOf(core, { spot, before, after, intent }, afterHash)]
  const creation = {
    ...identityOf(intent),
    path: goal.path,
    kind: 'create' as const,
    ...madeParents(goal),
    ...(afterHash === undefined ? {} : { afterHash }),
  }
  return removal === undefined ? [creation] : [creation, removal]
}

async function commitStep(
  core: Core,
  prepared: PreparedStep,
  { intent, done }: { intent: WriteIntent; done: Reversible[] },
): Promise<EntryFacts | undefined> {
  const { step, staged } = prepared
  const { spot, goal, before } = step
  let facts: EntryFacts | undefined
  const verify = (): Promise<void> => verifyUnchanged(core, spot, { read: before, intent })
  if (before !== undefined && step.after !== undefined && isInPlace(step)) {
    const { bytes } = before
    await verify()
    facts = await core.storage.overwrite(spot, step.after, bytes)
    const restore = async (): Promise<void> => void (await core.storage.overwrite(spot, bytes, bytes))
    done.push({ restore, release: () => Promise.resolve() })
    return facts
  }
  if (staged !== undefined) {
    const committed = await staged.commit({ replace: before !== undefined && goal === undefined, verify, keep: true })
    done.push(committed)
    facts = committed.facts
  }
  if (staged === undefined || goal !== undefined) {
    await verify()
    done.push(await core.storage.setAside(spot))
  }
  return facts
}

async function concludeStep(
  core: Core,
  prepared: PreparedStep,
  { intent, facts }: { intent: WriteIntent; facts: EntryFacts | undefined },
): Promise<Change> {
  const { step, recorded, afterHash } = prepared
  const { spot, goal, before, after } = step
  const version =
    facts === undefined ? undefined : versionOf(facts, after !== undefined && after.length <= HASHED_BYTES ? afterHash : undefined)
  const notes = [...step.notes]
  for (const [index, each] of recorded.entries()) {
    const outcome = version === undefined || index > 0 ? {} : { after: version, ...(afterHash === undefined ? {} : { afterHash }) }
    notes.push(...(await settle(core, each, outcome)))
  }
  const view = core.book.view(intent.agent)
  if (goal !== undefined || version === undefined) view.forget(spot)
  if (version !== undefined) view.note(goal ?? spot, { version, seen: step.seen })
  return {
    path: (goal ?? spot).path,
    ...(goal === undefined ? {} : { from: spot.path }),
    kind: goal !== undefined ? 'move' : after === undefined ? 'delete' : before === undefined ? 'create' : 'modify',
    ...(before === undefined ? {} : { before: before.version }),
    ...(version === undefined ? {} : { after: version }),
    ...step.change,
    ...(after === undefined ? {} : { bytes: after.length }),
    undoable: recorded.length > 0 && recorded.every((each) => each.undoable),
    ...(recorded[0] === undefined ? {} : { entry: recorded[0].id }),
    notes,
  }
}

async function rollBack(core: Core, done: readonly Reversible[], prepared: readonly PreparedStep[]): Promise<void> {
  for (const each of [...done].reverse()) {
    await each
      .restore()
      .catch((error: unknown) =>
        core.diagnose('a file of a refused patch could not be restored', { error: isFsError(error) ? error.message : String(error) }),
      )
  }
  for (const each of prepared) {
    await each.staged?.discard()
    for (const recorded of each.recorded) await recorded.drop()
  }
}
