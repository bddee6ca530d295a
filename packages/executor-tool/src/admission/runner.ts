/**
 * The usual runner: a block is taken from the admissions when its body starts, and a stop releases what the turn owns (E-29).
 */
import type { AdmissionStore } from '../definition/admissions.ts'
import type { ToolDomainRunner } from '../definition/domain.ts'
import type { HaltOrder, OwnedToolResources, StopScope } from '../definition/vocabulary.ts'
import { attempt, callGuarded } from '../guarding/attempt.ts'
import { BoundedMap } from '../guarding/bounded-map.ts'

const RETIRED_STOPS = 1000

export interface ToolDomainRunnerOptions<R> {
  resources: OwnedToolResources
  admissions: AdmissionStore<R>
  /** Told once of each failure, with its order and which of the two failed. */
  onReleaseError?(error: unknown, order: HaltOrder, which: keyof OwnedToolResources): void
}

export function createToolDomainRunner<R>({ resources, admissions, onReleaseError }: ToolDomainRunnerOptions<R>): ToolDomainRunner<R> {
  const cancelled = new BoundedMap<true>(RETIRED_STOPS)
  const reverted = new BoundedMap<true>(RETIRED_STOPS)

  /** Once per haltId; never rejects. */
  async function releaseOnce(which: keyof OwnedToolResources, order: HaltOrder, scope: StopScope): Promise<void> {
    const done = which === 'cancelCommand' ? cancelled : reverted
    if (done.has(order.haltId)) return
    done.set(order.haltId, true)
    const outcome = await attempt(() => resources[which](scope))
    if (!outcome.ok) callGuarded(() => onReleaseError?.(outcome.error, order, which), ignore)
  }

  return {
    runBlock: (command, context) => admissions.take(command.dlineTid).run(context),
    terms(command) {
      const block = admissions.peek(command.dlineTid)
      return block === undefined ? undefined : block
    },
    interrupt: (order, scope) => releaseOnce('cancelCommand', order, scope),
    async release(order, scope) {
      // Where no interrupt ran, processes are still to be ended. Side by side: neither may keep the other from being tried.
      await Promise.all([releaseOnce('cancelCommand', order, scope), releaseOnce('revertDiff', order, scope)])
    },
  }
}

function ignore(): void {
  // A reporter that throws has been told; it changes nothing about the release.
}
