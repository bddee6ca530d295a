/**
 * Telling a failed tool result from any other value a body may return.
 */
import type { ToolFailure, ToolResult } from '@toolseam/core-tools'
import { read } from './thrown.ts'

/** Has the shape of a `ToolResult` with `isError`: an error with code and message, and content. */
export function isToolFailure(value: unknown): value is ToolFailure {
  return read(value, 'isError') === true
}

/** Has the shape of a `ToolResult`. */
export function isToolResult(value: unknown): value is ToolResult {
  return typeof read(value, 'isError') === 'boolean' && Array.isArray(read(value, 'content'))
}
