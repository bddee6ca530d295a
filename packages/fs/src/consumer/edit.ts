/**
 * The `edit` tool.
 */
import { defineTool, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import type { Edit } from '../definition/edits.ts'
import { FileSystem } from '../definition/file-system.ts'
import { describe, titled } from './describe.ts'
import { agentOf, intentOf, type ToolParts } from './parts.ts'
import { previewEdit } from './preview.ts'
import { renderEdit } from './render-change.ts'
import { EDIT_INPUT, EDIT_VALUE } from './schemas.ts'
import { showChanges } from './show-change.ts'
import type { EditInput, EditValue } from './values.ts'
import { withWords } from './with-words.ts'

export function editTool(parts: ToolParts): ToolDefinition<EditInput, EditValue> {
  return defineTool<EditInput, EditValue>({
    name: 'edit',
    title: 'Edit a file',
    description:
      'Replaces text in a file that was read before. old must stand in the file exactly once, unless all is set; include lines around it to make it unique. ' +
      'Line ends of the file are kept. Several edits of one file go into edits and are applied together.',
    input: EDIT_INPUT,
    output: EDIT_VALUE,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    requires: [FileSystem],
    execute: (input, context) => withWords(() => execute(parts, input, context)),
    render: renderEdit,
    describeCall: (input, options) =>
      describe(
        parts,
        {
          title: titled('Edit', input.path),
          kind: 'edit',
          paths: [{ path: input.path, access: 'write' }],
          diff: () => previewEdit(parts.fileSystem(), { path: input.path, edits: editsOf(input) }),
        },
        options,
      ),
  })
}

function editsOf(input: EditInput): Edit[] {
  if (input.edits !== undefined) return input.edits
  return [{ old: input.old, new: input.new, ...(input.all === undefined ? {} : { all: input.all }) }]
}

async function execute(parts: ToolParts, input: EditInput, context: ToolRunContext): Promise<EditValue> {
  const fileSystem = parts.fileSystem()
  const intent = intentOf(context)
  const target = await fileSystem.resolve(input.path, agentOf(context.execution))
  const change = await fileSystem.edit(target, editsOf(input), intent)
  showChanges(context, { changes: [change], tag: intent.tag, parts })
  const { path, matches, after = '', hunks, undoable, notes } = change
  const replaced = matches.reduce((sum, match) => sum + match.count, 0)
  return { path, replaced, matches, version: after, hunks, undoable, tag: intent.tag, notes }
}
