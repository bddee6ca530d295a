/**
 * What a turn owns, through the ports of its neighbours: processes end in the interrupt, changes are undone in the release (E-30, E-31).
 */
import type { OwnedWork, ReleaseReport } from '@toolseam/core-tools'
import { ToolExecutorError } from '../definition/errors.ts'
import type { ChangePort, RevertReport } from '../definition/ports.ts'
import type { OwnedToolResources, StopScope } from '../definition/vocabulary.ts'

/** `unapplied`: what blocks without an applied result wrote. `turn`: all that the turn wrote. `none`: nothing. */
export type RevertMode = 'unapplied' | 'turn' | 'none'

export interface OwnedResourcesOptions {
  /** Given, or found when first used. */
  processes?: OwnedWork | (() => OwnedWork | undefined)
  changes?: ChangePort | (() => ChangePort | undefined)
  /** Default `unapplied`. */
  revert?: RevertMode
  /** The turn that is open: released and undone as well where the stop meets none of its blocks. */
  openTurn?(): string | undefined
  /** Time for the processes of one stop, in ms. Default 2000. */
  deadlineMs?: number
  /** Told what was released and undone, conflicts included. */
  report?(report: ResourceReport): void
}

export type ResourceReport =
  | { readonly kind: 'processes'; readonly haltId: string; readonly turnId?: string; readonly report: ReleaseReport }
  | { readonly kind: 'changes'; readonly haltId: string; readonly turnId: string; readonly report: RevertReport }

const DEFAULT_DEADLINE_MS = 2000

export function ownedToolResources(options: OwnedResourcesOptions = {}): OwnedToolResources {
  return {
    cancelCommand: (scope) => cancelCommands(options, scope),
    revertDiff: (scope) => revertChanges(options, scope),
  }
}

/** Once for each turn of the cut, and once for the blocks without one; all in parallel. */
async function cancelCommands(options: OwnedResourcesOptions, scope: StopScope | undefined): Promise<void> {
  const processes = portOf(options.processes)
  if (processes === undefined || scope === undefined) return
  const { haltId, reason } = scope.order
  const { deadlineMs = DEFAULT_DEADLINE_MS } = options
  const orders = groupByTurn(scope, options).map(({ turnId, callIds }) =>
    turnId === undefined ? { reason, rootCallIds: callIds, deadlineMs } : { reason, turnId, deadlineMs },
  )
  const reports = await Promise.all(
    orders.map(async (order) => {
      const report = await processes.release(order)
      options.report?.({ kind: 'processes', haltId, ...('turnId' in order ? { turnId: order.turnId } : {}), report })
      return report
    }),
  )
  const pids = reports.flatMap((report) => report.stuck)
  if (pids.length > 0) throw new ToolExecutorError('PROCESSES_STUCK', `still alive after the release: ${pids.join(', ')}`, { pids })
}

/** Never more than the turn's own changes. Every turn is tried, also where one fails. */
async function revertChanges(options: OwnedResourcesOptions, scope: StopScope | undefined): Promise<void> {
  const { revert = 'unapplied' } = options
  const changes = revert === 'none' ? undefined : portOf(options.changes)
  if (changes === undefined || scope === undefined) return
  const { haltId } = scope.order
  const failures: unknown[] = []
  for (const { turnId, callIds } of groupByTurn(scope, options)) {
    if (turnId === undefined || (revert === 'unapplied' && callIds.length === 0)) continue
    try {
      const limits = revert === 'turn' ? {} : { rootCallIds: callIds }
      const report = await changes.revert({ tag: turnId, ...limits, signal: scope.signal })
      options.report?.({ kind: 'changes', haltId, turnId, report })
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, 'changes of several turns could not be undone')
}

/** The call ids of a block and of what is nested below it share the root: the block's own call id. */
function groupByTurn({ blocks }: StopScope, { openTurn }: OwnedResourcesOptions): { turnId: string | undefined; callIds: string[] }[] {
  const groups = new Map<string | undefined, string[]>()
  for (const { turnId, callId } of blocks) {
    const callIds = groups.get(turnId) ?? []
    groups.set(turnId, callIds)
    if (callId !== undefined) callIds.push(callId)
  }
  const open = openTurn?.()
  if (open !== undefined && !groups.has(open)) groups.set(open, [])
  return [...groups].map(([turnId, callIds]) => ({ turnId, callIds }))
}

function portOf<P extends object>(port: P | (() => P | undefined) | undefined): P | undefined {
  return typeof port === 'function' ? port() : port
}
