/**
 * `inline`: the program runs in the host's own realm. No boundary at all, so it must be asked for in so many words; for unit tests of
 * trusted programs, where starting an engine is not worth it.
 */
import { GuestPool } from '../../bridge/pool.ts'
import type { HostMessage } from '../../bridge/messages.ts'
import type { GuestPeer, PeerEvents } from '../../bridge/peer.ts'
import type { CodeRuntime } from '../../definition/code-runtime.ts'
import { CodeModeError } from '../../definition/errors.ts'
import { PRELUDE } from '../../guest/prelude.ts'

export interface InlineOptions {
  /** Must be true: the program can do whatever the host can. */
  trustedCodeOnly: true
}

interface Guest {
  readonly tools: unknown
  readonly console: unknown
  readonly ToolError: unknown
  run(program: () => Promise<unknown>): Promise<void>
  settle(seq: number, ok: boolean, text: string): void
}

type HostFunction = (op: string, ...args: readonly unknown[]) => void

/** Throws `CODE_INVALID_OPTION` unless `trustedCodeOnly` is true. */
export function createInlineRuntime(options: InlineOptions): CodeRuntime {
  if (options?.trustedCodeOnly !== true) {
    throw new CodeModeError(
      'CODE_INVALID_OPTION',
      'the inline runtime has no sandbox: build it with { trustedCodeOnly: true } or use another',
    )
  }
  const pool = new GuestPool({ start: startInline, size: 64 })
  return {
    id: 'inline',
    language: 'typescript',
    isolation: { boundary: 'none', preemptible: false, memory: 'none', snapshot: false },
    run: (request) => pool.run(request),
    dispose: () => pool.dispose(),
  }
}

function startInline(events: PeerEvents): GuestPeer {
  let current: InlineRun | undefined
  const tell = (message: object): void => queueMicrotask(() => events.message(message))
  tell({ type: 'ready' })
  return {
    post(message) {
      if (message.type === 'run') current = new InlineRun(message, tell)
      else if (message.type === 'answer') current?.answer(message)
      else current?.end({ kind: 'abort' })
    },
    kill: () => {
      current?.abandon()
      return Promise.resolve()
    },
    hold: () => undefined,
  }
}

/** What a program must not see by accident; on purpose it can, as nothing stands between. */
const HIDDEN = ['process', 'fetch', 'setTimeout', 'setInterval', 'setImmediate', 'require', 'Buffer', 'WebSocket', 'XMLHttpRequest']

class InlineRun {
  readonly #run: number
  readonly #tell: (message: object) => void
  readonly #guest: Guest
  #heard = 1
  #open = 0
  #over = false

  constructor(order: Extract<HostMessage, { type: 'run' }>, tell: (message: object) => void) {
    this.#run = order.run
    this.#tell = tell
    const host: HostFunction = (op, ...args) => this.#hear(op, args)
    this.#guest = evaluate<(host: HostFunction, limits: object) => Guest>(PRELUDE)(host, order.limits)
    try {
      const wrap = evaluate<(...values: unknown[]) => () => Promise<unknown>>(programText(order.code))
      void this.#guest.run(wrap(this.#guest.tools, this.#guest.console, this.#guest.ToolError))
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error))
      this.end({ kind: 'syntax', text: JSON.stringify({ name, message, line: 0 }) })
    }
    this.#rest()
  }

  answer({ seq, ok, text }: Extract<HostMessage, { type: 'answer' }>): void {
    if (this.#over) return
    this.#heard += 1
    this.#open -= 1
    this.#guest.settle(seq, ok, text)
    this.#rest()
  }

  end(verdict: { kind: string; text?: string; chars?: number }): void {
    if (this.#over) return
    this.#over = true
    this.#tell({ type: 'end', run: this.#run, busyMs: 0, peakBytes: 0, ...verdict })
    this.#tell({ type: 'ready' })
  }

  abandon(): void {
    this.#over = true
  }

  #hear(op: string, [first, second, third, fourth]: readonly unknown[]): void {
    if (this.#over) return
    if (op === 'call') {
      this.#open += 1
      this.#tell({ type: 'call', run: this.#run, seq: first, name: second, text: third, line: fourth })
    } else if (op === 'log') this.#tell({ type: 'log', run: this.#run, entries: [{ level: first, text: second }] })
    else if (op === 'done') this.end({ kind: String(first), text: String(second), ...(typeof third === 'number' ? { chars: third } : {}) })
    else this.end({ kind: String(first) })
  }

  /** When all microtasks have run and nothing is open, nothing can go on. */
  #rest(): void {
    setTimeout(() => {
      if (this.#over) return
      if (this.#open === 0) this.end({ kind: 'deadlock' })
      else this.#tell({ type: 'idle', run: this.#run, heard: this.#heard, busyMs: 0 })
    }, 0)
  }
}

/** On the first line, so that lines stay those of the program. */
function programText(code: string): string {
  return `(function (tools, console, ToolError, ${HIDDEN.join(', ')}) { return ${code}\n})\n//# sourceURL=program`
}

function evaluate<T>(text: string): T {
  // Indirect: the text sees the global scope and nothing of this module.
  // oxlint-disable-next-line no-eval -- running a text is what this provider is for, and why it must be asked for
  const indirect = globalThis.eval
  return indirect(text) as T
}
