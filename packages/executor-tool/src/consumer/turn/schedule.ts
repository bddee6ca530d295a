/**
 * What follows from a state: which blocks may start, and whether the turn is over. Which may start is core-tools' own `startable` (P-72).
 */
import { startable } from '@toolseam/core-tools'
import type { ToolTurnCommand, ToolTurnReduction, ToolTurnState, TurnBlock } from '../../definition/turn.ts'
import { commandIdOf } from './blocks.ts'

/** Adds the commands that follow to those given. */
export function advance(state: ToolTurnState, commands: readonly ToolTurnCommand[] = []): ToolTurnReduction {
  const swept = sweep(state)
  const granted = swept.state.phase === 'running' ? grantNext(swept.state) : { state: swept.state, runs: [] }
  const closed = closeTurn(granted.state)
  const follows = swept.skips.length + granted.runs.length + closed.commands.length
  if (follows === 0) return { state: closed.state, commands }
  return { state: closed.state, commands: [...commands, ...swept.skips, ...granted.runs, ...closed.commands] }
}

/** What can never start any more is skipped, whichever way it came to wait: nothing starts in a stop, nothing later after a conclusion. */
function sweep(state: ToolTurnState): { state: ToolTurnState; skips: ToolTurnCommand[] } {
  const { concludedAt = Number.POSITIVE_INFINITY, turnId = '' } = state
  const stopping = state.phase === 'stopping'
  if (!stopping && concludedAt === Number.POSITIVE_INFINITY) return { state, skips: [] }
  const isLost = (block: TurnBlock, at: number): boolean =>
    (block.state === 'waiting' || block.state === 'asking') && (stopping || at > concludedAt)
  if (!state.blocks.some(isLost)) return { state, skips: [] }
  const reason = stopping ? 'halted' : 'concluded'
  const skips: ToolTurnCommand[] = []
  const blocks = state.blocks.map((block, at): TurnBlock => {
    if (!isLost(block, at)) return block
    skips.push({ kind: 'skip', turnId, dlineTid: block.dlineTid, reason })
    return { ...block, state: 'settled', outcome: { kind: 'skipped', reason } }
  })
  return { state: { ...state, blocks }, skips }
}

/** In a serial turn every block is exclusive: one at a time, in model order (E-40). */
function grantNext(state: ToolTurnState): { state: ToolTurnState; runs: ToolTurnCommand[] } {
  const { concludedAt, turnId, mode } = state
  if (turnId === undefined || mode === undefined || !state.blocks.some((block) => block.state === 'waiting')) return { state, runs: [] }
  const lane = mode === 'serial' ? state.blocks.map((block) => ({ concurrency: 'exclusive' as const, state: block.state })) : state.blocks
  // After a conclusion nothing later begins.
  const next = startable(lane, state.limit).filter((index) => concludedAt === undefined || index <= concludedAt)
  if (next.length === 0) return { state, runs: [] }
  const runs: ToolTurnCommand[] = []
  const blocks: TurnBlock[] = [...state.blocks]
  let { grants } = state
  for (const index of next) {
    const block = blocks[index]
    if (block === undefined) continue
    grants += 1
    blocks[index] = { ...block, state: 'running', grant: grants }
    runs.push({ kind: 'run', command: { commandId: commandIdOf(block.dlineTid, block.attempt), turnId, dlineTid: block.dlineTid, mode } })
  }
  return { state: { ...state, blocks, grants }, runs }
}

/** A turn is over when all its blocks have settled and no stop is open. */
function closeTurn(state: ToolTurnState): { state: ToolTurnState; commands: ToolTurnCommand[] } {
  const allSettled = state.blocks.every((block) => block.state === 'settled')
  if (!allSettled || state.openStops.length > 0) return { state, commands: [] }
  if (state.phase !== 'running' && state.phase !== 'stopping') return { state, commands: [] }
  const phase = state.phase === 'running' ? 'done' : 'stopped'
  if (state.turnId === undefined || state.told) return { state: { ...state, phase }, commands: [] }
  return { state: { ...state, phase, told: true }, commands: [{ kind: 'turn.done', turnId: state.turnId }] }
}
