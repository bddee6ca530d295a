/**
 * Words a model sees when a call was stopped and no pipeline is there any more to say so.
 */
import type { JsonObject, ToolFailure } from '@toolseam/core-tools'

type AbortCode = 'TOOL_ABORTED' | 'TOOL_ABORTED_BEFORE_DISPATCH'

export function abortedResult(code: AbortCode, details: JsonObject & { reason: string }): ToolFailure {
  const message = renderAborted(code, details)
  return { isError: true, error: { code, message, details }, content: [{ type: 'text', text: message }] }
}

function renderAborted(code: AbortCode, { reason, outcome }: JsonObject & { reason: string }): string {
  if (outcome === 'unknown') return 'The process ended while this call ran. Whether its work was done is not known.'
  return code === 'TOOL_ABORTED' ? `The call was stopped while it ran (${reason}).` : `The call was stopped before it ran (${reason}).`
}
