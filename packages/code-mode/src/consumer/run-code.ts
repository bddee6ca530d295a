/**
 * `run_code`: one program instead of many calls.
 */
import {
  type ContentBlock,
  defineTool,
  type JsonObject,
  type JsonValue,
  type ToolDefinition,
  type ToolRunContext,
} from '@toolseam/core-tools'
import type { CodeLogs, CodeRunResult, CodeRuntime, CodeUsage, PreparedProgram } from '../definition/code-runtime.ts'
import { type CodeError, CodeModeError, codeOfKind } from '../definition/errors.ts'
import type { CodeLimits } from '../definition/limits.ts'
import { prepareProgram } from '../prepare/prepare.ts'
import type { ViewCatalogue } from './catalogue.ts'
import { describeCodeParameter, describeDescriptionParameter, describeRunCode } from './describe-run-code.ts'
import { ProgramCalls } from './program-calls.ts'
import { describeLargeSource, type DoneCall, renderFailure, renderSuccess } from './render-outcome.ts'

export interface RunCodeInput {
  readonly code: string
  readonly description?: string
}

export interface RunCodeParts {
  readonly limits: CodeLimits
  runtime(): CodeRuntime
  catalogue(agent: string | undefined): ViewCatalogue
}

/** The pipeline's "no deadline": a run has limits of its own (P-56). */
const OWN_DEADLINE = 2_147_483_647

export function createRunCode(parts: RunCodeParts): ToolDefinition<RunCodeInput> {
  // By the input of the call: the one thing that body and rendering share beside the value, which holds data only.
  const media = new WeakMap<RunCodeInput, ContentBlock[]>()
  return defineTool<RunCodeInput>({
    name: 'run_code',
    description: describeRunCode(),
    input: {
      type: 'object',
      properties: {
        code: { type: 'string', description: describeCodeParameter() },
        description: { type: 'string', description: describeDescriptionParameter() },
      },
      required: ['code'],
      additionalProperties: false,
    },
    concurrency: 'exclusive',
    timeoutMs: OWN_DEADLINE,
    describeCall: ({ description }) => ({ title: description ?? 'run_code', kind: 'execute' }),
    async execute(input, context) {
      const program = prepare(input.code, parts.limits)
      const calls = new ProgramCalls({
        context,
        inFlight: parts.limits.inFlight,
        catalogue: () => parts.catalogue(context.execution.agent),
      })
      const result = await runProgram({ program, calls, context, parts })
      if (!result.ok) throw failureOf({ ...result, completed: calls.completed }, parts.limits)
      calls.passOn()
      media.set(input, calls.media())
      return valueOf(result)
    },
    render: (output, input) => [
      { type: 'text', text: renderSuccess(readValue(output), parts.limits.resultChars) },
      ...(media.get(input) ?? []),
    ],
  })
}

function prepare(code: string, limits: CodeLimits): PreparedProgram {
  const nothing = { logs: { text: '', truncated: false }, usage: { busyMs: 0, wallMs: 0, calls: 0 }, unfinished: [], completed: [] }
  if (new TextEncoder().encode(code).length > limits.sourceBytes) {
    const error: CodeError = { kind: 'syntax', name: 'SyntaxError', message: describeLargeSource(limits.sourceBytes) }
    throw failureOf({ error, ...nothing }, limits)
  }
  const prepared = prepareProgram(code)
  if (!prepared.ok) throw failureOf({ error: prepared.error, ...nothing }, limits)
  return prepared.program
}

async function runProgram(run: {
  program: PreparedProgram
  calls: ProgramCalls
  context: ToolRunContext
  parts: RunCodeParts
}): Promise<CodeRunResult> {
  const { program, calls, context, parts } = run
  try {
    return await parts.runtime().run({
      program,
      limits: parts.limits,
      signal: context.signal,
      call: (call, signal) => calls.call(call, signal),
      onConsole: ({ text }) => context.progress({ message: text }),
    })
  } finally {
    await calls.settled()
  }
}

interface Failed {
  readonly error: CodeError
  readonly logs: CodeLogs
  readonly usage: CodeUsage
  readonly unfinished: readonly number[]
  readonly completed: readonly DoneCall[]
}

function failureOf(failed: Failed, limits: CodeLimits): CodeModeError {
  const { error, logs, usage, unfinished, completed } = failed
  const details: JsonObject = {
    kind: error.kind,
    name: error.name,
    ...(error.line === undefined ? {} : { line: error.line, source: error.source ?? '' }),
    ...(error.tool === undefined ? {} : { tool: error.tool, toolCode: error.code ?? '' }),
    logs: { ...logs },
    usage: { ...usage },
    unfinished: [...unfinished],
    completed: completed.map((call) => ({ ...call })),
  }
  return new CodeModeError(codeOfKind(error.kind), renderFailure({ error, logs, completed, unfinished }, limits.resultChars), { details })
}

function valueOf({ value, logs, usage, unfinished, cut }: Extract<CodeRunResult, { ok: true }>): JsonValue {
  return { value, logs: { ...logs }, usage: { ...usage }, unfinished: [...unfinished], ...(cut === undefined ? {} : { cut: { ...cut } }) }
}

/** Back from the frozen value: a wrapper or tap may have put another in its place. */
function readValue(output: JsonValue): Parameters<typeof renderSuccess>[0] {
  const fields = typeof output === 'object' && output !== null && !Array.isArray(output) ? output : { value: output }
  const { value = null, logs, unfinished, cut } = fields
  const printed = typeof logs === 'object' && logs !== null && !Array.isArray(logs) ? logs : {}
  const chars = typeof cut === 'object' && cut !== null && !Array.isArray(cut) ? cut['chars'] : undefined
  return {
    value,
    logs: { text: typeof printed['text'] === 'string' ? printed['text'] : '', truncated: printed['truncated'] === true },
    unfinished: Array.isArray(unfinished) ? unfinished.filter((seq) => typeof seq === 'number') : [],
    ...(typeof chars === 'number' ? { cut: { chars } } : {}),
  }
}
