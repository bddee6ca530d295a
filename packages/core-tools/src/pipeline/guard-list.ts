/**
 * The guards of one layer.
 */
import type { ToolGuard } from '../contracts/decisions.ts'
import { createDisposer, type Disposer } from '../contracts/disposer.ts'
import { ErrorCode, ToolSeamError } from '../contracts/errors.ts'

export interface GuardEntry {
  readonly guard: ToolGuard
  readonly name: string
}

export class GuardList {
  /** Replaced, never edited: a run in progress keeps the list that it began with. */
  #entries: readonly GuardEntry[] = []

  get entries(): readonly GuardEntry[] {
    return this.#entries
  }

  add(guard: ToolGuard, options: { name?: string } = {}): Disposer {
    if (typeof guard !== 'function') throw refused('a guard must be a function')
    const given: unknown = options?.name
    if (given !== undefined && (typeof given !== 'string' || given === '')) throw refused('the name of a guard must be a non-empty string')
    const entry: GuardEntry = { guard, name: typeof given === 'string' ? given : nameOf(guard) }
    this.#entries = [...this.#entries, entry]
    return createDisposer(() => {
      this.#entries = this.#entries.filter((other) => other !== entry)
    })
  }
}

function nameOf(guard: ToolGuard): string {
  const name: unknown = guard.name
  return typeof name === 'string' && name !== '' ? name : 'guard'
}

function refused(message: string): ToolSeamError {
  return new ToolSeamError(ErrorCode.INVALID_REGISTRATION, message)
}
