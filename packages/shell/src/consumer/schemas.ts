/**
 * JSON Schemas of the tools' inputs and values, with the words the model reads about each field.
 */
import type { JsonSchema } from '@toolseam/core-tools'

const text = (description: string): JsonSchema => ({ type: 'string', description })
const flag = (description: string): JsonSchema => ({ type: 'boolean', description })
const count = (description: string, maximum?: number): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  ...(maximum === undefined ? {} : { maximum }),
  description,
})
const object = (properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const job = text('Id of the job, as given by bash.')

export const BASH_INPUT: JsonSchema = object(
  {
    command: text('Command text for bash.'),
    description: text('What the command is for, in a few words, for people.'),
    cwd: text('Directory to start in, relative to the root. Default: the root, or the directory kept by persistCwd.'),
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      description: 'Deadline in ms; the process tree is ended then. Default 120000, at most 600000. None in the background.',
    },
    background: flag('Start it as a job and return at once. Default false.'),
    input: {
      enum: ['none', 'pipe', 'terminal'],
      description: 'Standard input; pipe and terminal need background. Default none: end of file.',
    },
    persistCwd: flag('Keep the directory in which the command ends for the next commands. Default false.'),
    env: { type: 'object', additionalProperties: { type: 'string' }, description: 'Variables to set for this command.' },
    split: flag('Capture stderr on its own. Default false: one stream in true order.'),
    sandbox: {
      enum: ['off', 'read-only', 'workspace-write'],
      description: 'Confinement. A looser one than configured is put to the user.',
    },
    network: { enum: ['none', 'full'], description: 'Network access. A looser one than configured is put to the user.' },
  },
  ['command'],
)

export const BASH_OUTPUT_INPUT: JsonSchema = object(
  {
    job,
    waitMs: count('Wait for `until`, or for the end, up to this many ms. Default 0.', 600_000),
    until: text('Return when this text, or /pattern/, is in the output.'),
    from: count('Byte offset to read from. Default: where the last read ended.'),
  },
  ['job'],
)

export const BASH_INPUT_INPUT: JsonSchema = object(
  {
    job,
    text: text('Text to send.'),
    enter: flag('Send a line end after the text. Default true.'),
    end: flag('Close the input after the text.'),
    key: {
      enum: ['ctrl-c', 'ctrl-d', 'ctrl-z', 'escape', 'tab', 'up', 'down', 'left', 'right'],
      description: 'Key to send after the text.',
    },
    waitMs: count('Wait for output, ms. Default 200.', 600_000),
  },
  ['job'],
)

export const BASH_KILL_INPUT: JsonSchema = object(
  {
    job,
    signal: {
      enum: ['TERM', 'INT', 'KILL'],
      description: 'TERM (default) ends the tree, by KILL after a grace; KILL at once; INT is sent and nothing more.',
    },
  },
  ['job'],
)

const state: JsonSchema = { enum: ['running', 'exited', 'timed-out', 'aborted', 'killed', 'lost'] }
const nullable = (type: string): JsonSchema => ({ type: [type, 'null'] })
const whole: JsonSchema = { type: 'integer' }
const string: JsonSchema = { type: 'string' }
const spill: JsonSchema = object({ id: string, path: string, bytes: whole, complete: { type: 'boolean' } }, [
  'id',
  'path',
  'bytes',
  'complete',
])
const survivors: JsonSchema = { type: 'array', items: object({ pid: whole, argv: string }, ['pid', 'argv']) }
const truth: JsonSchema = { const: true }

/** Foreground and background share one object type, so that a program can read it without a union. */
export const BASH_VALUE: JsonSchema = object(
  {
    state,
    exitCode: nullable('integer'),
    signal: nullable('string'),
    stages: { type: 'array', items: whole },
    output: string,
    stderr: string,
    totalBytes: whole,
    omittedBytes: whole,
    omittedAt: whole,
    stderrOmittedBytes: whole,
    stderrOmittedAt: whole,
    spill,
    stderrSpill: spill,
    cwd: string,
    durationMs: whole,
    timeoutMs: nullable('integer'),
    job: string,
    pid: whole,
    survivors,
    notes: { type: 'array', items: string },
  },
  ['state', 'output'],
)

export const JOB_VALUE: JsonSchema = object(
  {
    job: string,
    state,
    exitCode: nullable('integer'),
    signal: nullable('string'),
    output: string,
    stderr: string,
    from: whole,
    next: whole,
    omittedBytes: whole,
    omittedAt: whole,
    lossy: { type: 'boolean' },
    elapsed: { type: 'boolean' },
    ended: truth,
    survivors,
    stuck: { type: 'array', items: whole },
    spill,
    written: whole,
    already: truth,
  },
  ['job', 'state', 'exitCode', 'signal', 'output', 'from', 'next', 'omittedBytes', 'lossy', 'elapsed'],
)
