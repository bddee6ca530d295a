/**
 * The kernel of a driver, opened over its journal: what an earlier process left open there is closed first, on record.
 */
import type { Kernel } from '../../definition/kernel.ts'
import type { JournalPort } from '../../definition/ports.ts'
import type { ToolTurnCommand, ToolTurnEvent, ToolTurnState } from '../../definition/turn.ts'
import { createKernel } from '../kernel/kernel.ts'
import { recoverTools } from '../kernel/recover.ts'
import { initialToolTurnState, reduceTools } from './reducer.ts'

export interface OpenKernelOptions {
  journal?: JournalPort
  lane?: string
  execute(command: ToolTurnCommand): void
}

export async function openKernel({ journal, lane, execute }: OpenKernelOptions): Promise<Kernel<ToolTurnState, ToolTurnEvent>> {
  const named = lane === undefined ? {} : { lane }
  const recovered = journal === undefined ? undefined : await recoverTools(journal.read(), named)
  const kernel = createKernel<ToolTurnState, ToolTurnEvent, ToolTurnCommand>({
    reduce: reduceTools,
    initial: recovered?.state ?? initialToolTurnState,
    execute,
    ...named,
    ...(journal === undefined ? {} : { journal }),
  })
  if (recovered !== undefined) await closeWhatWasOpen(kernel)
  return kernel
}

/** Stops that had not closed have failed with their process; a turn that was open is left. */
async function closeWhatWasOpen({ state, post }: Kernel<ToolTurnState, ToolTurnEvent>): Promise<void> {
  const cause = { code: 'ABANDONED', message: 'the process ended before the stop closed' } as const
  for (const haltId of state.openStops) {
    await post({ kind: 'tool.halt_failed', haltId, reason: 'terminate', discarded: [], abandoned: [], cause })
  }
  const isOpen = state.phase === 'running' || state.phase === 'stopping'
  if (isOpen && state.turnId !== undefined && state.told === undefined) await post({ kind: 'turn.left', turnId: state.turnId })
}
