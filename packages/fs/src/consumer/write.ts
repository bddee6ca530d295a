/**
 * The `write` tool.
 */
import { defineTool, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import { FileSystem } from '../definition/file-system.ts'
import { SNIFFED_BYTES, sniffEncoding } from '../text/encoding.ts'
import { detectLineEnds } from '../text/lines.ts'
import { describe, titled } from './describe.ts'
import { agentOf, intentOf, type ToolParts } from './parts.ts'
import { previewWrite } from './preview.ts'
import { renderWrite } from './render-change.ts'
import { WRITE_INPUT, WRITE_VALUE } from './schemas.ts'
import { showChanges } from './show-change.ts'
import type { WriteInput, WriteValue } from './values.ts'
import { withWords } from './with-words.ts'

export function writeTool(parts: ToolParts): ToolDefinition<WriteInput, WriteValue> {
  return defineTool<WriteInput, WriteValue>({
    name: 'write',
    title: 'Write a file',
    description:
      'Writes a whole file; missing directories are made. A file that exists has to be read whole first. Its BOM, its encoding and uniform CRLF line ends are kept. Use edit for changes of a part.',
    input: WRITE_INPUT,
    output: WRITE_VALUE,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    requires: [FileSystem],
    execute: (input, context) => withWords(() => execute(parts, input, context)),
    render: renderWrite,
    describeCall: (input, options) =>
      describe(
        parts,
        {
          title: titled('Write', input.path),
          kind: 'edit',
          paths: [{ path: input.path, access: 'write' }],
          diff: () => previewWrite(parts.fileSystem(), input),
        },
        options,
      ),
  })
}

async function execute(parts: ToolParts, input: WriteInput, context: ToolRunContext): Promise<WriteValue> {
  const fileSystem = parts.fileSystem()
  const intent = { ...intentOf(context), ...(input.createOnly === true ? { expect: 'absent' as const } : {}) }
  const target = await fileSystem.resolve(input.path, agentOf(context.execution))
  const change = await fileSystem.write(target, input.content, intent)
  showChanges(context, { changes: [change], tag: intent.tag, parts })
  const { path, kind, bytes = 0, after = '', added, removed, hunks, undoable, notes } = change
  return {
    path,
    created: kind === 'create',
    bytes,
    ...(await formOf(fileSystem, input)),
    version: after,
    added,
    removed,
    hunks,
    undoable,
    tag: intent.tag,
    notes,
  }
}

/** Line ends and BOM as they are in the file now. */
async function formOf(fileSystem: FileSystem, { path, content }: WriteInput): Promise<Pick<WriteValue, 'eol' | 'bom'>> {
  const asGiven = Buffer.from(content, 'utf8')
  try {
    const head = await fileSystem.readBytes(await fileSystem.resolve(path), { offset: 0, length: SNIFFED_BYTES })
    const { bom, encoding } = sniffEncoding(head)
    const firstEnd = encoding === 'utf-8' ? head.indexOf(10) : -1
    const crlf = firstEnd > 0 && head[firstEnd - 1] === 13 && !content.includes('\r')
    return { bom, eol: crlf ? 'crlf' : detectLineEnds(asGiven) }
  } catch {
    // Somebody else was quicker: what was given is the best that is known.
    return { bom: false, eol: detectLineEnds(asGiven) }
  }
}
