/** The words of `toolseam log`. What was recorded came from models and processes: control characters are shown escaped. */
import type { ContentBlock } from '@toolseam/core-tools'
import type { FolderEntry } from '@toolseam/journal'
import { fieldsOf, type OpenCall } from '../calls/recorded-log.ts'
import { inline, printable, renderContent } from './render.ts'
import type { Colors } from './streams.ts'

/** One line an entry; undefined for one that says nothing to people. `full`: arguments and content whole. */
export function renderLogEntry(entry: FolderEntry, { colors, full }: { colors: Colors; full: boolean }): string | undefined {
  const told = describe(entry, { colors, full })
  return told === undefined ? undefined : `${colors.dim(new Date(entry.at).toISOString())}  ${told}\n`
}

function describe({ data }: FolderEntry, { colors, full }: { colors: Colors; full: boolean }): string | undefined {
  const fields = fieldsOf(data)
  const text = (key: string): string => (typeof fields[key] === 'string' ? printable(fields[key]) : '')
  const depth = fields['rootCallId'] === fields['callId'] ? '' : '  '
  switch (fields['kind']) {
    case 'tool/call':
      return `call    ${depth}${text('callId')}  ${text('name')} ${inline(fields['arguments'], full ? Number.MAX_SAFE_INTEGER : 100)}`
    case 'tool/result': {
      const outcome = fields['isError'] === true ? colors.red(text('code')) : colors.green('success')
      const content = full ? contentOf(fields['content']) : ''
      return `result  ${depth}${text('callId')}  ${text('name')} ${outcome}${tookOf(fields['record'])}${content}`
    }
    case undefined:
      return describeTurnEvent(fieldsOf(fields['event'] ?? null), colors)
    default:
      return inline(data)
  }
}

function tookOf(record: unknown): string {
  const ms = typeof record === 'object' && record !== null ? (record as { durationMs?: unknown }).durationMs : undefined
  return typeof ms === 'number' ? ` in ${ms.toFixed(1)} ms` : ''
}

function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return ''
  const lines = renderContent(content as ContentBlock[]).split('\n')
  return lines.map((line) => `\n    ${printable(line)}`).join('')
}

function describeTurnEvent(event: ReturnType<typeof fieldsOf>, colors: Colors): string | undefined {
  const { kind, turnId, mode, blocks, order, discarded, abandoned } = event
  const count = (list: unknown): number => (Array.isArray(list) ? list.length : 0)
  switch (kind) {
    case 'turn.created':
      return `turn    ${inline(turnId)}  begins: ${count(blocks)} calls, ${inline(mode)}`
    case 'stop.requested':
      return `stop    ${inline(fieldsOf(order ?? null)['reason'])} asked for`
    case 'tool.halted':
      return `stop    done; ${count(discarded)} discarded`
    case 'tool.halt_failed':
      return `stop    ${colors.red('not all ended')}; ${count(discarded)} discarded, ${count(abandoned)} abandoned`
    case 'turn.left':
      return `turn    ${inline(turnId)}  left open by a process that is gone`
    default:
      return undefined
  }
}

export function renderOpenCall({ callId, name, turnId, state }: OpenCall, colors: Colors): string {
  const what = `${printable(callId)}${name === undefined ? '' : `  ${printable(name)}`}${turnId === undefined ? '' : `  (${printable(turnId)})`}`
  return state === 'running'
    ? `${colors.yellow('running')}  ${what}\n`
    : `${colors.red('unknown')}  ${what}: its process ended before the result; the work may be done, half done or not begun\n`
}
