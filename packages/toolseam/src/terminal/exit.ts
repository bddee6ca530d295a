/** How a command ends. */
import type { ToolResult } from '@toolseam/core-tools'

export const Exit: { readonly ok: 0; readonly failed: 1; readonly usage: 2; readonly denied: 3; readonly interrupted: 130 } = {
  /** A result. */
  ok: 0,
  /** The tool, or its call, failed. */
  failed: 1,
  /** Wrong usage or configuration: no call was made. */
  usage: 2,
  /** Denied by policy, or not approved. */
  denied: 3,
  interrupted: 130,
}

const refusals = new Set([
  'TOOL_DENIED',
  'APPROVAL_REJECTED',
  'APPROVAL_EXPIRED',
  'APPROVAL_CANCELLED',
  'APPROVAL_UNAVAILABLE',
  'SURFACE_DENIED',
])

export function exitOf(result: ToolResult): number {
  if (!result.isError) return Exit.ok
  return refusals.has(result.error.code) ? Exit.denied : Exit.failed
}
