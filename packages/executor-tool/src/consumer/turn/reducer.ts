/**
 * The reducer: decides what runs, skips and stops, from what happened. Pure: no clock, no randomness, no input or output, no mutation. An event
 * it refuses returns the same state object and no commands (E-43).
 */
import type {
  BlockOutcome,
  BlockTold,
  ExecutorFailed,
  JournalledToolEvent,
  RefusalCode,
  SkipReason,
  ToolTurnCommand,
  ToolTurnEvent,
  ToolTurnReduction,
  ToolTurnState,
  TurnBlock,
  TurnConcluded,
} from '../../definition/turn.ts'
import type { HaltOrder, Ident } from '../../definition/vocabulary.ts'
import { isRunOf, settleBlock, settleListed, withBlock } from './blocks.ts'
import { createTurn } from './create-turn.ts'
import { advance } from './schedule.ts'

export const initialToolTurnState: ToolTurnState = Object.freeze({
  phase: 'idle',
  limit: 1,
  blocks: Object.freeze([]),
  openStops: Object.freeze([]),
  knownStops: Object.freeze([]),
  grants: 0,
})

/** As many as the domain remembers. */
const KNOWN_STOPS = 1000

type Outcome = Extract<JournalledToolEvent, Ident>
type Closing = Exclude<JournalledToolEvent, Ident>

export function reduceTools(state: ToolTurnState, event: ToolTurnEvent): ToolTurnReduction {
  switch (event.kind) {
    case 'turn.created':
      return createTurn(state, event)
    case 'block.settled':
    case 'block.asking':
    case 'block.answered':
    case 'block.exclusive':
      return onBlockTold(state, event)
    case 'turn.concluded':
      return onConcluded(state, event)
    case 'stop.requested':
      return onStop(state, event.order)
    case 'turn.left':
      return onLeft(state, event.turnId)
    case 'tool.block_result':
    case 'tool.block_failed':
    case 'tool.rejected':
      return onOutcome(state, event)
    case 'tool.halted':
    case 'tool.halt_failed':
      return onClosing(state, event)
    case 'executor.failed':
      return onExecutorFailed(state, event)
    default:
      event satisfies never
      return refuse(state, 'UNKNOWN_EVENT')
  }
}

export function refuse(state: ToolTurnState, code: RefusalCode): ToolTurnReduction {
  return { state, commands: [], refused: { code } }
}

function isOpenTurn(state: ToolTurnState, turnId: string): boolean {
  return state.turnId === turnId && (state.phase === 'running' || state.phase === 'stopping') && state.told === undefined
}

/** An open block of the current turn, or why there is none. */
function findOpen(state: ToolTurnState, turnId: string | undefined, dlineTid: string): number | RefusalCode {
  if (turnId === undefined || !isOpenTurn(state, turnId)) return 'STALE_TURN'
  const index = state.blocks.findIndex((block) => block.dlineTid === dlineTid)
  if (index < 0) return 'UNKNOWN_BLOCK'
  return state.blocks[index]?.state === 'settled' ? 'ALREADY_SETTLED' : index
}

function onBlockTold(state: ToolTurnState, event: BlockTold): ToolTurnReduction {
  const index = findOpen(state, event.turnId, event.dlineTid)
  if (typeof index !== 'number') return refuse(state, index)
  switch (event.kind) {
    case 'block.settled':
      return advance(settleBlock(state, index, { kind: 'settled' }))
    case 'block.asking':
      return state.blocks[index]?.state === 'running' ? advance(withBlock(state, index, { state: 'asking' })) : refuse(state, 'NOT_RUNNING')
    case 'block.answered':
      // The place was given back while a human was asked: it is granted anew, like any other.
      return state.blocks[index]?.state === 'asking' ? advance(withBlock(state, index, { state: 'waiting' })) : refuse(state, 'NOT_RUNNING')
    case 'block.exclusive':
      return onExclusive(state, event, index)
    default:
      event.kind satisfies never
      return refuse(state, 'UNKNOWN_EVENT')
  }
}

/** Found exclusive: its place goes back, and with it every later `run` that was not acted upon yet (E-38). */
function onExclusive(state: ToolTurnState, event: BlockTold, index: number): ToolTurnReduction {
  const self = state.blocks[index]
  if (self === undefined) return refuse(state, 'UNKNOWN_BLOCK')
  const isWithdrawn = (block: TurnBlock): boolean =>
    event.withdrawn === undefined ? block.grant > self.grant : event.withdrawn.includes(block.dlineTid)
  const blocks = state.blocks.map((block, at): TurnBlock => {
    // While a human is asked there is no place to give back; the barrier stands from now on.
    if (at === index) return { ...block, state: block.state === 'asking' ? 'asking' : 'waiting', concurrency: 'exclusive' }
    return at > index && block.state === 'running' && isWithdrawn(block) ? { ...block, state: 'waiting' } : block
  })
  return advance({ ...state, blocks })
}

/** Later blocks that have not begun are skipped; what runs finishes (E-41). */
function onConcluded(state: ToolTurnState, event: TurnConcluded): ToolTurnReduction {
  if (!isOpenTurn(state, event.turnId)) return refuse(state, 'STALE_TURN')
  const index = state.blocks.findIndex((block) => block.dlineTid === event.dlineTid)
  if (index < 0) return refuse(state, 'UNKNOWN_BLOCK')
  if (state.concludedAt !== undefined) return refuse(state, 'ALREADY_CONCLUDED')
  const isSkipped = (block: TurnBlock, at: number): boolean =>
    at > index && (isUnstarted(block) || (block.state === 'running' && event.withdrawn?.includes(block.dlineTid) === true))
  return skip({ ...state, concludedAt: index }, { reason: 'concluded', isSkipped })
}

