/**
 * Nested calls: a full call through the whole pipeline, with the identity of its parent, in the parent's own lane.
 */
import type { ToolExecutionInput } from '../contracts/execution.ts'
import type { ToolResult } from '../contracts/result.ts'
import { deniedSurface } from '../contracts/surface.ts'
import type { NestedCallOptions } from '../contracts/tool.ts'
import { isolate } from '../json/isolate.ts'
import type { Attempt } from './attempt.ts'
import type { Call } from './call.ts'
import { Cancellation, isAbortSignal } from './cancellation.ts'
import type { CallLane } from './parts.ts'
import { aborted, failure } from './results.ts'

const DEFAULT_WIDTH = 16
const LABEL = /^[A-Za-z0-9_.-]{1,64}$/

export function callNested(
  attempt: Attempt,
  { name, args, options }: { name: unknown; args: unknown; options: NestedCallOptions },
): Promise<ToolResult> {
  const read = readOptions(options)
  if (typeof name !== 'string') return Promise.resolve(failure('UNKNOWN_TOOL', 'The name of a nested call must be a string.'))
  const { call } = attempt
  // What comes after the parent settled never becomes a call: an event of it would lie outside its root (P-84).
  if (!attempt.open || call.settled || call.givenUp) return Promise.resolve(aborted(false, 'the parent call has settled'))
  const lane = laneOf(call, read.maxParallel)
  const cancellation = new Cancellation(
    read.signal === undefined ? [attempt.nestedCancellation] : [attempt.nestedCancellation, read.signal],
  )
  const input = inputOf(call, { name, args, label: read.label, signal: cancellation.signal })
  const work = enqueue(call, { lane, input, onAsk: read.onAsk }).finally(() => {
    attempt.nested?.delete(work)
    cancellation.release()
  })
  attempt.nested ??= new Set()
  attempt.nested.add(work)
  return work
}

function enqueue(
  call: Call,
  { lane, input, onAsk }: { lane: CallLane; input: ToolExecutionInput; onAsk: NestedCallOptions['onAsk'] },
): Promise<ToolResult> {
  const { call: runNested, outlived, surface } = call.dispatchOptions
  return lane.add(input, {
    ...(onAsk === undefined ? {} : { onAsk }),
    ...(runNested === undefined ? {} : { call: runNested }),
    ...(outlived === undefined ? {} : { outlived }),
    // Under a domain the ask of a nested call is told that its body will find no user.
    ...(surface === undefined ? {} : { surface: deniedSurface('nested_call') }),
  })
}

function laneOf(call: Call, width: number): CallLane {
  call.nested ??= { lane: call.parts.createLane(width), count: 0 }
  return call.nested.lane
}

function inputOf(call: Call, given: { name: string; args: unknown; label: string | undefined; signal: AbortSignal }): ToolExecutionInput {
  const { callId, agent, turnId } = call.facts
  const number = call.nested === undefined ? 1 : (call.nested.count += 1)
  const input: ToolExecutionInput = {
    callId: given.label === undefined ? `${callId}:${number}` : `${callId}:${given.label}:${number}`,
    name: given.name,
    arguments: isolate(given.args),
    caller: 'program',
    parent: call.token,
    signal: given.signal,
  }
  if (agent !== undefined) input.agent = agent
  if (turnId !== undefined) input.turnId = turnId
  return input
}

/** Options of the wrong type are as good as absent: a nested call settles and never throws. */
function readOptions(options: NestedCallOptions): {
  signal: AbortSignal | undefined
  label: string | undefined
  maxParallel: number
  onAsk: NestedCallOptions['onAsk']
} {
  try {
    const { signal, label, maxParallel, onAsk } = options
    return {
      signal: isAbortSignal(signal) ? signal : undefined,
      label: typeof label === 'string' && LABEL.test(label) ? label : undefined,
      maxParallel: typeof maxParallel === 'number' && Number.isInteger(maxParallel) && maxParallel >= 1 ? maxParallel : DEFAULT_WIDTH,
      onAsk: typeof onAsk === 'function' ? onAsk : undefined,
    }
  } catch {
    return { signal: undefined, label: undefined, maxParallel: DEFAULT_WIDTH, onAsk: undefined }
  }
}
