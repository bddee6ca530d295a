/**
 * What goes over the boundary. The host believes nothing it hears: each message is rebuilt from own properties of the right type, or
 * dropped (C-6).
 */
import type { CodeLimits } from '../definition/limits.ts'

/** What the host tells. `run` numbers the runs of one peer. */
export type HostMessage =
  | { readonly type: 'run'; readonly run: number; readonly code: string; readonly limits: CodeLimits & { readonly logFlood: number } }
  | { readonly type: 'answer'; readonly run: number; readonly seq: number; readonly ok: boolean; readonly text: string }
  | { readonly type: 'stop'; readonly run: number }

export interface ConsoleEntry {
  readonly level: string
  readonly text: string
}

export interface GuestEnd {
  readonly type: 'end'
  readonly run: number
  readonly kind: string
  readonly text: string
  /** Length of the whole value, where `text` is only its beginning. */
  readonly chars: number
  readonly busyMs: number
  readonly peakBytes: number
}

export type GuestMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'broken'; readonly message: string }
  | {
      readonly type: 'call'
      readonly run: number
      readonly seq: number
      readonly name: string
      readonly text: string
      readonly line: number
    }
  | { readonly type: 'log'; readonly run: number; readonly entries: readonly ConsoleEntry[] }
  | { readonly type: 'idle'; readonly run: number; readonly heard: number; readonly busyMs: number }
  | GuestEnd

/** The message, rebuilt; undefined for anything that is none. */
export function readMessage(raw: unknown): GuestMessage | undefined {
  const type = own(raw, 'type')
  const run = count(own(raw, 'run'))
  if (type === 'ready') return { type }
  if (type === 'broken') return { type, message: text(own(raw, 'message')).slice(0, 1000) }
  if (run === undefined) return undefined
  if (type === 'log') return { type, run, entries: readEntries(own(raw, 'entries')) }
  if (type === 'idle') {
    const heard = count(own(raw, 'heard'))
    return heard === undefined ? undefined : { type, run, heard, busyMs: amount(own(raw, 'busyMs')) }
  }
  if (type === 'call') {
    const seq = count(own(raw, 'seq'))
    const name = own(raw, 'name')
    const args = own(raw, 'text')
    if (seq === undefined || typeof name !== 'string' || typeof args !== 'string') return undefined
    return { type, run, seq, name, text: args, line: count(own(raw, 'line')) ?? 0 }
  }
  if (type !== 'end') return undefined
  const numbers = { chars: amount(own(raw, 'chars')), busyMs: amount(own(raw, 'busyMs')), peakBytes: amount(own(raw, 'peakBytes')) }
  return { type, run, kind: text(own(raw, 'kind')), text: text(own(raw, 'text')), ...numbers }
}

/** Facts of an error as the guest told them; lengths are bounded, as they end in a message to the model. */
export interface GuestError {
  readonly name: string
  readonly message: string
  readonly line: number
  readonly tool: string
  readonly code: string
}

export function readError(json: string): GuestError {
  const raw = parsed(json)
  const field = (key: string, most: number): string => text(own(raw, key)).slice(0, most)
  return {
    name: field('name', 100) || 'Error',
    message: field('message', 8000),
    line: count(own(raw, 'line')) ?? 0,
    tool: field('tool', 128),
    code: field('code', 128),
  }
}

function readEntries(raw: unknown): ConsoleEntry[] {
  if (!Array.isArray(raw)) return []
  return raw.flatMap((entry: unknown) => {
    const level = own(entry, 'level')
    const line = own(entry, 'text')
    return typeof level === 'string' && typeof line === 'string' ? [{ level, text: line }] : []
  })
}

function own(raw: unknown, key: string): unknown {
  if (typeof raw !== 'object' || raw === null) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(raw, key)?.value
  return value
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
