/**
 * Whether a call may overlap with others. Anything odd is exclusive.
 */
import { isExecutionToken, type ToolExecutionInput } from '../contracts/execution.ts'
import type { ToolConcurrency } from '../contracts/tool.ts'
import { ignoreAnswer } from '../hooks/thenable.ts'
import type { RegisteredTool } from '../registry/registry.ts'
import type { Call } from './call.ts'
import { isNested } from './create-call.ts'
import { readDescription } from './describe.ts'
import type { PipelineParts } from './parts.ts'

/** On the arguments in force. */
export function concurrencyOf(call: Call): ToolConcurrency {
  return call.tool === undefined ? 'exclusive' : modeFor(call.tool, call.input)
}

function modeFor({ definition }: RegisteredTool, input: unknown): ToolConcurrency {
  if (typeof definition.concurrency !== 'function') return definition.concurrency === 'parallel' ? 'parallel' : 'exclusive'
  try {
    const mode: unknown = definition.concurrency(input)
    ignoreAnswer(mode)
    return mode === 'parallel' ? 'parallel' : 'exclusive'
  } catch {
    return 'exclusive'
  }
}

/** On the arguments as sent: validates, runs no hook, settles nothing. */
export async function classifyInput(parts: PipelineParts, input: ToolExecutionInput): Promise<ToolConcurrency> {
  try {
    const { name, agent, parent } = input
    const scope = typeof agent === 'string' ? agent : undefined
    const tool = parts.registry.resolve(name, scope)
    if (tool === undefined || tool.definition.concurrency === undefined || tool.definition.concurrency === 'exclusive') return 'exclusive'
    const nested = isNested(isExecutionToken(parent) ? parent : undefined, scope)
    if (parts.registry.collapses(name, scope, nested)) return 'exclusive'
    const read = readDescription({ name, arguments: input.arguments })
    if (!read.ok) return 'exclusive'
    const validation = await tool.input.validate(read.value)
    return validation.ok ? modeFor(tool, validation.value) : 'exclusive'
  } catch {
    return 'exclusive'
  }
}
