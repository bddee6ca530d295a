/**
 * The calls of a turn, read once before anything starts. An input that is no call is refused as a whole (P-26, P-73).
 */
import { ErrorCode, isExecutionToken, type ToolExecutionInput, ToolSeamError } from '@toolseam/core-tools'
import { read } from '../../guarding/thrown.ts'

/** Gives each call its turn and its own signal. */
export function readCall(
  given: ToolExecutionInput,
  { index, turnId, signal }: { index: number; turnId: string; signal: AbortSignal },
): ToolExecutionInput {
  const { callId, name, agent, caller, rootCallId, parent } = given
  return {
    callId,
    name,
    turnId,
    signal,
    // Read by the pipeline when the tool is resolved; a getter that throws is its business.
    get arguments() {
      return given.arguments
    },
    ...(agent === undefined ? {} : { agent }),
    ...(caller === undefined ? {} : { caller }),
    ...(rootCallId === undefined ? {} : { rootCallId }),
    ...(parent === undefined ? {} : { parent: checkParent(parent, index) }),
  }
}

function checkParent(parent: NonNullable<ToolExecutionInput['parent']>, index: number): NonNullable<ToolExecutionInput['parent']> {
  if (!isExecutionToken(parent)) throw refusal(`parent of call ${index} is not an execution token`)
  return parent
}

export function checkCalls(turnId: unknown, calls: readonly ToolExecutionInput[]): void {
  if (typeof turnId !== 'string' || turnId === '') throw refusal('turnId must be a non-empty string')
  if (!Array.isArray(calls)) throw refusal('a turn takes an array of calls')
  for (const [index, call] of calls.entries()) {
    if (typeof call !== 'object' || call === null) throw refusal(`call ${index} of the turn is no call`)
    const { callId, name, signal } = call
    if (typeof callId !== 'string' || callId === '') throw refusal(`callId of call ${index} must be a non-empty string`)
    if (typeof name !== 'string') throw refusal(`name of call ${index} ("${callId}") must be a string`)
    if (signal !== undefined && signal !== null && !isSignal(signal)) throw refusal(`signal of call "${callId}" is not an abort signal`)
  }
}

export function checkWidth(maxParallel: number): void {
  if (Number.isInteger(maxParallel) && maxParallel >= 1) return
  throw new ToolSeamError(ErrorCode.INVALID_OPTION, `maxParallel must be a whole number >= 1, not ${String(maxParallel)}`)
}

function isSignal(value: unknown): boolean {
  return typeof read(value, 'aborted') === 'boolean' && typeof read(value, 'addEventListener') === 'function'
}

function refusal(message: string): ToolSeamError {
  return new ToolSeamError(ErrorCode.INVALID_CALL, message)
}
