/**
 * The `patch` tool.
 */
import { defineTool, type CallView, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import type { PatchOperation } from '../definition/edits.ts'
import { isFsError } from '../definition/errors.ts'
import { FileSystem } from '../definition/file-system.ts'
import { parseUnified } from '../editing/unified.ts'
import { describe, titled, type DescribedPath, type DescribeOptions } from './describe.ts'
import { intentOf, type ToolParts } from './parts.ts'
import { previewPatch } from './preview.ts'
import { renderPatch } from './render-change.ts'
import { PATCH_INPUT, PATCH_VALUE } from './schemas.ts'
import { showChanges } from './show-change.ts'
import type { PatchFile, PatchInput, PatchValue } from './values.ts'
import { withWords } from './with-words.ts'

export function patchTool(parts: ToolParts): ToolDefinition<PatchInput, PatchValue> {
  return defineTool<PatchInput, PatchValue>({
    name: 'patch',
    title: 'Patch several files',
    description:
      'Changes, adds, deletes and moves several files at once: all or nothing. Give files with hunks (old and new lines, context included), or diff with a unified diff. ' +
      'Files to change have to be read before.',
    input: PATCH_INPUT,
    output: PATCH_VALUE,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    requires: [FileSystem],
    execute: (input, context) => withWords(() => execute(parts, input, context)),
    render: renderPatch,
    describeCall: (input, options) => describePatch(parts, input, options),
  })
}

async function execute(parts: ToolParts, input: PatchInput, context: ToolRunContext): Promise<PatchValue> {
  const intent = intentOf(context)
  const files = await parts.fileSystem().patch(operationsOf(input), intent)
  showChanges(context, { changes: files, tag: intent.tag, parts })
  return { files, tag: intent.tag }
}

function operationsOf(input: PatchInput): PatchOperation[] {
  return input.diff === undefined ? input.files.map(operationOf) : parseUnified(input.diff)
}

function operationOf(file: PatchFile): PatchOperation {
  const { path } = file
  if ('add' in file) return { kind: 'add', path, content: file.add }
  if ('delete' in file) return { kind: 'delete', path }
  return { kind: 'update', path, hunks: file.hunks, ...(file.moveTo === undefined ? {} : { moveTo: file.moveTo }) }
}

function describePatch(parts: ToolParts, input: PatchInput, options: DescribeOptions): Promise<CallView> {
  const operations = readable(input)
  const paths = operations.flatMap(pathsOf)
  const [first] = paths
  const title = paths.length === 1 && first !== undefined ? titled('Patch', first.path) : `Patch ${paths.length} files`
  return describe(parts, { title, kind: 'edit', paths, diff: () => previewPatch(parts.fileSystem(), operations) }, options)
}

/** A diff that is none names no file; the call itself will say so. */
function readable(input: PatchInput): PatchOperation[] {
  try {
    return operationsOf(input)
  } catch (error) {
    if (isFsError(error)) return []
    throw error
  }
}

function pathsOf(operation: PatchOperation): DescribedPath[] {
  const leaf = operation.kind === 'delete' ? ('keep' as const) : ('follow' as const)
  const moved =
    operation.kind === 'update' && operation.moveTo !== undefined
      ? [{ path: operation.moveTo, access: 'write' as const, leaf: 'keep' as const }]
      : []
  return [{ path: operation.path, access: 'write', leaf }, ...moved]
}
