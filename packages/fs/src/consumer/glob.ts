/**
 * The `glob` tool.
 */
import { defineTool, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import { isFsError } from '../definition/errors.ts'
import { FileSystem } from '../definition/file-system.ts'
import { resolveGlob } from '../search/query.ts'
import { describe } from './describe.ts'
import { agentOf, type ToolParts } from './parts.ts'
import { renderGlob, searchTitle } from './render-search.ts'
import { GLOB_INPUT, GLOB_VALUE, type GlobInput, type GlobValue } from './search-values.ts'
import { withWords } from './with-words.ts'

export function globTool(parts: ToolParts): ToolDefinition<GlobInput, GlobValue> {
  return defineTool<GlobInput, GlobValue>({
    name: 'glob',
    title: 'Find files',
    description:
      'Finds files by name, newest first. Files that ignore files leave out are skipped; .git always. A name with brackets means itself where it exists.',
    input: GLOB_INPUT,
    output: GLOB_VALUE,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    concurrency: 'parallel',
    requires: [FileSystem],
    execute: (input, context) => withWords(() => execute(parts, input, context)),
    render: renderGlob,
    meta: ({ truncated }) => (truncated ? { truncatedBy: 'fs' } : {}),
    describeCall: (input, options) =>
      describe(parts, { title: searchTitle('Find', input), kind: 'search', paths: [{ path: placeOf(input), access: 'read' }] }, options),
  })
}

function execute(parts: ToolParts, input: GlobInput, { execution, signal }: ToolRunContext): Promise<GlobValue> {
  return parts.fileSystem().glob({ ...input, ...agentOf(execution), signal })
}

/** Where it will look: an absolute or climbing pattern says it itself. */
function placeOf(input: GlobInput): string {
  try {
    return resolveGlob(input).path
  } catch (error) {
    if (!isFsError(error)) throw error
    return input.path ?? '.'
  }
}
