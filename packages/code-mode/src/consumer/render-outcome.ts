/**
 * What the model reads of a run: its value and what it printed, or what went wrong, where, and what had been done by then (C-12).
 */
import type { JsonValue } from '@toolseam/core-tools'
import type { CodeLogs } from '../definition/code-runtime.ts'
import type { CodeError } from '../definition/errors.ts'

export interface DoneCall {
  readonly seq: number
  readonly name: string
  readonly line?: number
}

export function renderSuccess(
  run: { value: JsonValue; cut?: { chars: number }; logs: CodeLogs; unfinished: readonly number[] },
  limit: number,
): string {
  const value = typeof run.value === 'string' ? run.value : JSON.stringify(run.value)
  const { text: printed, truncated } = run.logs
  const silent = printed === '' && !truncated
  // A program that prints and returns nothing has said what it had to say.
  const shown = run.value === null && !silent ? '' : cut(value, { limit, total: run.cut?.chars ?? value.length })
  const logs = silent ? '' : `Printed:\n${renderLogs(run.logs, Math.max(1000, limit - shown.length))}`
  return [renderUnfinished(run.unfinished.length), silent || shown === '' ? shown : `Returned:\n${shown}`, logs]
    .filter((part) => part !== '')
    .join('\n\n')
}

export function renderFailure(
  {
    error,
    logs,
    completed,
    unfinished,
  }: { error: CodeError; logs: CodeLogs; completed: readonly DoneCall[]; unfinished: readonly number[] },
  limit: number,
): string {
  const printed = logs.text === '' ? '' : `Printed before that:\n${renderLogs(logs, limit)}`
  return [renderError(error), renderDone(completed), renderUnfinished(unfinished.length), printed]
    .filter((part) => part !== '')
    .join('\n\n')
}

function renderError(error: CodeError): string {
  const name = error.kind === 'exception' || error.kind === 'tool-error' || error.kind === 'syntax' ? `${error.name}: ` : ''
  const tool =
    error.tool === undefined || error.tool === ''
      ? ''
      : `tools${/^\w+$/.test(error.tool) ? `.${error.tool}` : `[${JSON.stringify(error.tool)}]`}: `
  const place = error.line === undefined ? '' : `\n  line ${error.line}: ${(error.source ?? '').trim()}`
  return `${name}${tool}${error.message}${place}${renderGlobals(error)}`
}

function renderGlobals({ name, kind }: CodeError): string {
  if (kind !== 'exception' || name !== 'ReferenceError') return ''
  return '\nThe globals are `tools`, `console`, `ToolError` and those of the language. There is no process, fetch, timer, module or file access.'
}

function renderDone(completed: readonly DoneCall[]): string {
  if (completed.length === 0) return ''
  const counts = new Map<string, number>()
  for (const { name } of completed) counts.set(name, (counts.get(name) ?? 0) + 1)
  const list = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`))
  return `Calls that had succeeded, and are not undone: ${list.join(', ')}.`
}

function renderUnfinished(count: number): string {
  if (count === 0) return ''
  return `${count === 1 ? '1 call was' : `${count} calls were`} still open when the program ended, and cancelled: await every call.`
}

function renderLogs({ text, truncated }: CodeLogs, limit: number): string {
  const shown = cut(text, { limit, total: text.length })
  return truncated && shown === text ? `[Cut: only the beginning of what was printed is kept. Print less.]\n${text}` : shown
}

/** What is missing is said first: a cut at the end of a long text is easily overlooked. */
function cut(text: string, { limit, total }: { limit: number; total: number }): string {
  const kept = text.slice(0, limit)
  return kept.length < total ? `[Cut: the first ${kept.length} of ${total} characters. Return less.]\n${kept}` : text
}

export function describeLargeSource(limit: number): string {
  return `The program is larger than ${limit} bytes. Nothing was run.`
}
