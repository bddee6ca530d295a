/**
 * The service that runs one program. It knows one function, `call(name, args)`; names, schemas, policy and search stay outside (C-6).
 *
 * Promises of every provider, as far as its `isolation` says so:
 * - `run` rejects only on misuse (a closed runtime, a request that is none). Whatever a program does is a value.
 * - The program reaches nothing but the language, `tools`, `console` and `ToolError`.
 * - Each call is answered once; what was not awaited when the program ended is cancelled through its signal and listed in `unfinished`.
 * - Nothing of one run is seen by the next.
 * - `dispose` ends every run (kind `abort`) and resolves when all of them are over.
 */
import { defineService, type JsonValue, type ServiceToken } from '@toolseam/core-tools'
import type { CodeError } from './errors.ts'
import type { CodeLimits } from './limits.ts'

/** What a provider can promise. Honest: what is not promised here must not be relied on. */
export interface CodeIsolation {
  /** What stands between program and host. `none`: the program is code of the host. */
  readonly boundary: 'none' | 'wasm' | 'isolate' | 'process'
  /** A program that computes without end can be stopped. */
  readonly preemptible: boolean
  /** `hard`: the limit holds; `soft`: looked at now and then; `none`: there is none. */
  readonly memory: 'hard' | 'soft' | 'none'
  /** A waiting program can be frozen and resumed elsewhere. */
  readonly snapshot: boolean
}

/** A program that was parsed and stripped of types, its lines unchanged. Made by `prepareProgram`. */
export interface PreparedProgram {
  /** One expression of plain JavaScript: an async function without parameters. */
  readonly code: string
  /** What the model wrote, without Markdown fences: lines in errors are lines of this. */
  readonly source: string
}

export interface CodeCall {
  /** From 1, in the order of submission. */
  readonly seq: number
  readonly name: string
  readonly args: JsonValue
  /** Line of the call in the source. */
  readonly line?: number
  /** To be told while only a human's answer is outstanding: the wall limit stands still meanwhile (C-16). */
  onAsk(asking: boolean): void
}

export type CodeCallAnswer =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }

export interface CodeRunRequest {
  readonly program: PreparedProgram
  /** `signal` aborts when the run is over. */
  call(call: CodeCall, signal: AbortSignal): Promise<CodeCallAnswer>
  onConsole(entry: { level: string; text: string }): void
  readonly limits: CodeLimits
  readonly signal?: AbortSignal
}

export interface CodeLogs {
  readonly text: string
  readonly truncated: boolean
}

/** Times in ms. `peakBytes`: largest memory of the guest, where the provider can tell. */
export interface CodeUsage {
  readonly busyMs: number
  readonly wallMs: number
  readonly calls: number
  readonly peakBytes?: number
}

export type CodeRunResult = {
  readonly logs: CodeLogs
  readonly usage: CodeUsage
  /** `seq` of the calls that were open when the program ended. */
  readonly unfinished: readonly number[]
} & (
  | {
      readonly ok: true
      readonly value: JsonValue
      /** The value was larger than `resultBytes`: `value` is the beginning of its JSON text, which had `chars` characters. */
      readonly cut?: { readonly chars: number }
    }
  | { readonly ok: false; readonly error: CodeError }
)

export interface CodeRuntime {
  readonly id: string
  readonly language: 'typescript'
  readonly isolation: CodeIsolation
  run(request: CodeRunRequest): Promise<CodeRunResult>
  /** Awaits the end of every run. May be called again. */
  dispose(): Promise<void>
}

export const CodeRuntime: ServiceToken<CodeRuntime> = defineService<CodeRuntime>('toolseam/code-runtime', {
  package: '@toolseam/code-mode',
})
