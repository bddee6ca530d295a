/**
 * What a turn says of its calls as it begins: their mode as sent, and what is known of them already.
 */
import type { StagedRuntime, ToolResult, ToolRuntime } from '@toolseam/core-tools'
import type { TurnBlockInput } from '../../definition/turn.ts'
import type { Slot } from './slot.ts'

/** What a resumed turn knows of a block. */
export interface KnownBlock {
  readonly result?: ToolResult
  readonly attempt?: number
}

type Parts = { readonly runtime: ToolRuntime; readonly staged: StagedRuntime }

/** Asked in order, before anything starts; asked again when a call's turn comes. */
export async function describeBlocks(
  { runtime, staged }: Parts,
  slots: readonly Slot[],
  { known }: { known(index: number): KnownBlock | undefined },
): Promise<TurnBlockInput[]> {
  const blocks: TurnBlockInput[] = []
  for (const slot of slots) {
    const { callId, name, agent } = slot.input
    const { result, attempt } = known(slot.index) ?? {}
    const block = { dlineTid: slot.dlineTid, callId }
    if (result !== undefined) {
      slot.stage = 'ended'
      slot.end = async () => result
      blocks.push({ ...block, concurrency: 'parallel', settled: true })
      continue
    }
    slot.concurrency = await staged.classify(slot.input)
    blocks.push({
      ...block,
      concurrency: slot.concurrency,
      ...(isIdempotent(runtime, { name, agent }) ? { idempotent: true as const } : {}),
      ...(attempt === undefined ? {} : { attempt }),
    })
  }
  return blocks
}

/** Declared so by a tool that is trusted to say so; what only reads may be read again. */
function isIdempotent(runtime: ToolRuntime, { name, agent }: { name: string; agent: string | undefined }): boolean {
  const tool = runtime.get(name, agent)
  if (tool?.source !== undefined && tool.source.trusted !== true) return false
  return tool?.annotations?.idempotentHint === true || tool?.annotations?.readOnlyHint === true
}
