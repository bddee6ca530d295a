/**
 * The `grep` tool.
 */
import { defineTool, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import { FileSystem } from '../definition/file-system.ts'
import type { GrepHit } from '../definition/search.ts'
import { describe } from './describe.ts'
import { agentOf, type ToolParts } from './parts.ts'
import { renderGrep, searchTitle } from './render-search.ts'
import { GREP_INPUT, GREP_VALUE, type GrepInput, type GrepValue } from './search-values.ts'
import { withWords } from './with-words.ts'

export function grepTool(parts: ToolParts): ToolDefinition<GrepInput, GrepValue> {
  return defineTool<GrepInput, GrepValue>({
    name: 'grep',
    title: 'Search in files',
    description:
      'Searches the content of files. Files that ignore files leave out and binary files are skipped; .git always. Long lines are shown around the hit.',
    input: GREP_INPUT,
    output: GREP_VALUE,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    concurrency: 'parallel',
    requires: [FileSystem],
    execute: (input, context) => withWords(() => execute(parts, input, context)),
    render: renderGrep,
    meta: ({ truncated }) => (truncated ? { truncatedBy: 'fs' } : {}),
    describeCall: (input, options) =>
      describe(
        parts,
        { title: searchTitle('Search', input), kind: 'search', paths: [{ path: input.path ?? '.', access: 'read' }] },
        options,
      ),
  })
}

async function execute(parts: ToolParts, input: GrepInput, { execution, signal }: ToolRunContext): Promise<GrepValue> {
  const stream = parts.fileSystem().grep({ ...input, ...agentOf(execution), signal })
  const hits: GrepHit[] = []
  for await (const hit of stream) hits.push(hit)
  return { hits: hits.toSorted(byPlace), ...(await stream.summary) }
}

/** Engines give files in the order in which they finish them. */
function byPlace(a: GrepHit, b: GrepHit): number {
  if (a.path === b.path) return a.line - b.line
  return a.path < b.path ? -1 : 1
}
