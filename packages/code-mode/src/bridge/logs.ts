/**
 * What the program printed: the first `logBytes` are kept, the rest is counted.
 */
import type { CodeLogs } from '../definition/code-runtime.ts'
import type { ConsoleEntry } from './messages.ts'

export class LogKeeper {
  readonly #limit: number
  readonly #lines: string[] = []
  #size = 0
  #truncated = false

  constructor(limit: number) {
    this.#limit = limit
  }

  add({ text }: ConsoleEntry): void {
    if (this.#truncated) return
    const left = this.#limit - this.#size
    // In UTF-8 a character of a string takes three bytes at most: measured only where it matters.
    const size = text.length * 3 + 1 <= left ? byteLength(text) + 1 : byteLength(text.slice(0, left + 1)) + 1
    if (size > left + 1) {
      this.#lines.push(cutBytes(text, left))
      this.#size = this.#limit
      this.#truncated = true
      return
    }
    this.#lines.push(text)
    this.#size += size
  }

  result(): CodeLogs {
    return { text: this.#lines.join('\n'), truncated: this.#truncated }
  }
}

const encoder = new TextEncoder()

export function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** The longest beginning of `text` that fits in `bytes`, never splitting a character. */
export function cutBytes(text: string, bytes: number): string {
  const { read } = encoder.encodeInto(text.slice(0, bytes), new Uint8Array(bytes))
  return text.slice(0, read)
}
