/**
 * The host's half of one run: starts it on a peer, serves its calls, watches its clocks, and makes the result. Whatever comes after the
 * end is dropped.
 */
import type { JsonValue } from '@toolseam/core-tools'
import type { CodeRunRequest, CodeRunResult } from '../definition/code-runtime.ts'
import type { CodeError, CodeErrorKind } from '../definition/errors.ts'
import { LOG_FLOOD } from '../definition/limits.ts'
import { CallLedger } from './calls.ts'
import { Watchdog, WallClock } from './clocks.ts'
import { cutBytes, LogKeeper } from './logs.ts'
import { type ConsoleEntry, type GuestEnd, type GuestMessage, type HostMessage, readError } from './messages.ts'
import { describeEnd, describeTimeout } from './render-end.ts'

/** How the peer is afterwards: `clean` will say that it is ready, `dirty` must be replaced. */
export type AfterRun = 'clean' | 'dirty'

interface RunOptions {
  readonly id: number
  readonly request: CodeRunRequest
  post(message: HostMessage): void
  /** Called once, with the result in hand. */
  over(result: CodeRunResult, peer: AfterRun): void
}

export class GuestRun {
  readonly #options: RunOptions
  readonly #logs: LogKeeper
  readonly #calls: CallLedger
  readonly #watchdog: Watchdog
  readonly #wall: WallClock
  readonly #startedAt = performance.now()
  readonly #onAbort = (): void => this.#endFromHost({ kind: 'abort' })
  #printed = 0
  #busyMs = 0
  #over = false

