/**
 * The kernel: one event at a time is reduced, recorded, committed, and only then are its commands handed over. Promises: an event that could
 * not be recorded is not committed and its commands are not handed over; a stop overtakes everything that waits and is executed all the same.
 */
import type { JournalPort } from './ports.ts'
import type { Reduction } from './turn.ts'

export interface KernelOptions<State, Event, Command> {
  reduce(state: State, event: Event): Reduction<State, Command>
  initial: State
  journal?: JournalPort
  /** Not awaited. A throw or a rejection becomes an event (`executor.failed`). */
  execute(command: Command): Promise<void> | void
  /** Urgent events overtake all waiting ordinary ones. Default: `kind` is `stop.requested`. */
  urgent?(event: Event): boolean
  /** Ordinary events that may wait. Default 65 536; beyond it `post` rejects with `KERNEL_FULL`. */
  maxQueued?: number
  /** What the failure of a command is told as. Default `{ kind: 'executor.failed', command, error: { code, message } }`. */
  failed?(command: Command, error: { code: string; message: string }): Event
  /** Names the records of this kernel where several share one journal. */
  lane?: string
}

export interface Kernel<State, Event> {
  /** Resolves after the commit. */
  post(event: Event): Promise<{ refused?: { code: string } }>
  readonly state: State
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
  /** Takes nothing more, finishes what waits. */
  close(): Promise<void>
}
