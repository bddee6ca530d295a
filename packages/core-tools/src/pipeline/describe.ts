/**
 * The facts of a call for policy, approval and user interfaces: the tool's `describeCall`, bounded in time, read into a
 * frozen view. A view that could not be made is `incomplete`, to which no allow rule applies.
 */
import type { CallView } from '../contracts/call-view.ts'
import type { AgentId, ToolExecution } from '../contracts/execution.ts'
import type { CallDescription } from '../contracts/runtime.ts'
import { parseJsonText } from '../json/parse.ts'
import { snapshotJson } from '../json/snapshot.ts'
import type { RegisteredTool } from '../registry/registry.ts'
import { callOf, sharedView } from './call.ts'
import { Cancellation, untilAborted, wasAborted } from './cancellation.ts'
import type { PipelineParts } from './parts.ts'
import { readView } from './read-view.ts'

/** Made once per execution, shared by policy and ask. */
export function describeExecution(parts: PipelineParts, execution: ToolExecution, options: { preview: boolean }): Promise<CallView> {
  const { preview } = options
  const call = callOf(execution)
  const tool = call === undefined ? parts.registry.resolve(execution.name, execution.agent) : call.tool
  return sharedView(execution, {
    preview,
    make: () => makeView(parts, { tool, name: execution.name, agent: execution.agent, input: execution.input, preview }),
  })
}

/** For a call that is not running: validates the arguments first; no hook is run. */
export async function describeCall(parts: PipelineParts, call: CallDescription, options: { preview: boolean }): Promise<CallView> {
  const { name, agent } = call
  const tool = parts.registry.resolve(name, agent)
  if (tool === undefined) return incomplete(name)
  const read = readDescription(call)
  if (!read.ok) return incomplete(name)
  const validation = await tool.input.validate(read.value)
  if (!validation.ok) return incomplete(name)
  return makeView(parts, { tool, name, agent, input: validation.value, preview: options.preview })
}

export function readDescription(call: CallDescription): ReturnType<typeof snapshotJson> {
  const { arguments: raw } = call
  if (raw === undefined) return snapshotJson({})
  return typeof raw === 'string' ? parseJsonText(raw) : snapshotJson(raw)
}

interface ViewRequest {
  readonly tool: RegisteredTool | undefined
  readonly name: string
  readonly agent: AgentId | undefined
  readonly input: unknown
  readonly preview: boolean
}

async function makeView(parts: PipelineParts, request: ViewRequest): Promise<CallView> {
  const { tool, name } = request
  if (tool === undefined) return incomplete(name)
  if (tool.definition.describeCall === undefined) return plain(name)
  const waiting = new Cancellation([])
  const timer = setTimeout(() => waiting.abort(new Error('describeCall took too long')), parts.limits.hookTimeoutMs)
  try {
    const { agent, input, preview } = request
    const options = { preview, signal: waiting.signal, ...(agent === undefined ? {} : { agent }) }
    const made = Promise.resolve(tool.definition.describeCall(input, options))
    const raw = await untilAborted(made, waiting, () => parts.logger.debug(`describeCall of "${name}" answered late`))
    if (!wasAborted(raw)) return readView(raw) ?? broken(parts, { name, what: 'gave a malformed view' })
    return broken(parts, { name, what: 'gave no answer in time' })
  } catch (error) {
    return broken(parts, { name, what: 'failed', error })
  } finally {
    clearTimeout(timer)
    waiting.release()
  }
}

function broken(parts: PipelineParts, { name, what, error }: { name: string; what: string; error?: unknown }): CallView {
  parts.logger.warn(`describeCall of "${name}" ${what}`, { tool: name, error })
  return incomplete(name)
}

function plain(name: string): CallView {
  return Object.freeze({ title: name, kind: 'other' })
}

function incomplete(name: string): CallView {
  return Object.freeze({ title: name, kind: 'other', incomplete: true })
}
