/**
 * F-76: a mutation shows its change to the user where the surface has a way. Nobody waits for it; a failure is only logged.
 */
import { surfaceFor, type ToolRunContext } from '@toolseam/core-tools'
import type { Change } from '../definition/file-system.ts'
import type { ToolParts } from './parts.ts'
import { unifiedDiff } from './render-change.ts'

export interface ShownChange {
  path: string
  kind: Change['kind']
  from?: string
  /** Unified diff. */
  diff: string
  tag: string
}

export function showChanges(
  context: ToolRunContext,
  { changes, tag, parts }: { changes: readonly Change[]; tag: string; parts: ToolParts },
): void {
  const diff = surfaceFor(context.surface).optional('diff')
  if (diff === undefined) return
  for (const { path, kind, from, hunks } of changes) {
    const text = unifiedDiff({ from: kind === 'create' ? undefined : (from ?? path), to: kind === 'delete' ? undefined : path, hunks })
    const shown: ShownChange = { path, kind, ...(from === undefined ? {} : { from }), diff: text, tag }
    void show(() => diff.show(shown), parts)
  }
}

async function show(run: () => Promise<void>, parts: ToolParts): Promise<void> {
  try {
    await run()
  } catch (error) {
    parts.log('a change could not be shown', { error: String(error) })
  }
}
