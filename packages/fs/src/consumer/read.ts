/**
 * The `read` tool.
 */
import { defineTool, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import { FileSystem } from '../definition/file-system.ts'
import { describe, titled } from './describe.ts'
import { agentOf, type ToolParts } from './parts.ts'
import { readMedia } from './read-media.ts'
import { renderRead } from './render-read.ts'
import { READ_INPUT, READ_VALUE } from './schemas.ts'
import type { ReadInput, ReadValue } from './values.ts'
import { withWords } from './with-words.ts'

export function readTool(parts: ToolParts): ToolDefinition<ReadInput, ReadValue> {
  return defineTool<ReadInput, ReadValue>({
    name: 'read',
    title: 'Read a file',
    description:
      'Reads a text file as numbered lines (number, tab, line), at most 2,000 lines and 50 KiB at once; go on with offset, or read the end with tail. ' +
      'Images are shown; notebooks are shown as cells. A file has to be read before it is edited or replaced.',
    input: READ_INPUT,
    output: READ_VALUE,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    concurrency: 'parallel',
    requires: [FileSystem],
    execute: (input, context) => withWords(() => execute(parts, input, context)),
    render: renderRead,
    meta: (value) => (value.kind === 'text' && (value.truncated || value.cutLines.length > 0) ? { truncatedBy: 'fs' } : {}),
    describeCall: (input, options) =>
      describe(parts, { title: titled('Read', input.path), kind: 'read', paths: [{ path: input.path, access: 'read' }] }, options),
  })
}

async function execute(parts: ToolParts, input: ReadInput, context: ToolRunContext): Promise<ReadValue> {
  const fileSystem = parts.fileSystem()
  const target = await fileSystem.resolve(input.path, agentOf(context.execution))
  const facts = await fileSystem.stat(target)
  const media = facts.kind === 'file' ? await readMedia({ fileSystem, target, facts, input, parts }) : undefined
  if (media !== undefined) return media
  const { path: _path, ...window } = input
  return { kind: 'text', ...(await fileSystem.readText(target, { ...window, signal: context.signal })) }
}
