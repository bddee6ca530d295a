/**
 * The recorder: a `tool/call` before a body starts, a `tool/result` when the call has settled, in order (E-52). Where the first cannot be written
 * the body does not run.
 */
import type { CallView, Disposer, JsonValue, ToolCallRecord, ToolExecution, ToolResult, ToolRuntime } from '@toolseam/core-tools'
import { createDisposer } from '@toolseam/core-tools'
import type { Redaction } from '../checking/redaction.ts'
import type { ToolCallEntry, ToolResultEntry } from '../definition/entries.ts'
import type { Journal } from '../definition/journal.ts'

const NAME = 'toolseam/journal'
/** The last tap is the outermost wrapper. */
const OUTERMOST = Number.MAX_SAFE_INTEGER

export interface Recorder {
  /** Resolves when every result that was told has been written, or its failure logged. */
  flush(): Promise<void>
  stop: Disposer
}

export interface RecorderParts {
  readonly journal: Pick<Journal, 'append'>
  readonly redaction: Redaction
}

export function startRecorder(runtime: ToolRuntime, { journal, redaction }: RecorderParts): Recorder {
  const called = new WeakSet<object>()
  let queue: Promise<void> = Promise.resolve()

  /** Once a call: a wrapper of an agent's own scope stands outside of this one and may dispatch again. */
  async function recordCall(execution: ToolExecution): Promise<void> {
    if (called.has(execution.token)) return
    called.add(execution.token)
    const view = await runtime.describe(execution)
    await journal.append([jsonEntry(callEntry(execution, redaction.maskArguments(execution.arguments, view)))])
  }

  async function recordResult(execution: ToolExecution, result: ToolResult, record: ToolCallRecord): Promise<void> {
    try {
      const view = await viewOf(runtime, execution)
      await journal.append([jsonEntry(resultEntry(execution, result, maskRecord(record, { redaction, view })))])
    } catch (error) {
      runtime.logger.error(`the result of '${execution.callId}' could not be recorded`, { callId: execution.callId, error })
    }
  }

  const taps = [
    runtime.hooks.execute.tap({ name: NAME, stage: OUTERMOST }, (dispatch, execution) => async (options) => {
      await recordCall(execution)
      return dispatch(options)
    }),
    runtime.hooks.result.tap({ name: NAME, stage: OUTERMOST }, (execution, result, record) => {
      queue = queue.then(() => recordResult(execution, result, record))
    }),
  ]
  return {
    flush: () => queue,
    stop: createDisposer(() => {
      for (const untap of taps) untap()
    }),
  }
}

/** Arguments that never became an input are described by nobody: of a tool that has something to hide, nothing of them is known to be harmless. */
async function viewOf(runtime: ToolRuntime, execution: ToolExecution): Promise<Pick<CallView, 'sensitive' | 'incomplete'>> {
  const { name, agent, input } = execution
  if (input === undefined && runtime.get(name, agent)?.describeCall !== undefined) return { incomplete: true }
  return runtime.describe(execution)
}

function maskRecord(
  record: ToolCallRecord,
  { redaction, view }: { redaction: Redaction; view: Pick<CallView, 'sensitive' | 'incomplete'> },
): ToolCallRecord {
  return {
    ...record,
    originalArguments: redaction.maskArguments(record.originalArguments, view),
    effectiveArguments: redaction.maskArguments(record.effectiveArguments, view),
  }
}

function callEntry({ callId, rootCallId, turnId, agent, name }: ToolExecution, masked: JsonValue): ToolCallEntry {
  return {
    kind: 'tool/call',
    callId,
    rootCallId,
    ...(turnId === undefined ? {} : { turnId }),
    ...(agent === undefined ? {} : { agent }),
    name,
    arguments: masked,
  }
}

function resultEntry({ callId, rootCallId, turnId, name }: ToolExecution, result: ToolResult, record: ToolCallRecord): ToolResultEntry {
  return {
    kind: 'tool/result',
    callId,
    rootCallId,
    ...(turnId === undefined ? {} : { turnId }),
    name,
    isError: result.isError,
    ...(result.isError ? { code: result.error.code } : {}),
    content: result.content,
    record,
  }
}

/** Entries are JSON by construction; the journal checks it. */
function jsonEntry(entry: ToolCallEntry | ToolResultEntry): JsonValue {
  const json: object = entry
  return json as JsonValue
}
