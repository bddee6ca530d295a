/**
 * The words of the command: results, decisions and stages as lines for people. Whatever came from a model or a process is shown with its
 * control characters escaped where it stands in a line of ours.
 */
import type { ContentBlock, ToolResult } from '@toolseam/core-tools'
import type { StageEvent } from './stages.ts'
import type { Colors } from './streams.ts'

/** Content as text: text blocks as they are, other kinds named. */
export function renderContent(content: readonly ContentBlock[]): string {
  return content.map(renderBlock).join('\n')
}

function renderBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${Buffer.byteLength(block.data, 'base64')} bytes]`
    case 'resource_link':
      return `[${block.title ?? block.name}: ${block.uri}]`
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`
    default:
      return `[${(block satisfies never as { type: string }).type}]`
  }
}

/** A failure in a line or more: code, message, and the content where it says more than the message. */
export function renderFailure(result: Extract<ToolResult, { isError: true }>, colors: Colors): string {
  const content = renderContent(result.content)
  const more = content === '' || content === result.error.message ? '' : `\n${content}`
  return `${colors.red(result.error.code)} ${result.error.message}${more}\n`
}

/** JSON in one line, at most `width` characters, control characters escaped. */
export function inline(value: unknown, width = 100): string {
  const text = printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'))
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 3))}...`
}

/** C0, DEL and C1 controls, and the characters that turn the direction of a line, made visible. */
export function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** One line of `--trace`. */
export function renderStage(event: StageEvent, { colors, sinceMs, depth }: { colors: Colors; sinceMs: number; depth: number }): string {
  const time = colors.dim(`${sinceMs.toFixed(1).padStart(9)} ms`)
  const nested = depth === 0 ? '' : `${'  '.repeat(depth)}${event.execution.callId} `
  const lines = stageLines(event, colors)
  return lines.map(([name, text]) => `${time}  ${name.padEnd(9)}  ${nested}${text}\n`).join('')
}

function stageLines(event: StageEvent, colors: Colors): [string, string][] {
  const { execution } = event
  switch (event.stage) {
    case 'authorize':
      return [
        ['authorize', `${execution.name} ${inline(execution.arguments)}${event.round > 1 ? ` (round ${event.round}: rewritten)` : ''}`],
      ]
    case 'decided':
      return [['decided', describeDecision(event.decision, colors)]]
    case 'dispatch':
      return [['dispatch', event.attempt > 1 ? `attempt ${event.attempt} starts` : 'the body starts']]
    case 'returned':
      return [['returned', `${describeOutcome(event.result, colors)} in ${event.durationMs.toFixed(1)} ms`]]
    case 'post':
      return [['post', event.decision.kind]]
    case 'progress':
      return [['progress', inline(event.update.message ?? event.update.progress ?? '')]]
    case 'settled':
      return [...trailLines(event), ['settled', `${describeOutcome(event.result, colors)} in ${event.record.durationMs.toFixed(1)} ms`]]
    default:
      return event satisfies never
  }
}

function trailLines({ record }: Extract<StageEvent, { stage: 'settled' }>): [string, string][] {
  return record.trail.map(({ stage, by, kind, effect, round, reason }) => {
    const told = reason === undefined ? '' : `: ${inline(reason)}`
    return ['trail', `${stage}${round === undefined ? '' : ` ${round}`} · ${printable(by)} · ${kind} · ${effect}${told}`]
  })
}

export function describeDecision(decision: { kind: string; by?: string; reason?: string }, colors: Colors): string {
  const paint = { allow: colors.green, ask: colors.yellow, deny: colors.red }[decision.kind] ?? String
  const by = decision.by === undefined ? ' by default' : ` by ${printable(decision.by)}`
  return `${paint(decision.kind)}${by}${decision.reason === undefined ? '' : `: ${inline(decision.reason)}`}`
}

export function describeOutcome(result: ToolResult, colors: Colors): string {
  return result.isError ? colors.red(result.error.code) : colors.green('success')
}
