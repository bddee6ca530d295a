/**
 * The `move` tool.
 */
import { defineTool, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import { FileSystem } from '../definition/file-system.ts'
import { describe } from './describe.ts'
import { agentOf, intentOf, type ToolParts } from './parts.ts'
import { renderMove } from './render-change.ts'
import { shownName } from './render-text.ts'
import { MOVE_INPUT, MOVE_VALUE } from './schemas.ts'
import { showChanges } from './show-change.ts'
import type { MoveInput, MoveValue } from './values.ts'
import { withWords } from './with-words.ts'

export function moveTool(parts: ToolParts): ToolDefinition<MoveInput, MoveValue> {
  return defineTool<MoveInput, MoveValue>({
    name: 'move',
    title: 'Move or rename',
    description:
      'Moves or renames a file, a directory or a link itself; missing directories of the goal are made. A file has to be seen before (read, list or glob), and so has a file that overwrite replaces.',
    input: MOVE_INPUT,
    output: MOVE_VALUE,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    requires: [FileSystem],
    execute: (input, context) => withWords(() => execute(parts, input, context)),
    render: renderMove,
    describeCall: ({ from, to }, options) =>
      describe(
        parts,
        {
          title: `Move ${shownName(from)} to ${shownName(to)}`,
          kind: 'move',
          paths: [
            { path: from, access: 'write', leaf: 'keep' },
            { path: to, access: 'write', leaf: 'keep' },
          ],
        },
        options,
      ),
  })
}

async function execute(parts: ToolParts, input: MoveInput, context: ToolRunContext): Promise<MoveValue> {
  const fileSystem = parts.fileSystem()
  const intent = intentOf(context)
  const options = { ...agentOf(context.execution), leaf: 'keep' as const }
  const from = await fileSystem.resolve(input.from, options)
  const to = await fileSystem.resolve(input.to, options)
  const change = await fileSystem.move(from, to, { ...intent, overwrite: input.overwrite === true })
  showChanges(context, { changes: [change], tag: intent.tag, parts })
  const { path, replaced, undoable, notes } = change
  return { from: change.from ?? from.path, to: path, ...(replaced === undefined ? {} : { replaced }), undoable, tag: intent.tag, notes }
}
