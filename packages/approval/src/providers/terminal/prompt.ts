/**
 * The course of one prompt: show everything, page by page; then one key. Nothing is decided by a key pressed before the whole was shown, nor by
 * Enter alone.
 */
import type { JsonValue } from '@toolseam/core-tools'
import type { AskView } from '../../definition/answerer.ts'
import { ApprovalError } from '../../definition/errors.ts'
import type { Decision } from '../../definition/record.ts'
import { escapeText, wrapLine } from '../../prompt/escape.ts'
import { lineText, renderLine, typeKey, type Line } from '../../prompt/line-editor.ts'
import { PROMPT_WORDS, rememberChoices, renderAsk, renderChoice, renderKeys } from '../../prompt/render-ask.ts'
import type { Screen } from './screen.ts'

/** Undefined: answered elsewhere meanwhile. Throws `APPROVAL_CANCELLED` on Ctrl-C, Ctrl-D and the end of the input. */
export async function promptFor(screen: Screen, ask: AskView, signal: AbortSignal): Promise<Decision | undefined> {
  try {
    const decision = (await showPages(screen, ask)) ?? (await choose(screen, ask))
    screen.write(`${decision.outcome === 'approve' ? PROMPT_WORDS.approved : PROMPT_WORDS.rejected}\r\n`)
    return decision
  } catch (error) {
    if (!(error instanceof PromptClosed)) throw error
    screen.write(`\r\n${signal.aborted ? PROMPT_WORDS.elsewhere : PROMPT_WORDS.cancelled}\r\n`)
    if (signal.aborted) return undefined
    throw new ApprovalError('APPROVAL_CANCELLED', { id: ask.id })
  }
}

class PromptClosed extends Error {}

/** A decision only where somebody rejected before the end. */
async function showPages(screen: Screen, ask: AskView): Promise<Decision | undefined> {
  const lines = renderAsk(ask).flatMap((line) => wrapLine(line, screen.columns))
  // Two lines are kept for the question; a tiny screen pages line by line.
  const page = screen.rows === undefined || screen.rows === 0 ? lines.length : Math.max(1, screen.rows - 2)
  screen.write('\r\n')
  for (let start = 0; start < lines.length; start += page) {
    screen.write(
      lines
        .slice(start, start + page)
        .map((line) => `${line}\r\n`)
        .join(''),
    )
    if (start + page >= lines.length) return undefined
    screen.write(PROMPT_WORDS.page)
    const rejected = await turnPage(screen)
    screen.write('\r\n')
    if (rejected !== undefined) return rejected
  }
  return undefined
}

async function turnPage(screen: Screen): Promise<Decision | undefined> {
  for (;;) {
    const key = await nextKey(screen)
    if (key.kind !== 'text') continue
    if (key.text === ' ') return undefined
    if (key.text === 'r') {
      const rejected = await reject(screen)
      if (rejected !== undefined) return rejected
      screen.write(PROMPT_WORDS.page)
    }
  }
}

async function choose(screen: Screen, ask: AskView): Promise<Decision> {
  for (;;) {
    screen.write(`${renderKeys(ask)} `)
    const decision = await chosen(screen, ask)
    if (decision !== undefined) return decision
  }
}

async function chosen(screen: Screen, ask: AskView): Promise<Decision | undefined> {
  for (;;) {
    const key = await nextKey(screen)
    if (key.kind !== 'text') continue
    const action = { a: allowOnce, m: allowMore, e: edit, r: reject }[key.text]
    if (action === undefined) continue
    screen.write(`${key.text}\r\n`)
    return action(screen, ask)
  }
}

async function allowOnce(): Promise<Decision> {
  return { outcome: 'approve', scope: 'once' }
}

async function allowMore(screen: Screen, ask: AskView): Promise<Decision | undefined> {
  const choices = rememberChoices(ask)
  if (choices.length === 0) return undefined
  screen.write(choices.map((choice, index) => `${renderChoice(choice, index + 1)}\r\n`).join(''))
  for (;;) {
    const text = await readLine(screen, PROMPT_WORDS.choose)
    if (text === undefined) return undefined
    const choice = /^\s*\d{1,3}\s*$/.test(text) ? choices[Number(text) - 1] : undefined
    if (choice !== undefined) return { outcome: 'approve', scope: choice.scope, match: choice.match }
    screen.write(`${PROMPT_WORDS.badChoice}\r\n`)
  }
}

async function edit(screen: Screen, ask: AskView): Promise<Decision | undefined> {
  const original = JSON.stringify(ask.args)
  let text: string | undefined = original
  screen.write(`${PROMPT_WORDS.edit}\r\n`)
  for (;;) {
    text = await readLine(screen, '> ', text)
    if (text === undefined) return undefined
    if (text === original) {
      screen.write(`${PROMPT_WORDS.unedited}\r\n`)
      return undefined
    }
    const parsed = parse(text)
    if (parsed !== undefined) return { outcome: 'approve', scope: 'once', arguments: parsed.value }
    screen.write(`${PROMPT_WORDS.badJson}\r\n`)
  }
}

async function reject(screen: Screen): Promise<Decision | undefined> {
  const reason = await readLine(screen, PROMPT_WORDS.reject)
  if (reason === undefined) return undefined
  return reason.trim() === '' ? { outcome: 'reject' } : { outcome: 'reject', reason: reason.trim() }
}

/** Undefined: Escape. */
async function readLine(screen: Screen, label: string, initial = ''): Promise<string | undefined> {
  let line: Line = { before: initial, after: '' }
  let shown = draw(screen, label, { line, rowsAbove: 0 })
  for (;;) {
    const key = await nextKey(screen)
    if (key.kind === 'enter' || key.kind === 'escape') {
      screen.write('\r\n')
      return key.kind === 'enter' ? lineText(line) : undefined
    }
    line = typeKey(line, key)
    shown = draw(screen, label, { line, rowsAbove: shown })
  }
}

/** Draws the line anew, over as many rows as it takes; gives the row of the cursor below its first. */
function draw(screen: Screen, label: string, { line, rowsAbove }: { line: Line; rowsAbove: number }): number {
  const { text, back } = renderLine(line)
  const whole = `${escapeText(label)}${text}`
  const length = [...whole].length
  const cursor = length - back
  const up = rowsAbove > 0 ? `\u001B[${rowsAbove}A` : ''
  const endRow = Math.floor(length / screen.columns)
  const [row, column] = [Math.floor(cursor / screen.columns), cursor % screen.columns]
  // A line that ends at the edge keeps the cursor on it; the space moves it on, so that rows can be counted.
  const edge = length > 0 && length % screen.columns === 0 ? ' \r' : ''
  const back1 = endRow > row ? `\u001B[${endRow - row}A` : ''
  screen.write(`\r${up}\u001B[J${whole}${edge}\r${back1}${column > 0 ? `\u001B[${column}C` : ''}`)
  return row
}

async function nextKey(screen: Screen): Promise<Exclude<Awaited<ReturnType<Screen['key']>>, { kind: 'closed' }>> {
  const key = await screen.key()
  if (key.kind === 'closed' || key.kind === 'cancel') throw new PromptClosed()
  return key
}

function parse(text: string): { value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch {
    return undefined
  }
}
