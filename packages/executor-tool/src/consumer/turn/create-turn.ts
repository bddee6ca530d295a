/**
 * The beginning of a turn: refused while another is open, and after a stop only with a `rearm` before the first `run` (E-44).
 */
import type { RefusalCode, ToolTurnCommand, ToolTurnReduction, ToolTurnState, TurnBlock, TurnCreated } from '../../definition/turn.ts'
import { advance } from './schedule.ts'

export function createTurn(state: ToolTurnState, event: TurnCreated): ToolTurnReduction {
  const code = refusal(state, event)
  if (code !== undefined) return { state, commands: [], refused: { code } }
  const { turnId, mode, limit } = event
  const rearm: ToolTurnCommand[] = state.phase === 'stopped' && state.haltId !== undefined ? [{ kind: 'rearm', haltId: state.haltId }] : []
  const next: ToolTurnState = {
    phase: 'running',
    turnId,
    mode,
    limit,
    blocks: event.blocks.map(blockOf),
    openStops: [],
    knownStops: state.knownStops,
    grants: 0,
    // Kept, so that a late order of an old stop is known for what it is.
    ...(state.haltId === undefined ? {} : { haltId: state.haltId }),
  }
  return advance(next, rearm)
}

function refusal(state: ToolTurnState, { mode, limit, blocks, turnId }: TurnCreated): RefusalCode | undefined {
  if (state.phase === 'running' || state.phase === 'stopping') return 'TURN_OPEN'
  if (typeof turnId !== 'string' || turnId === '') return 'INVALID_TURN'
  if ((mode !== 'serial' && mode !== 'parallel') || !Number.isInteger(limit) || limit < 1) return 'INVALID_TURN'
  return new Set(blocks.map((block) => block.dlineTid)).size === blocks.length ? undefined : 'INVALID_TURN'
}

function blockOf({ dlineTid, callId, concurrency, settled, idempotent, attempt }: TurnCreated['blocks'][number]): TurnBlock {
  const block: TurnBlock = {
    dlineTid,
    callId,
    concurrency,
    state: settled === true ? 'settled' : 'waiting',
    attempt: attempt ?? 1,
    idempotent: idempotent === true,
    grant: 0,
  }
  return settled === true ? { ...block, outcome: { kind: 'settled' } } : block
}
