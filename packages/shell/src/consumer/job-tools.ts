/**
 * `bash_output`, `bash_input` and `bash_kill`: reading, feeding and ending jobs.
 */
import { defineTool, type ToolDefinition, type ToolRunContext } from '@toolseam/core-tools'
import { ShellError } from '../definition/errors.ts'
import { Shell, type ShellCommand } from '../definition/shell.ts'
import { OWN_DEADLINE } from './bash.ts'
import type { JobReader } from './reader.ts'
import { renderJob } from './render.ts'
import { BASH_INPUT_INPUT, BASH_KILL_INPUT, BASH_OUTPUT_INPUT, JOB_VALUE } from './schemas.ts'
import { withWords } from './tool-errors.ts'
import type { BashInputInput, BashKillInput, BashOutputInput, JobValue, Key } from './values.ts'

const INPUT_WAIT_MS = 200
/** How long `bash_kill` with INT waits for an end, ms. */
const INTERRUPT_WAIT_MS = 500
const SHELL_CUTS = { truncatedBy: 'shell' } as const

export function bashOutputTool({ reader }: { reader: JobReader }): ToolDefinition<BashOutputInput, JobValue> {
  return defineTool<BashOutputInput, JobValue>({
    name: 'bash_output',
    title: 'Read a job',
    description: 'Reads what a job printed since the last read, waiting for a text, a /pattern/ or the end where asked to.',
    input: BASH_OUTPUT_INPUT,
    output: JOB_VALUE,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    concurrency: 'parallel',
    timeoutMs: OWN_DEADLINE,
    requires: [Shell],
    execute: (input, context) => withWords(() => readJob(reader, input, context)),
    render: renderJob,
    meta: () => SHELL_CUTS,
    describeCall: ({ job }) => ({ kind: 'read', title: `Read job ${job}` }),
  })
}

async function readJob(reader: JobReader, input: BashOutputInput, context: ToolRunContext): Promise<JobValue> {
  const { agent } = context.execution
  const command = reader.find(input.job, agent)
  const from = input.from ?? reader.position(command, agent)
  const until = input.until === undefined ? undefined : patternOf(input.until)
  const ms = input.waitMs ?? 0
  const outcome = await command.waitFor({ from, ms, ...(until === undefined ? { exit: true } : { until }) }, context.signal)
  context.signal.throwIfAborted()
  return reader.read(command, {
    agent,
    elapsed: ms > 0 && outcome === 'elapsed',
    ...(input.from === undefined ? {} : { from: input.from }),
  })
}

/** `/re/flags` is a pattern, anything else is text. */
function patternOf(until: string): RegExp | string {
  const parts = /^\/(.+)\/([imsu]*)$/s.exec(until)
  if (parts === null) return until
  try {
    return new RegExp(parts[1] ?? '', parts[2])
  } catch (error) {
    throw new ShellError('SHELL_BAD_REQUEST', { field: 'until', reason: 'pattern', pattern: until.slice(0, 200) }, error)
  }
}

export function bashInputTool({ reader }: { reader: JobReader }): ToolDefinition<BashInputInput, JobValue> {
  return defineTool<BashInputInput, JobValue>({
    name: 'bash_input',
    title: 'Feed a job',
    description: 'Sends text or a key to the input of a job that was started with input pipe or terminal, and reads what it prints then.',
    input: BASH_INPUT_INPUT,
    output: JOB_VALUE,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    timeoutMs: OWN_DEADLINE,
    requires: [Shell],
    execute: (input, context) => withWords(() => feedJob(reader, input, context)),
    render: renderJob,
    meta: () => SHELL_CUTS,
    describeCall: ({ job }) => ({ kind: 'execute', title: `Send input to job ${job}` }),
  })
}

async function feedJob(reader: JobReader, input: BashInputInput, context: ToolRunContext): Promise<JobValue> {
  const { agent } = context.execution
  const command = reader.find(input.job, agent)
  const text = textOf(input, command)
  if (text === undefined && input.key === undefined && input.end !== true) {
    throw new ShellError('SHELL_BAD_REQUEST', { field: 'text', reason: 'nothing-to-send' })
  }
  if (text !== undefined) await command.write(text)
  if (input.key !== undefined) await pressKey(command, input.key)
  if (input.end === true) await command.closeInput()
  await command.waitFor({ exit: true, ms: input.waitMs ?? INPUT_WAIT_MS }, context.signal)
  context.signal.throwIfAborted()
  const written = new TextEncoder().encode(text ?? '').length
  return { ...(await reader.read(command, { agent })), written }
}

function textOf({ text, enter }: BashInputInput, command: ShellCommand): string | undefined {
  // Enter is what a keyboard sends: CR on a terminal, a line end in a pipe.
  const lineEnd = command.spec.input === 'terminal' ? '\r' : '\n'
  if (text !== undefined) return (enter ?? true) ? text + lineEnd : text
  return enter === true ? lineEnd : undefined
}

const KEY_BYTES: Readonly<Record<Key, string>> = {
  'ctrl-c': '\u0003',
  'ctrl-d': '\u0004',
  'ctrl-z': '\u001a',
  escape: '\u001b',
  tab: '\t',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
}

/** A pipe has no line discipline: what a terminal makes of ctrl-c and ctrl-d is done here. */
async function pressKey(command: ShellCommand, key: Key): Promise<void> {
  if (command.spec.input === 'terminal' || key === 'escape' || key === 'tab') return command.write(KEY_BYTES[key])
  switch (key) {
    case 'ctrl-c':
      command.signal('SIGINT')
      return
    case 'ctrl-d':
      return command.closeInput()
    default:
      throw new ShellError('SHELL_BAD_REQUEST', { field: 'key', reason: 'terminal-only', key })
  }
}

export function bashKillTool({ reader }: { reader: JobReader }): ToolDefinition<BashKillInput, JobValue> {
  return defineTool<BashKillInput, JobValue>({
    name: 'bash_kill',
    title: 'End a job',
    description: 'Ends a job with its whole process tree. What it printed stays readable.',
    input: BASH_KILL_INPUT,
    output: JOB_VALUE,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    timeoutMs: OWN_DEADLINE,
    requires: [Shell],
    execute: (input, context) => withWords(() => endJob(reader, input, context)),
    render: renderJob,
    meta: () => SHELL_CUTS,
    describeCall: ({ job }) => ({ kind: 'execute', title: `End job ${job}` }),
  })
}

async function endJob(reader: JobReader, { job, signal }: BashKillInput, context: ToolRunContext): Promise<JobValue> {
  const { agent } = context.execution
  const command = reader.find(job, agent)
  await command.survivors()
  if (!command.live) return { ...(await reader.read(command, { agent })), already: true }
  if (signal === 'INT') {
    command.signal('SIGINT')
    await command.waitFor({ exit: true, ms: INTERRUPT_WAIT_MS }, context.signal)
    return reader.read(command, { agent })
  }
  const { stuck } = await command.terminate('kill', signal === 'KILL' ? { graceMs: 0 } : {})
  const read = await reader.read(command, { agent })
  return stuck.length === 0 ? read : { ...read, stuck: [...stuck] }
}
