/** The words of a turn: what a stop discarded, ended and undid. */
import type { HaltedEvent, HaltFailedEvent, ResourceReport, ToolDomainEvent } from '@toolseam/executor-tool'
import type { ToolExecutionInput, ToolResult } from '@toolseam/core-tools'
import { inline, printable } from './render.ts'

/** One line of `--json`. Errors are told as code and message: nothing of the host goes out. */
export function renderEventLine(event: ToolDomainEvent<ToolResult>): string {
  return `${JSON.stringify(event, (_key, value: unknown) => (value instanceof Error ? errorFacts(value) : value))}\n`
}

function errorFacts(error: Error): object {
  const { code } = error as { code?: unknown }
  return { ...(typeof code === 'string' ? { code } : {}), message: error.message }
}

/** The receipt of a stop, for people. */
export function renderReceipt(event: HaltedEvent | HaltFailedEvent, calls: readonly ToolExecutionInput[]): string {
  const head =
    event.kind === 'tool.halted'
      ? `the turn was stopped (${event.reason})`
      : `the turn was stopped (${event.reason}), but not everything ended: ${event.cause.code}`
  const left = event.kind === 'tool.halted' ? [] : namesOf(event.abandoned, calls)
  const lines = [
    ...namesOf(event.discarded, calls).map((name) => `  discarded  ${name}`),
    ...left.map((name) => `  abandoned  ${name}`),
    ...('releaseError' in event && event.releaseError !== undefined ? [`  release    ${inline(messageOf(event.releaseError))}`] : []),
  ]
  return `toolseam: ${head}\n${lines.map((line) => `${line}\n`).join('')}`
}

function namesOf(blocks: HaltedEvent['discarded'], calls: readonly ToolExecutionInput[]): string[] {
  return blocks.map(({ dlineTid }) => {
    const call = calls[Number(dlineTid.slice(dlineTid.lastIndexOf('#') + 1))]
    return call === undefined ? printable(dlineTid) : `${printable(call.callId)}  ${printable(call.name)} ${inline(call.arguments)}`
  })
}

/** What a stop ended and undid; nothing where it met nothing. */
export function renderReleased(report: ResourceReport): string {
  const lines = report.kind === 'processes' ? processLines(report.report) : changeLines(report.report)
  return lines.map((line) => `toolseam: ${line}\n`).join('')
}

function processLines({ ended, kept, stuck }: Extract<ResourceReport, { kind: 'processes' }>['report']): string[] {
  return [
    ...(ended.length === 0 ? [] : [`ended ${ended.length} ${ended.length === 1 ? 'command' : 'commands'}`]),
    ...(kept.length === 0 ? [] : [`kept in the background: ${kept.map(printable).join(', ')}`]),
    ...(stuck.length === 0 ? [] : [`still alive: ${stuck.join(', ')}`]),
  ]
}

function changeLines({ files = [] }: Extract<ResourceReport, { kind: 'changes' }>['report']): string[] {
  return files.map(({ path, conflict }) =>
    conflict === undefined ? `undone: ${printable(path)}` : `not undone: ${printable(path)}: ${inline(conflict)}`,
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
