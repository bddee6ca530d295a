/**
 * Replay: the recorded events are folded again and the commands compared with the recorded ones (E-48). Executors are not called.
 */
import type { JsonValue } from '@toolseam/core-tools'
import { JournalReplayError } from '../../definition/errors.ts'
import type { JournalRecord } from '../../definition/ports.ts'
import type { Reduction } from '../../definition/turn.ts'
import { canonical } from './canonical.ts'

export type JournalRecords = Iterable<JournalRecord> | AsyncIterable<JournalRecord>

export interface ReplayOptions<State, Event, Command> {
  reduce(state: State, event: Event): Reduction<State, Command>
  initial: State
  /** The kernel whose records are folded, where several share the journal. */
  lane?: string
  /** Called after each record that was folded. */
  onRecord?(record: { seq: number; event: Event; state: State }): void
}

/** Throws `JournalReplayError` (`JOURNAL_NONDETERMINISM`, `seq`) at the first difference. */
export async function replay<State, Event, Command>(
  records: JournalRecords,
  { reduce, initial, lane, onRecord }: ReplayOptions<State, Event, Command>,
): Promise<{ state: State; records: number }> {
  let state = initial
  let folded = 0
  for await (const { seq, data } of records) {
    const entry = kernelEntry(data, lane)
    if (entry === undefined) continue
    const event = entry.event as Event
    const reduction = reduceRecorded(() => reduce(state, event), seq)
    if (reduction.refused !== undefined) throw differs(seq, `it refuses the recorded event (${reduction.refused.code})`)
    if (canonical(reduction.commands) !== canonical(entry.commands)) throw differs(seq, 'it gives other commands than the recorded ones')
    state = reduction.state
    folded += 1
    onRecord?.({ seq, event, state })
  }
  return { state, records: folded }
}

function reduceRecorded<State, Command>(reduce: () => Reduction<State, Command>, seq: number): Reduction<State, Command> {
  try {
    return reduce()
  } catch (error) {
    throw differs(seq, `it throws (${String(error)})`)
  }
}

function differs(seq: number, how: string): JournalReplayError {
  return new JournalReplayError(seq, `record ${seq} does not replay with this reducer: ${how}`)
}

/** Entries of another kind, and of other kernels, are passed over. */
function kernelEntry(data: JsonValue, lane: string | undefined): { event: JsonValue; commands: JsonValue } | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined
  const { event, commands } = data
  if (event === undefined || !Array.isArray(commands) || data['lane'] !== lane) return undefined
  return { event, commands }
}