/** Nothing more starts; what runs is left to the domain, whose events settle it. */
function onStop(state: ToolTurnState, order: HaltOrder): ToolTurnReduction {
  const { haltId, reason } = order
  if (state.openStops.includes(haltId) || state.knownStops.includes(haltId)) return refuse(state, 'STOP_KNOWN')
  const knownStops = [...state.knownStops.slice(1 - KNOWN_STOPS), haltId]
  const stopping: ToolTurnState = { ...state, phase: 'stopping', openStops: [...state.openStops, haltId], knownStops, haltId }
  return skip(stopping, { reason, isSkipped: isUnstarted, before: [{ kind: 'halt', order: { haltId, reason } }] })
}

/** Waits for its turn, or for a human: no body of it was handed over. */
function isUnstarted(block: TurnBlock): boolean {
  return block.state === 'waiting' || block.state === 'asking'
}

interface Skip {
  readonly reason: SkipReason
  readonly isSkipped: (block: TurnBlock, index: number) => boolean
  readonly before?: readonly ToolTurnCommand[]
}

function skip(state: ToolTurnState, { reason, isSkipped, before = [] }: Skip): ToolTurnReduction {
  const { turnId = '' } = state
  const skips: ToolTurnCommand[] = []
  const blocks = state.blocks.map((block, index): TurnBlock => {
    if (!isSkipped(block, index)) return block
    skips.push({ kind: 'skip', turnId, dlineTid: block.dlineTid, reason })
    return { ...block, state: 'settled', outcome: { kind: 'skipped', reason } }
  })
  return advance(skips.length === 0 ? state : { ...state, blocks }, [...before, ...skips])
}

/** The turn is given up by its owner: whatever it still has under way is stale from here on. */
function onLeft(state: ToolTurnState, turnId: string): ToolTurnReduction {
  if (state.turnId !== turnId) return refuse(state, 'STALE_TURN')
  const { turnId: _left, mode: _mode, concludedAt: _at, told: _told, ...rest } = state
  const phase = state.phase === 'stopping' || state.phase === 'stopped' ? 'stopped' : 'idle'
  return { state: { ...rest, phase, blocks: [], openStops: [] }, commands: [] }
}

/** An outcome is applied to the block that runs under its very command id; in `stopping` too, as it was told before the cut (E-44). */
function onOutcome(state: ToolTurnState, event: Outcome): ToolTurnReduction {
  const index = findOpen(state, event.turnId, event.dlineTid)
  if (typeof index !== 'number') return refuse(state, index)
  const block = state.blocks[index]
  if (block === undefined || !isRunOf(block, event.commandId)) return refuse(state, 'STALE_COMMAND')
  if (block.state !== 'running') return refuse(state, 'NOT_RUNNING')
  const settled = settleBlock(state, index, outcomeOf(event))
  if (event.kind !== 'tool.rejected' || (event.reason !== 'halted' && event.reason !== 'disposed')) return advance(settled)
  // The domain takes nothing more: what has not begun is not judged, and no human is asked about it, for nothing.
  return skip({ ...settled, phase: 'stopping' }, { reason: event.reason, isSkipped: isUnstarted })
}

function outcomeOf(event: Outcome): BlockOutcome {
  switch (event.kind) {
    case 'tool.block_result':
      return { kind: 'result', output: event.output }
    case 'tool.block_failed':
      return { kind: 'failed', failure: event.failure }
    case 'tool.rejected':
      return { kind: 'rejected', reason: event.reason }
    default:
      return event satisfies never
  }
}

/** Settles exactly the ids it lists. A stop that this reducer did not ask for stops its turn all the same. */
function onClosing(state: ToolTurnState, event: Closing): ToolTurnReduction {
  const { haltId, reason } = event
  let next = settleListed(state, event.discarded, { kind: 'discarded', haltId, reason })
  if (event.kind === 'tool.halt_failed') next = settleListed(next, event.abandoned, { kind: 'abandoned', haltId, reason })
  const openStops = next.openStops.filter((open) => open !== haltId)
  const isNewest = openStops.length === 0 && !state.knownStops.includes(haltId)
  next = { ...next, openStops, ...(isNewest ? { haltId } : {}) }
  if (state.phase === 'stopped' && state.openStops.length === 0) return { state: next, commands: [] }
  return skip({ ...next, phase: 'stopping' }, { reason, isSkipped: isUnstarted })
}

/** A `run` whose executor threw has failed; of other commands there is nothing to settle. */
function onExecutorFailed(state: ToolTurnState, event: ExecutorFailed): ToolTurnReduction {
  const ident = runIdent(event.command)
  if (ident === undefined) return { state, commands: [] }
  return onOutcome(state, { kind: 'tool.block_failed', ...ident, failure: event.error })
}

function runIdent(command: ExecutorFailed['command']): Ident | undefined {
  if (typeof command !== 'object' || command === null || Array.isArray(command)) return undefined
  const { kind, command: run } = command
  if (kind !== 'run' || typeof run !== 'object' || run === null || Array.isArray(run)) return undefined
  const { commandId, turnId, dlineTid } = run
  if (typeof commandId !== 'string' || typeof dlineTid !== 'string' || typeof turnId !== 'string') return undefined
  return { commandId, turnId, dlineTid }
}
