/**
 * Many calls of one model message: validated as a batch, run in one lane, results in model order.
 */
import { isExecutionToken, type ToolExecutionInput } from '../contracts/execution.ts'
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import type { ToolResult } from '../contracts/result.ts'
import type { StagedRuntime } from '../contracts/staged.ts'
import { isolate } from '../json/isolate.ts'
import { Cancellation, isAbortSignal } from '../pipeline/cancellation.ts'
import { Lane } from './lane.ts'

export interface BatchOptions {
  maxParallel?: number
  signal?: AbortSignal
}

/** Rejects before anything starts where an input is no call or an option is none; once begun it does not reject. */
export async function executeAll(
  staged: StagedRuntime,
  inputs: readonly ToolExecutionInput[],
  options: BatchOptions & { maxParallel: number },
): Promise<ToolResult[]> {
  const { maxParallel, signal } = options
  if (!Array.isArray(inputs)) throw refuse('executeAll takes an array of calls')
  checkWidth(maxParallel)
  if (signal !== undefined && !isAbortSignal(signal)) throw refuse('executeAll: signal is not an abort signal')
  const calls = Array.from(inputs, readCall)
  const fused = calls.map((call) => fuse(call, signal))
  const lane = new Lane(staged, { limit: maxParallel, ...(signal === undefined ? {} : { signal }) })
  try {
    return await Promise.all(fused.map(({ input }) => lane.add(input)))
  } finally {
    for (const { cancellation } of fused) cancellation?.release()
  }
}

export function checkWidth(maxParallel: unknown): asserts maxParallel is number {
  if (typeof maxParallel === 'number' && Number.isInteger(maxParallel) && maxParallel >= 1) return
  throw new ToolSeamError(ErrorCode.INVALID_OPTION, `maxParallel must be a whole number >= 1, not ${String(maxParallel)}`)
}

/** Read once, so that what was checked is what runs. */
function readCall(input: ToolExecutionInput, index: number): ToolExecutionInput {
  if (typeof input !== 'object' || input === null) throw refuse(`call ${index} of the batch is no call`)
  const { callId, name, parent, signal } = input
  if (typeof callId !== 'string' || callId === '') throw refuse(`callId of call ${index} must be a non-empty string`)
  if (typeof name !== 'string') throw refuse(`name of call ${index} ("${callId}") must be a string`)
  if (parent !== undefined && !isExecutionToken(parent)) throw refuse(`parent of call "${callId}" is not an execution token`)
  if (signal !== undefined && signal !== null && !isAbortSignal(signal)) throw refuse(`signal of call "${callId}" is not an abort signal`)
  const { agent, caller, rootCallId, turnId } = input
  // Assigned, not spread: a getter that throws must stay one.
  const read: ToolExecutionInput = Object.defineProperties({ callId, name }, Object.getOwnPropertyDescriptors(readArguments(input)))
  if (agent !== undefined) read.agent = agent
  if (caller !== undefined) read.caller = caller
  if (rootCallId !== undefined) read.rootCallId = rootCallId
  if (parent !== undefined) read.parent = parent
  if (turnId !== undefined) read.turnId = turnId
  if (signal !== undefined && signal !== null) read.signal = signal
  return read
}

/** Once, and isolated from the caller. A getter that throws is told by the pipeline, as for any call. */
function readArguments(input: ToolExecutionInput): Pick<ToolExecutionInput, 'arguments'> {
  try {
    const raw = input.arguments
    return raw === undefined ? {} : { arguments: isolate(raw) }
  } catch (error) {
    return {
      get arguments(): never {
        throw error
      },
    }
  }
}

function fuse(call: ToolExecutionInput, batch: AbortSignal | undefined): { input: ToolExecutionInput; cancellation?: Cancellation } {
  if (batch === undefined) return { input: call }
  const cancellation = new Cancellation(call.signal === undefined ? [batch] : [call.signal, batch])
  call.signal = cancellation.signal
  return { input: call, cancellation }
}

function refuse(message: string): ToolSeamError {
  return new ToolSeamError(ErrorCode.INVALID_CALL, message)
}