  constructor(options: RunOptions) {
    this.#options = options
    const { request } = options
    this.#logs = new LogKeeper(request.limits.logBytes)
    this.#calls = new CallLedger(request, {
      answer: (answer) => this.#post({ type: 'answer', run: options.id, ...answer }),
      asking: (on) => (on ? this.#wall.hold() : this.#wall.release()),
    })
    this.#watchdog = new Watchdog(request.limits.busyMs, () => this.#endFromHost({ kind: 'timeout', limit: 'busy' }))
    this.#wall = new WallClock(request.limits.wallMs, () => this.#endFromHost({ kind: 'timeout', limit: 'wall' }))
  }

  begin(): void {
    const { id, request } = this.#options
    if (request.signal?.aborted === true) return this.#finish({ ok: false, error: this.#error('abort') }, 'clean-unused')
    request.signal?.addEventListener('abort', this.#onAbort, { once: true })
    this.#post({ type: 'run', run: id, code: request.program.code, limits: { ...request.limits, logFlood: LOG_FLOOD } })
  }

  hear(message: GuestMessage): void {
    if (this.#over) return
    if (message.type === 'broken') return this.gone(message.message)
    if (message.type === 'ready' || message.run !== this.#options.id) return
    switch (message.type) {
      case 'call':
        return this.#hearCall(message)
      case 'log':
        for (const entry of message.entries) this.#hearLog(entry)
        return
      case 'idle':
        this.#busyMs = message.busyMs
        return this.#watchdog.idle(message.heard)
      case 'end':
        return this.#hearEnd(message)
      default:
        return message satisfies never
    }
  }

  /** The peer died under the run, or cannot go on. */
  gone(reason: string): void {
    const memory = /out of memory|memory limit/i.test(reason)
    const error = this.#error(memory ? 'memory' : 'engine')
    this.#finish({ ok: false, error: memory ? error : { ...error, message: `${error.message} (${reason})` } }, 'dirty')
  }

  /** The runtime is closed. */
  cancel(): void {
    this.#endFromHost({ kind: 'abort' })
  }

  #hearCall(message: Extract<GuestMessage, { type: 'call' }>): void {
    // The guest keeps these two itself; one that does not is no longer ours.
    if (this.#calls.count >= this.#options.request.limits.calls) return this.#endFromHost({ kind: 'call-limit' })
    if (!this.#calls.take(message)) this.#finish({ ok: false, error: this.#error('engine') }, 'dirty')
  }

  #hearLog(entry: ConsoleEntry): void {
    if (this.#over) return
    const { logBytes } = this.#options.request.limits
    this.#printed += entry.text.length + 1
    this.#logs.add(entry)
    try {
      if (this.#printed <= logBytes) this.#options.request.onConsole({ level: entry.level, text: entry.text })
    } catch {
      // Whoever listens cannot end a run.
    }
    if (this.#printed > logBytes * LOG_FLOOD) this.#endFromHost({ kind: 'output-limit' })
  }

  #hearEnd({ kind, text, chars, busyMs, peakBytes }: GuestEnd): void {
    this.#busyMs = busyMs
    const usage = peakBytes > 0 ? { peakBytes } : {}
    if (kind === 'value') {
      const value = this.#value(text, chars)
      if (value !== undefined) return this.#finish(value, 'clean', usage)
      return this.#finish({ ok: false, error: this.#error('engine') }, 'dirty', usage)
    }
    // After these the machine was thrown away; the peer that held it goes too (C-17).
    const peer = kind === 'timeout' || kind === 'memory' || kind === 'engine' ? 'dirty' : 'clean'
    this.#finish({ ok: false, error: this.#toldError(kind, text) }, peer, usage)
  }

  #value(text: string, chars: number): { ok: true; value: JsonValue; cut?: { chars: number } } | undefined {
    const kept = cutBytes(text, this.#options.request.limits.resultBytes)
    if (kept.length < text.length || chars > text.length) return { ok: true, value: kept, cut: { chars: Math.max(chars, text.length) } }
    try {
      const value: JsonValue = JSON.parse(text)
      return { ok: true, value }
    } catch {
      return undefined
    }
  }

  #toldError(kind: string, text: string): CodeError {
    if (kind === 'exception' || kind === 'tool-error' || kind === 'syntax') return this.#programError(kind, text)
    if (kind === 'timeout') return this.#error('timeout', 'busy')
    if (kind === 'deadlock' || kind === 'memory' || kind === 'output-limit' || kind === 'call-limit' || kind === 'abort')
      return this.#error(kind)
    return this.#error('engine')
  }

  #programError(kind: 'exception' | 'tool-error' | 'syntax', text: string): CodeError {
    const { name, message, line, tool, code } = readError(text)
    // The engine has several names for one thing: no room. The last is what it throws when there is none for the error itself.
    if (name === 'InternalError' && /^(?:out of memory|string too long)$/.test(message)) return this.#error('memory')
    if (name === 'Error' && message === 'thrown: [uninitialized]') return this.#error('memory')
    const source = line > 0 ? this.#options.request.program.source.split('\n')[line - 1] : undefined
    return {
      kind,
      name,
      message,
      ...(source === undefined ? {} : { line, source: source.slice(0, 500) }),
      ...(kind === 'tool-error' ? { tool, code } : {}),
    }
  }

  #error(kind: Exclude<CodeErrorKind, 'syntax' | 'exception' | 'tool-error'>, limit: 'busy' | 'wall' = 'busy'): CodeError {
    const { limits } = this.#options.request
    const message = kind === 'timeout' ? describeTimeout(limit, limits) : describeEnd(kind, limits)
    return { kind, name: 'Error', message }
  }

  #endFromHost({ kind, limit }: { kind: 'abort' | 'timeout' | 'output-limit' | 'call-limit'; limit?: 'busy' | 'wall' }): void {
    if (this.#over) return
    const { id } = this.#options
    // A guest that computes hears nothing: only a kill reaches it.
    const peer = this.#watchdog.armed ? 'dirty' : 'clean'
    if (peer === 'clean') this.#options.post({ type: 'stop', run: id })
    this.#finish({ ok: false, error: this.#error(kind, limit) }, peer)
  }

  #post(message: HostMessage): void {
    if (this.#over) return
    this.#watchdog.posted()
    this.#options.post(message)
  }

  #finish(
    outcome: { ok: true; value: JsonValue; cut?: { chars: number } } | { ok: false; error: CodeError },
    peer: AfterRun | 'clean-unused',
    usage: { peakBytes?: number } = {},
  ): void {
    if (this.#over) return
    this.#over = true
    this.#watchdog.stop()
    this.#wall.stop()
    this.#options.request.signal?.removeEventListener('abort', this.#onAbort)
    const unfinished = this.#calls.close()
    const wallMs = performance.now() - this.#startedAt
    const used = { busyMs: round(this.#busyMs), wallMs: round(wallMs), calls: this.#calls.count, ...usage }
    this.#options.over({ ...outcome, logs: this.#logs.result(), usage: used, unfinished }, peer === 'clean-unused' ? 'clean' : peer)
  }
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
