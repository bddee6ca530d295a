/**
 * Blocks of a turn: their ids, and changing one of them.
 */
import type { BlockOutcome, ToolTurnState, TurnBlock } from '../../definition/turn.ts'
import type { Ident } from '../../definition/vocabulary.ts'

/** `dlineTid` of the call at `index`. */
export function blockId(turnId: string, index: number): string {
  return `${turnId}#${index}`
}

export function commandIdOf(dlineTid: string, attempt: number): string {
  return `${dlineTid}/${attempt}`
}

export function isRunOf(block: TurnBlock, commandId: string): boolean {
  return commandIdOf(block.dlineTid, block.attempt) === commandId
}

export function withBlock(state: ToolTurnState, index: number, change: Partial<TurnBlock>): ToolTurnState {
  const blocks = state.blocks.slice()
  const block = blocks[index]
  if (block !== undefined) blocks[index] = { ...block, ...change }
  return { ...state, blocks }
}

export function settleBlock(state: ToolTurnState, index: number, outcome: BlockOutcome): ToolTurnState {
  return withBlock(state, index, { state: 'settled', outcome })
}

/** Settles what a closing event lists, and nothing else. */
export function settleListed(state: ToolTurnState, listed: readonly Ident[], outcome: BlockOutcome): ToolTurnState {
  if (listed.length === 0) return state
  const ids = new Set(listed.filter((ident) => ident.turnId === state.turnId).map((ident) => ident.commandId))
  const isListed = (block: TurnBlock): boolean => block.state !== 'settled' && ids.has(commandIdOf(block.dlineTid, block.attempt))
  if (!state.blocks.some(isListed)) return state
  return { ...state, blocks: state.blocks.map((block) => (isListed(block) ? { ...block, state: 'settled', outcome } : block)) }
}
