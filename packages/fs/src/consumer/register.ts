/**
 * The tools of this package, in the order in which a model sees them.
 */
import type { ToolRuntime } from '@toolseam/core-tools'
import { deleteTool } from './delete.ts'
import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { listTool } from './list.ts'
import { moveTool } from './move.ts'
import type { ToolParts } from './parts.ts'
import { patchTool } from './patch.ts'
import { readTool } from './read.ts'
import { writeTool } from './write.ts'

export function registerTools(runtime: Pick<ToolRuntime, 'register'>, parts: ToolParts): void {
  runtime.register(readTool(parts))
  runtime.register(writeTool(parts))
  runtime.register(editTool(parts))
  runtime.register(patchTool(parts))
  runtime.register(globTool(parts))
  runtime.register(grepTool(parts))
  runtime.register(listTool(parts))
  runtime.register(moveTool(parts))
  runtime.register(deleteTool(parts))
}
