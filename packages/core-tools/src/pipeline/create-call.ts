/**
 * Step 1: every input field read once, the tool resolved, the arguments snapshot, then the checks that need no schema.
 */
import {
  EXECUTION_TOKEN,
  isExecutionToken,
  type CallerKind,
  type ToolExecutionInput,
  type ToolExecutionToken,
} from '../contracts/execution.ts'
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'
import type { JsonIssue, JsonValue } from '../contracts/json.ts'
import { parseJsonText } from '../json/parse.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { isCodeEntry } from '../registry/code-entries.ts'
import { Call, type CallFacts } from './call.ts'
import { isAbortSignal } from './cancellation.ts'
import { finalResult, postResult, type Outcome, type Ready } from './outcome.ts'
import type { PipelineParts } from './parts.ts'
import { renderCollapsed, renderDenied, renderIssues, renderNestedCodeEntry, renderTooDeep } from './render-errors.ts'
import { aborted, failure, freezeJson, issueDetails } from './results.ts'

const CALLERS: ReadonlySet<unknown> = new Set<CallerKind>(['agent', 'subagent', 'program', 'mcp'])
const EMPTY: JsonValue = Object.freeze({}) as JsonValue

/** Reads the input and makes the call. Throws `INVALID_CALL` where no call exists. */
export function createCall(parts: PipelineParts, input: ToolExecutionInput): Call {
  if (typeof input !== 'object' || input === null) throw noCall('a call must be an object with callId and name')
  const { callId, name, agent, caller, rootCallId, parent, turnId, signal } = readFields(input)
  if (typeof callId !== 'string' || callId === '') throw noCall('callId must be a non-empty string')
  if (typeof name !== 'string') throw noCall(`name of call "${callId}" must be a string`)
  if (parent !== undefined && !isExecutionToken(parent)) throw noCall(`parent of call "${callId}" is not an execution token`)
  if (signal !== undefined && signal !== null && !isAbortSignal(signal)) throw noCall(`signal of call "${callId}" is not an abort signal`)
  const scope = typeof agent === 'string' ? agent : undefined
  const facts: CallFacts = {
    callId,
    name,
    rootCallId: rootOf(parent, { callId, rootCallId }),
    agent: scope,
    caller: CALLERS.has(caller) ? (caller as CallerKind) : defaultCaller(parts, scope),
    parent,
    turnId: typeof turnId === 'string' ? turnId : undefined,
    signal: signal ?? undefined,
  }
  const call = new Call(parts, facts)
  parts.running.add(call)
  return call
}

/** A field that cannot be read is no field: a call without its agent, say, would see more than it may. */
function readFields(input: ToolExecutionInput): Omit<ToolExecutionInput, 'arguments'> {
  try {
    const { callId, name, agent, caller, rootCallId, parent, turnId, signal } = input
    return { callId, name, agent, caller, rootCallId, parent, turnId, signal } as Omit<ToolExecutionInput, 'arguments'>
  } catch (cause) {
    throw new ToolSeamError(ErrorCode.INVALID_CALL, 'the call cannot be read', { cause })
  }
}

/** Snapshot, abort check, collapse: what settles a call before validation and policy. */
export function admit(call: Call, input: ToolExecutionInput): Ready | Outcome {
  if (call.orphan) return finalResult(call, aborted(false, 'the parent call has settled'))
  const read = readArguments(input)
  if (!read.ok) {
    call.setArguments(null, undefined)
    return finalResult(
      call,
      failure('INVALID_TOOL_INPUT', renderIssues(call.facts.name, read.issues), { details: issueDetails(read.issues) }),
    )
  }
  call.originalArguments = read.value
  call.setArguments(read.value, undefined)
  if (call.aborted) return finalResult(call, aborted(false, call.cancellation.reason))
  return collapse(call) ?? tooDeep(call) ?? { kind: 'dispatch', call }
}

/** For a call that never starts: its arguments for the record, whatever they are. */
export function readForRecord(call: Call, input: ToolExecutionInput): void {
  const read = readArguments(input)
  if (read.ok) call.originalArguments = read.value
  call.setArguments(call.originalArguments, undefined)
}

type ReadArguments = { ok: true; value: JsonValue } | { ok: false; issues: readonly JsonIssue[] }

function readArguments(input: ToolExecutionInput): ReadArguments {
  let raw: unknown
  try {
    raw = input.arguments
  } catch {
    return { ok: false, issues: [{ path: '', message: 'reading the arguments threw' }] }
  }
  if (raw === undefined) return { ok: true, value: EMPTY }
  return typeof raw === 'string' ? parseJsonText(raw) : snapshotJson(raw)
}

/** True for a nested call by the agent that made the parent: a program calling its own tools. */
function nestedBySameAgent(call: Call): boolean {
  return isNested(call.facts.parent, call.facts.agent)
}

export function isNested(parent: ToolExecutionToken | undefined, agent: string | undefined): boolean {
  return parent !== undefined && parent[EXECUTION_TOKEN].agent === agent
}

function collapse(call: Call): Outcome | undefined {
  const { name, agent } = call.facts
  if (!call.parts.registry.collapses(name, agent, nestedBySameAgent(call))) return undefined
  return finalResult(call, failure('UNKNOWN_TOOL', isCodeEntry(name) ? renderNestedCodeEntry(name) : renderCollapsed(name)))
}

function tooDeep(call: Call): Outcome | undefined {
  const { maxDepth } = call.parts.limits
  if (call.depth <= maxDepth) return undefined
  const reason = renderTooDeep(maxDepth)
  return postResult(call, failure('TOOL_DENIED', renderDenied('maxDepth', reason), { details: freezeJson({ by: 'maxDepth', reason }) }))
}

function rootOf(parent: ToolExecutionToken | undefined, { callId, rootCallId }: { callId: string; rootCallId: unknown }): string {
  if (parent !== undefined) return parent[EXECUTION_TOKEN].rootCallId
  return typeof rootCallId === 'string' && rootCallId !== '' ? rootCallId : callId
}

function defaultCaller(parts: PipelineParts, agent: string | undefined): CallerKind {
  return agent !== undefined && parts.registry.agents(agent).length > 1 ? 'subagent' : 'agent'
}

function noCall(message: string): ToolSeamError {
  return new ToolSeamError(ErrorCode.INVALID_CALL, message)
}
