/**
 * The `list` tool.
 */
import { defineTool, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import { FileSystem } from '../definition/file-system.ts'
import { describe, titled } from './describe.ts'
import { agentOf, type ToolParts } from './parts.ts'
import { renderList } from './render-list.ts'
import { LIST_INPUT, LIST_VALUE } from './schemas.ts'
import type { ListInput, ListValue } from './values.ts'
import { withWords } from './with-words.ts'

export function listTool(parts: ToolParts): ToolDefinition<ListInput, ListValue> {
  return defineTool<ListInput, ListValue>({
    name: 'list',
    title: 'List a directory',
    description:
      'Lists a directory: files with their size, directories with a slash, links with where they point. With depth also what is below; ignored directories and .git are named, not entered.',
    input: LIST_INPUT,
    output: LIST_VALUE,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    concurrency: 'parallel',
    requires: [FileSystem],
    execute: (input, context) => withWords(() => execute(parts, input, context)),
    render: renderList,
    meta: (value) => (value.truncated ? { truncatedBy: 'fs' } : {}),
    describeCall: ({ path = '.' }, options) =>
      describe(parts, { title: titled('List', path), kind: 'read', paths: [{ path, access: 'read' }] }, options),
  })
}

async function execute(parts: ToolParts, { path = '.', depth, limit }: ListInput, context: ToolRunContext): Promise<ListValue> {
  const fileSystem = parts.fileSystem()
  const target = await fileSystem.resolve(path, agentOf(context.execution))
  const listing = await fileSystem.list(target, {
    ...(depth === undefined ? {} : { depth }),
    ...(limit === undefined ? {} : { limit }),
    signal: context.signal,
  })
  const entries = listing.entries.map(({ name: _name, mtimeMs: _mtimeMs, ...entry }) => entry)
  return { path: listing.path, entries, truncated: listing.truncated }
}
