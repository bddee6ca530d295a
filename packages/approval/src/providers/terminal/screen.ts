/**
 * A terminal in raw mode for as long as one prompt needs it: keys in, lines out, and the state it was found in afterwards. What was typed before
 * the prompt appeared is read and thrown away.
 */
import { readKeys, type Key } from '../../prompt/line-editor.ts'

/** The streams of a terminal; a `tty.ReadStream` and a `tty.WriteStream`, or what stands in for them. */
export interface TerminalInput extends NodeJS.ReadableStream {
  setRawMode?(on: boolean): unknown
}
export type TerminalOutput = NodeJS.WritableStream & { columns?: number; rows?: number }

export interface Screen {
  write(text: string): void
  readonly columns: number
  /** Undefined: no screen that pages make sense on. */
  readonly rows: number | undefined
  /** The next key. 'closed': the input ended, or the prompt is no longer needed (the signal says which). */
  key(): Promise<Key | { kind: 'closed' }>
  close(): void
}

/** Typed-ahead input arrives at once when it is read; silence this long means that it is all. */
const QUIET_MS = 60
/** Somebody who keeps typing does not keep the prompt away. */
const LONGEST_DRAIN_MS = 500

export async function openScreen(input: TerminalInput, output: TerminalOutput, signal: AbortSignal): Promise<Screen> {
  const waiting: Key[] = []
  let wake: (() => void) | undefined
  const decoder = new TextDecoder()
  const state = { closed: signal.aborted, draining: true, heard: performance.now() }

  const onData = (chunk: Buffer | string): void => {
    state.heard = performance.now()
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    if (!state.draining) waiting.push(...readKeys(text))
    wake?.()
  }
  const onEnd = (): void => {
    state.closed = true
    wake?.()
  }
  const endings = ['end', 'close', 'error'] as const
  input.setRawMode?.(true)
  input.on('data', onData)
  for (const ending of endings) input.on(ending, onEnd)
  signal.addEventListener('abort', onEnd, { once: true })
  input.resume()
  await drain()
  state.draining = false

  return {
    write: (text) => void output.write(text),
    columns: Math.max(20, output.columns ?? 80),
    rows: output.rows,
    async key() {
      for (;;) {
        if (signal.aborted) return { kind: 'closed' }
        const next = waiting.shift()
        if (next !== undefined) return next
        if (state.closed) return { kind: 'closed' }
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    close() {
      input.off('data', onData)
      for (const ending of endings) input.off(ending, onEnd)
      signal.removeEventListener('abort', onEnd)
      if (!state.closed || signal.aborted) input.setRawMode?.(false)
      input.pause()
    },
  }

  async function drain(): Promise<void> {
    const began = performance.now()
    while (!state.closed && performance.now() - began < LONGEST_DRAIN_MS) {
      const left = QUIET_MS - (performance.now() - state.heard)
      if (left > 0) {
        await new Promise((resolve) => setTimeout(resolve, left))
        continue
      }
      // A timer may be late and then come before input that has long been there: two turns of the loop read what the system holds.
      const heard = state.heard
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
      if (heard === state.heard) return
    }
  }
}
