/**
 * The calls of one run on the host: each id is taken once, answered once, and cancelled when the run is over (C-4, C-6).
 */
import type { JsonValue } from '@toolseam/core-tools'
import type { CodeCallAnswer, CodeRunRequest } from '../definition/code-runtime.ts'
import { byteLength } from './logs.ts'
import type { GuestMessage } from './messages.ts'
import { describeBadArguments, describeLargeArguments, describeLargeResult } from './render-answer.ts'

export interface CallAnswer {
  readonly seq: number
  readonly ok: boolean
  /** JSON text of the value, or of `{ code, message }`. */
  readonly text: string
}

interface CallHandlers {
  answer(answer: CallAnswer): void
  asking(on: boolean): void
}

export class CallLedger {
  readonly #request: CodeRunRequest
  readonly #on: CallHandlers
  readonly #open = new Map<number, AbortController>()
  #last = 0
  #over = false

  constructor(request: CodeRunRequest, on: CallHandlers) {
    this.#request = request
    this.#on = on
  }

  /** Calls taken so far. */
  get count(): number {
    return this.#last
  }

  /** False for an id that is out of order, thus also for one that came before. */
  take({ seq, name, text, line }: Extract<GuestMessage, { type: 'call' }>): boolean {
    if (this.#over || seq !== this.#last + 1) return false
    this.#last = seq
    const controller = new AbortController()
    this.#open.set(seq, controller)
    void this.#perform({ seq, name, text, line }, controller.signal).then((answer) => this.#settle(seq, answer))
    return true
  }

  /** Cancels what is open; later answers are dropped. The ids that were open, in order. */
  close(): number[] {
    this.#over = true
    const open = [...this.#open]
    for (const [, controller] of open) controller.abort(new Error('the program has ended'))
    return open.map(([seq]) => seq)
  }

  async #perform(
    { seq, name, text, line }: { seq: number; name: string; text: string; line: number },
    signal: AbortSignal,
  ): Promise<CodeCallAnswer> {
    const { argumentBytes } = this.#request.limits
    if (byteLength(text) > argumentBytes) return failed('CODE_ARGUMENTS_TOO_LARGE', describeLargeArguments(argumentBytes))
    const args = parse(text)
    if (args === undefined) return failed('CODE_INVALID_ARGUMENTS', describeBadArguments())
    const asks = new AskCounter((asking) => this.#over || this.#on.asking(asking))
    try {
      const place = line > 0 ? { line } : {}
      return await this.#request.call({ seq, name, args, ...place, onAsk: (asking) => asks.set(asking) }, signal)
    } catch (error) {
      return failed('TOOL_FAILED', error instanceof Error ? error.message : String(error))
    } finally {
      asks.set(false)
    }
  }

  #settle(seq: number, answer: CodeCallAnswer): void {
    if (this.#over || !this.#open.delete(seq)) return
    this.#on.answer({ seq, ...encode(answer, this.#request.limits.toolResultBytes) })
  }
}

/** On and off at most once each in turn, whatever the caller says. */
class AskCounter {
  readonly #tell: (asking: boolean) => void
  #asking = false

  constructor(tell: (asking: boolean) => void) {
    this.#tell = tell
  }

  set(asking: boolean): void {
    if (asking === this.#asking) return
    this.#asking = asking
    this.#tell(asking)
  }
}

function encode(answer: CodeCallAnswer, limit: number): { ok: boolean; text: string } {
  if (!answer.ok) return { ok: false, text: JSON.stringify({ code: answer.error.code, message: answer.error.message }) }
  const text = JSON.stringify(answer.value)
  const size = text.length > limit ? text.length : byteLength(text)
  if (size <= limit) return { ok: true, text }
  return { ok: false, text: JSON.stringify({ code: 'CODE_RESULT_TOO_LARGE', message: describeLargeResult({ size, limit }) }) }
}

function failed(code: string, message: string): CodeCallAnswer {
  return { ok: false, error: { code, message } }
}

function parse(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
