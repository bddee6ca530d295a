/**
 * The `delete` tool.
 */
import { defineTool, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import { FileSystem } from '../definition/file-system.ts'
import { describe, titled } from './describe.ts'
import { agentOf, intentOf, type ToolParts } from './parts.ts'
import { renderDelete } from './render-change.ts'
import { DELETE_INPUT, DELETE_VALUE } from './schemas.ts'
import { showChanges } from './show-change.ts'
import type { DeleteInput, DeleteValue } from './values.ts'
import { withWords } from './with-words.ts'

export function deleteTool(parts: ToolParts): ToolDefinition<DeleteInput, DeleteValue> {
  return defineTool<DeleteInput, DeleteValue>({
    name: 'delete',
    title: 'Delete',
    description:
      'Deletes a file, a link itself, or a directory; one that is not empty only with recursive. A file has to be seen before (read, list or glob).',
    input: DELETE_INPUT,
    output: DELETE_VALUE,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    requires: [FileSystem],
    execute: (input, context) => withWords(() => execute(parts, input, context)),
    render: renderDelete,
    describeCall: ({ path }, options) =>
      describe(parts, { title: titled('Delete', path), kind: 'delete', paths: [{ path, access: 'write', leaf: 'keep' }] }, options),
  })
}

async function execute(parts: ToolParts, input: DeleteInput, context: ToolRunContext): Promise<DeleteValue> {
  const fileSystem = parts.fileSystem()
  const intent = intentOf(context)
  const target = await fileSystem.resolve(input.path, { ...agentOf(context.execution), leaf: 'keep' })
  const changes = await fileSystem.remove(target, { ...intent, recursive: input.recursive === true })
  showChanges(context, { changes, tag: intent.tag, parts })
  return {
    path: target.path,
    removed: changes.length,
    undoable: changes.every((change) => change.undoable),
    tag: intent.tag,
    notes: [...new Set(changes.flatMap((change) => change.notes))],
  }
}
