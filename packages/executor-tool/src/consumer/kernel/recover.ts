/**
 * After a crash: the journal says where the turn stood, and of which calls nobody knows whether their work was done (E-49).
 */
import type { JsonValue, ToolResult } from '@toolseam/core-tools'
import type { Recovery } from '../../definition/recovery.ts'
import type { ToolTurnCommand, ToolTurnEvent, ToolTurnState, TurnBlock } from '../../definition/turn.ts'
import type { Ident } from '../../definition/vocabulary.ts'
import { isToolResult } from '../../guarding/results.ts'
import { commandIdOf } from '../turn/blocks.ts'
import { initialToolTurnState, reduceTools } from '../turn/reducer.ts'
import { abortedResult } from '../turn/render-results.ts'
import { type JournalRecords, replay } from './replay.ts'

export async function recoverTools(records: JournalRecords, options: { lane?: string } = {}): Promise<Recovery> {
  const { state } = await replay<ToolTurnState, ToolTurnEvent, ToolTurnCommand>(records, {
    reduce: reduceTools,
    initial: initialToolTurnState,
    ...options,
  })
  const { turnId } = state
  if (turnId === undefined || state.told) return { state, unknown: [], rerunnable: [], results: [] }
  const unknown = state.blocks.filter((block) => block.state === 'running')
  return {
    state,
    unknown: unknown.map((block) => identOf(turnId, block, block.attempt)),
    rerunnable: unknown.filter((block) => block.idempotent).map((block) => identOf(turnId, block, block.attempt + 1)),
    results: state.blocks.map((block) => ({ dlineTid: block.dlineTid, callId: block.callId, result: resultOf(block) })),
  }
}

function identOf(turnId: string, { dlineTid }: TurnBlock, attempt: number): Ident {
  return { commandId: commandIdOf(dlineTid, attempt), turnId, dlineTid }
}

function resultOf(block: TurnBlock): ToolResult {
  if (block.state === 'running') return abortedResult('TOOL_ABORTED', { reason: 'crash', outcome: 'unknown' })
  const { outcome } = block
  if (outcome === undefined) return abortedResult('TOOL_ABORTED_BEFORE_DISPATCH', { reason: 'crash' })
  switch (outcome.kind) {
    case 'result':
      return recordedResult(outcome.output)
    case 'failed':
      return outcome.failure.result === undefined
        ? abortedResult('TOOL_ABORTED', { reason: outcome.failure.code })
        : recordedResult(outcome.failure.result)
    case 'rejected':
    case 'skipped':
      return abortedResult('TOOL_ABORTED_BEFORE_DISPATCH', { reason: outcome.reason })
    case 'discarded':
    case 'abandoned':
      return abortedResult('TOOL_ABORTED', { reason: outcome.reason })
    case 'settled':
      // Settled by policy or validation; its result was told but is not on this record.
      return abortedResult('TOOL_ABORTED_BEFORE_DISPATCH', { reason: 'settled' })
    default:
      return outcome satisfies never
  }
}

function recordedResult(output: JsonValue): ToolResult {
  return isToolResult(output) ? output : { isError: false, value: output, content: [{ type: 'text', text: JSON.stringify(output) }] }
}
