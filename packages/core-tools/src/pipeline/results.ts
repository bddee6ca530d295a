/**
 * Making error results: every failure of a call is built here, frozen, its content the message.
 */
import type { ContentBlock } from '../contracts/content.ts'
import type { JsonObject, JsonValue } from '../contracts/json.ts'
import type { ToolFailure, ToolResult } from '../contracts/result.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { textContent } from './content.ts'
import { renderAborted, renderHook, renderInvalidOutput } from './render-errors.ts'
import type { JsonIssue } from '../contracts/json.ts'

export function failure(
  code: string,
  message: string,
  options: { details?: JsonValue; content?: ContentBlock[]; meta?: JsonObject } = {},
): ToolFailure {
  const error = options.details === undefined ? { code, message } : { code, message, details: options.details }
  const result: ToolFailure = { isError: true, error: Object.freeze(error), content: options.content ?? textContent(message) }
  if (options.meta !== undefined) result.meta = options.meta
  return Object.freeze(result)
}

export function hookFailure(
  code: string,
  { hook, tap, message, reason }: { hook: string; tap: string; message: string; reason?: string },
): ToolFailure {
  return failure(code, renderHook(hook, tap, message), { details: freezeJson({ hook, tap, ...(reason === undefined ? {} : { reason }) }) })
}

/** `reason` is whatever the signal was aborted with; only what is JSON about it is told. */
export function aborted(started: boolean, reason?: unknown, details?: JsonObject): ToolFailure {
  const told: JsonObject = { ...reasonDetails(reason), ...details }
  return failure(
    started ? 'TOOL_ABORTED' : 'TOOL_ABORTED_BEFORE_DISPATCH',
    renderAborted(started),
    Object.keys(told).length === 0 ? {} : { details: freezeJson(told) },
  )
}

function reasonDetails(reason: unknown): JsonObject {
  if (reason === undefined) return {}
  if (typeof reason === 'string') return { reason }
  const message = safeMessage(reason)
  return message === undefined ? {} : { reason: message }
}

export function invalidOutput(tool: string, issues: readonly JsonIssue[]): ToolFailure {
  return failure('INVALID_TOOL_OUTPUT', renderInvalidOutput(tool, issues), { details: issueDetails(issues) })
}

export function issueDetails(issues: readonly JsonIssue[], more: JsonObject = {}): JsonValue {
  return freezeJson({ ...more, issues: issues.map(({ path, message }) => ({ path, message })) })
}

export function freezeJson(value: JsonValue): JsonValue {
  const snapshot = snapshotJson(value)
  return snapshot.ok ? snapshot.value : null
}

/** The message of whatever was thrown, read safely. */
export function safeMessage(thrown: unknown): string | undefined {
  try {
    if (typeof thrown === 'string') return thrown
    if (typeof thrown === 'object' && thrown !== null) {
      const { message } = thrown as { message?: unknown }
      return typeof message === 'string' ? message : undefined
    }
    return thrown === undefined ? undefined : String(thrown)
  } catch {
    return undefined
  }
}

export function isAbortedResult(result: ToolResult): boolean {
  return result.isError && (result.error.code === 'TOOL_ABORTED' || result.error.code === 'TOOL_ABORTED_BEFORE_DISPATCH')
}
