/**
 * What the model reads of a result (S-52): the output first, then one bracketed line per fact, only where it differs from the quiet case. Facts,
 * no advice, no adjectives. Snapshots pin every line.
 */
import type { ContentBlock } from '@toolseam/core-tools'
import type { SpillInfo, State } from '../definition/command.ts'
import type { BashInput, BashResult, BashStarted, BashValue, JobValue, Survivor } from './values.ts'

export function renderBash(value: BashValue, input: BashInput): ContentBlock[] {
  return [{ type: 'text', text: isStarted(value) ? renderStarted(value) : renderResult(value, input) }]
}

export function renderJob(value: JobValue): ContentBlock[] {
  return [{ type: 'text', text: renderRead(value) }]
}

/** Also the text of an aborted command's partial result. */
export function renderResult(value: BashResult, input: Pick<BashInput, 'persistCwd'>): string {
  const facts = [
    ...ending(value),
    ...(value.stages?.some((status) => status !== 0) === true ? [`[stages ${value.stages.join(' ')}]`] : []),
    ...stillRunning(value.survivors, value.job),
    ...(value.state === 'running' && value.job !== undefined ? [`[moved to the background; job ${value.job}]`] : []),
    ...(input.persistCwd === true ? [`[cwd now ${value.cwd}]`] : []),
    ...value.notes.map((note) => `[${note}]`),
  ]
  const output = withNotice(value.output, {
    at: value.omittedAt,
    bytes: value.omittedBytes - (value.stderrOmittedBytes ?? 0),
    spill: value.spill,
  })
  const stderr = withNotice(value.stderr ?? '', {
    at: value.stderrOmittedAt,
    bytes: value.stderrOmittedBytes ?? 0,
    spill: value.stderrSpill,
  })
  const shown = stderr === '' ? output : `${line(output)}[stderr]\n${stderr}`
  const quiet = value.state === 'exited' && value.exitCode === 0 ? '[no output, exit 0]' : '[no output]'
  return join(shown, shown === '' ? [quiet, ...facts] : facts)
}

function renderStarted(value: BashStarted): string {
  const shown = withNotice(value.output, { at: value.omittedAt, bytes: value.omittedBytes ?? 0, spill: undefined })
  const running = value.state === 'running' ? [`[job ${value.job}; pid ${value.pid}]`] : [`[job ${value.job} ended]`]
  return join(shown, [...running, ...ending({ exitCode: null, signal: null, ...value })])
}

function renderRead(value: JobValue): string {
  const shown = withNotice(value.output, { at: value.omittedAt, bytes: value.omittedBytes, spill: value.spill })
  const stderr = value.stderr === undefined || value.stderr === '' ? '' : `[stderr]\n${value.stderr}`
  const body = stderr === '' ? shown : line(shown) + stderr
  const facts = [
    ...(value.written === undefined ? [] : [`[sent ${bytes(value.written)}]`]),
    ...(value.already === true ? [`[job ${value.job} had ended before]`] : []),
    ...(value.ended === true ? [`[job ${value.job} ended]`, ...ending(value)] : []),
    ...stillRunning(value.survivors, undefined),
    ...(value.stuck === undefined ? [] : [`[still alive after KILL: ${value.stuck.join(' ')}]`]),
    ...(value.elapsed ? ['[the wait is over]'] : []),
  ]
  const quiet = body === '' ? [value.state === 'running' ? '[no new output; running]' : '[no new output]'] : []
  return join(body, [...quiet, ...facts])
}

interface Ending {
  state: State
  exitCode: number | null
  signal: string | null
  timeoutMs?: number | null
}

function ending(value: Ending): string[] {
  const code = value.exitCode === null || value.exitCode === 0 ? [] : [`[exit ${value.exitCode}]`]
  switch (value.state) {
    case 'running':
      return []
    case 'exited':
      return value.signal === null ? code : [`[signal ${value.signal}]`]
    case 'timed-out':
      return [`[timed out${value.timeoutMs == null ? '' : ` after ${seconds(value.timeoutMs)}`}; the process tree was ended]`, ...code]
    case 'aborted':
      return ['[cancelled; the process tree was ended]', ...code]
    case 'killed':
      return ['[ended from outside]', ...code]
    case 'lost':
      return ['[lost: its end was not observed]']
  }
}

function stillRunning(survivors: readonly Survivor[] | undefined, job: string | undefined): string[] {
  if (survivors === undefined || survivors.length === 0) return []
  const named = survivors.map(({ pid, argv }) => `pid ${pid} ${argv}`.trimEnd()).join(', ')
  return [`[still running: ${named}${job === undefined ? '' : `; job ${job}`}]`]
}

/** The notice stands where the cut is, on a line of its own. */
function withNotice(output: string, cut: { at: number | undefined; bytes: number; spill: SpillInfo | undefined }): string {
  if (cut.at === undefined) return output
  return `${line(output.slice(0, cut.at))}${omission(cut.bytes, cut.spill)}\n${output.slice(cut.at)}`
}

function omission(omitted: number, spill: SpillInfo | undefined): string {
  const where =
    spill === undefined ? '' : spill.complete ? `; all of it: ${spill.path}` : `; the first ${bytes(spill.bytes)}: ${spill.path}`
  return `[omitted ${bytes(omitted)} in the middle${where}]`
}

function join(shown: string, facts: readonly string[]): string {
  return facts.length === 0 ? shown : line(shown) + facts.join('\n')
}

/** Ends in a line end, unless it is empty. */
function line(shown: string): string {
  return shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`
}

function bytes(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'byte' : 'bytes'}`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function isStarted(value: BashValue): value is BashStarted {
  return 'pid' in value
}
