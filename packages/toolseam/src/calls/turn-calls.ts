/** The calls of a turn, read from JSON: every fault is named with its place. Names and arguments are the pipeline's to judge. */
import { type ToolExecutionInput, ToolSeamError } from '@toolseam/core-tools'

const keys = new Set(['callId', 'name', 'arguments'])

/** A JSON array of `{callId?, name, arguments?}`. Throws `TOOLSEAM_USAGE`. */
export function parseTurnCalls(text: string, turnId: string): ToolExecutionInput[] {
  const value = parse(text)
  if (!Array.isArray(value)) throw usage('a turn is a JSON array of calls: [{"name":"bash","arguments":{"command":"ls"}}]')
  const taken = new Set<string>()
  return value.map((entry: unknown, at) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw usage(`call ${at} of the turn is no object`)
    const call = entry as { [key: string]: unknown }
    const unknown = Object.keys(call).find((key) => !keys.has(key))
    if (unknown !== undefined) throw usage(`call ${at} has the unknown key ${JSON.stringify(unknown)}; known are ${[...keys].join(', ')}`)
    const { callId = `${turnId}-${at + 1}`, name, arguments: args = {} } = call
    if (typeof name !== 'string' || name === '') throw usage(`"name" of call ${at} must be a non-empty string`)
    if (typeof callId !== 'string' || callId === '') throw usage(`"callId" of call ${at} must be a non-empty string`)
    if (taken.has(callId)) throw usage(`two calls of the turn have the callId ${JSON.stringify(callId)}`)
    taken.add(callId)
    return { callId, name, arguments: args }
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw usage(`the turn is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

function usage(message: string, cause?: unknown): ToolSeamError {
  return new ToolSeamError('TOOLSEAM_USAGE', message, cause === undefined ? {} : { cause })
}
