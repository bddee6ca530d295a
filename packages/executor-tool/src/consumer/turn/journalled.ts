/**
 * A domain event as it is recorded and reduced: JSON, with errors as code and message. What was thrown stays with the event itself.
 */
import type { JsonValue, ToolResult } from '@toolseam/core-tools'
import type { BlockFailure, ToolDomainEvent } from '../../definition/events.ts'
import type { JournalledFailure, JournalledToolEvent } from '../../definition/turn.ts'
import { codeOf, messageOf } from '../../guarding/thrown.ts'

export function journalled(event: ToolDomainEvent<ToolResult>): JournalledToolEvent {
  switch (event.kind) {
    case 'tool.block_result':
      return { ...event, output: resultJson(event.output) }
    case 'tool.block_failed':
      return { ...event, failure: failureJson(event.failure) }
    case 'tool.rejected':
      return event
    case 'tool.halted': {
      const { releaseError, ...rest } = event
      return 'releaseError' in event ? { ...rest, releaseError: errorJson(releaseError) } : rest
    }
    case 'tool.halt_failed':
      return { ...event, cause: { code: event.cause.code, message: event.cause.message } }
    default:
      return event satisfies never
  }
}

function failureJson({ code, message, why, result }: BlockFailure): JournalledFailure {
  return { code, message, ...(why === undefined ? {} : { why }), ...(result === undefined ? {} : { result: resultJson(result) }) }
}

/** A tool result is made of JSON by the pipeline. */
function resultJson(result: ToolResult): JsonValue {
  const json: object = result
  return json as JsonValue
}

function errorJson(error: unknown): JsonValue {
  return { code: codeOf(error) ?? 'RELEASE_FAILED', message: messageOf(error) }
}
