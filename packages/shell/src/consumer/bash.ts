/**
 * The `bash` tool: `ctx.tools.execute -> Shell.run -> Subprocess.spawn` begins here.
 */
import { defineTool, type JsonObject, type ToolDefinition, type ToolExecution, type ToolRunContext } from '@toolseam/core-tools'
import type { OutputEvent, ShellRequest, ShellResult, ShellSpec } from '../definition/command.ts'
import { BACKGROUND_WAIT_MS } from '../definition/limits.ts'
import { Shell } from '../definition/shell.ts'
import { describeBash } from './describe.ts'
import type { JobReader } from './reader.ts'
import { renderBash, renderResult } from './render.ts'
import { renderNote } from './render-notes.ts'
import { BASH_INPUT, BASH_VALUE } from './schemas.ts'
import { abortedWith, withWords } from './tool-errors.ts'
import type { BashInput, BashResult, BashStarted, BashValue } from './values.ts'

/** Steps out of the pipeline's deadline: the shell owns the one there is (S-26). */
export const OWN_DEADLINE = 2_147_483_647

export function bashTool(parts: { shell(): Shell; reader: JobReader }): ToolDefinition<BashInput, BashValue> {
  const { shell, reader } = parts
  return defineTool<BashInput, BashValue>({
    name: 'bash',
    title: 'Run a command',
    description:
      'Runs a command text in bash and returns what it printed and how it ended. stdout and stderr come in true order, the start and the end of a long output are shown and all of it is kept in a file. ' +
      'A process that outlives the command becomes a job; so does a command with background. Jobs are read with bash_output, fed with bash_input and ended with bash_kill.',
    input: BASH_INPUT,
    output: BASH_VALUE,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    concurrency: (input) => (readsOnly(shell(), input) ? 'parallel' : 'exclusive'),
    timeoutMs: OWN_DEADLINE,
    requires: [Shell],
    execute: (input, context) => withWords(() => execute(input, context)),
    render: renderBash,
    meta: truncation,
    describeCall: (input, { agent }) => describeBash(shell(), input, agent),
  })

  async function execute(input: BashInput, context: ToolRunContext): Promise<BashValue> {
    const spec = shell().resolve(requestOf(input, context.execution))
    return spec.background ? startJob(spec, context) : runToEnd(spec, context)
  }

  async function runToEnd(spec: ShellSpec, context: ToolRunContext): Promise<BashResult> {
    const result = valueOf(await shell().run(spec, { signal: context.signal, onOutput: (event) => context.progress(progressOf(event)) }))
    if (result.job !== undefined) reader.shown(result.job, context.execution.agent)
    if (context.signal.aborted) throw abortedWith(renderResult(result, spec), result)
    return result
  }

  async function startJob(spec: ShellSpec, context: ToolRunContext): Promise<BashStarted> {
    context.signal.throwIfAborted()
    const command = await shell().start(spec)
    await command.waitFor({ exit: true, ms: BACKGROUND_WAIT_MS }, context.signal)
    const read = await reader.read(command, { agent: context.execution.agent })
    return {
      state: read.state,
      job: command.id,
      pid: command.pid,
      output: read.output,
      ...(read.state === 'running' ? {} : { exitCode: read.exitCode, signal: read.signal }),
      ...(read.omittedAt === undefined ? {} : { omittedBytes: read.omittedBytes, omittedAt: read.omittedAt }),
    }
  }
}

function readsOnly(shell: Shell, input: BashInput): boolean {
  if (input.background === true) return false
  return shell.classify(input.command, input.env === undefined ? {} : { env: input.env }).verdict === 'read-only'
}

function requestOf({ description: _forPeople, ...input }: BashInput, execution: ToolExecution): ShellRequest {
  const { agent, turnId, callId, rootCallId } = execution
  return {
    ...input,
    callId,
    rootCallId,
    ...(agent === undefined ? {} : { agent }),
    ...(turnId === undefined ? {} : { turnId }),
    owner: input.background === true ? { kind: 'explicit' } : { kind: 'turn', ...(turnId === undefined ? {} : { turnId }) },
  }
}

function valueOf(result: ShellResult): BashResult {
  return { ...result, notes: result.notes.map(renderNote) }
}

function progressOf(event: OutputEvent): { message: string; content: { type: 'text'; text: string }[] } {
  return { message: event.stream, content: [{ type: 'text', text: event.text }] }
}

/** One owner of truncation: no later layer cuts again (S-30). */
function truncation(value: BashValue): JsonObject {
  const spill = 'spill' in value ? value.spill : undefined
  return { truncatedBy: 'shell', ...(spill === undefined ? {} : { spill: { ...spill } }) }
}
