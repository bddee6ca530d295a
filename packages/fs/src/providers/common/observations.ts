/**
 * What each agent has seen (F-20 to F-25). A record keeps the version that was read and which bytes of it, and beside it the last
 * version under which a listing named the file. Records are bounded; those that only name go first.
 */
import type { Observation, Observations } from '../../definition/file-system.ts'
import { isStale, versionSize, type Version } from '../../definition/versions.ts'

export interface ObservationRecord {
  version?: Version
  /** Byte ranges, merged and sorted; `whole` when they cover the file. */
  seen?: 'whole' | [number, number][]
  /** True when the file was named without a version. */
  named?: Version | true
  /** Order of notes, for choosing among ancestors. */
  at: number
}

export type AgentRecords = Map<string, ObservationRecord>

/** Where records outlive the process; best effort (F-25). */
export interface ObservationKeeper {
  load(agent: string): AgentRecords
  changed(agent: string, records: AgentRecords): void
}

export interface ObservationBook {
  view(agent: string | undefined): Observations
  record(agent: string | undefined, target: { key: string; absolute: string }): ObservationRecord | undefined
}

const MOST_RECORDS = 5000

export interface BookOptions {
  /** Scopes from root to the agent itself; default only the agent. */
  lineage?: ((agent: string) => readonly string[]) | undefined
  keeper?: ObservationKeeper | undefined
}

export function observationBook({ lineage, keeper }: BookOptions = {}): ObservationBook {
  const books = new Map<string, AgentRecords>()
  let clock = Date.now()

  const recordsOf = (agent: string): AgentRecords => {
    let records = books.get(agent)
    if (records === undefined) {
      records = keeper?.load(agent) ?? new Map<string, ObservationRecord>()
      for (const { at } of records.values()) clock = Math.max(clock, at)
      books.set(agent, records)
    }
    return records
  }

  /** The agent's own record, else the nearest ancestor's; of those the latest noted. */
  const record: ObservationBook['record'] = (agent, target) => {
    const chain = agent === undefined ? [''] : (lineage?.(agent) ?? [agent])
    let latest: ObservationRecord | undefined
    for (const each of chain) {
      const records = recordsOf(each)
      const found = records.get(target.key) ?? records.get(target.absolute)
      if (found !== undefined && (latest === undefined || found.at > latest.at)) latest = found
    }
    return latest
  }

  const view: ObservationBook['view'] = (agent) => ({
    get(target) {
      const found = record(agent, target)
      return found === undefined ? undefined : observationOf(found)
    },
    note(target, observation) {
      const records = recordsOf(agent ?? '')
      clock += 1
      const next = merged(records.get(target.key) ?? records.get(target.absolute), observation, clock)
      for (const key of new Set([target.key, target.absolute])) {
        records.delete(key)
        records.set(key, next)
      }
      if (records.size > MOST_RECORDS) dropOldest(records)
      keeper?.changed(agent ?? '', records)
    },
    forget(target) {
      const records = recordsOf(agent ?? '')
      records.delete(target.key)
      records.delete(target.absolute)
      keeper?.changed(agent ?? '', records)
    },
  })
  return { view, record }
}

function observationOf(record: ObservationRecord): Observation | undefined {
  if (record.version !== undefined && record.seen !== undefined) return { version: record.version, seen: record.seen }
  return record.named === undefined ? undefined : { seen: 'named', ...(record.named === true ? {} : { version: record.named }) }
}

function merged(known: ObservationRecord | undefined, observation: Observation, at: number): ObservationRecord {
  if (observation.seen === 'named') return { ...known, named: observation.version ?? true, at }
  const { version, seen } = observation
  if (version === undefined) return { ...known, at }
  const kept = known?.version !== undefined && !isStale(known.version, version) ? known.seen : undefined
  return { version, seen: mergeRanges(kept, seen, versionSize(version)), at }
}

function mergeRanges(
  kept: ObservationRecord['seen'],
  seen: Exclude<Observation['seen'], 'named'>,
  size: number,
): 'whole' | [number, number][] {
  if (kept === 'whole' || seen === 'whole') return 'whole'
  const sorted = [...(kept ?? []), ...seen].map(([start, end]): [number, number] => [start, end]).sort((a, b) => a[0] - b[0])
  const ranges: [number, number][] = []
  for (const [start, end] of sorted) {
    const last = ranges.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else ranges.push([start, end])
  }
  const [only] = ranges
  return only !== undefined && only[0] <= 0 && only[1] >= size ? 'whole' : ranges
}

function dropOldest(records: AgentRecords): void {
  for (const wanted of ['named', 'any'] as const) {
    for (const [key, { seen }] of records) {
      if (records.size <= MOST_RECORDS * 0.9) return
      if (wanted === 'any' || seen === undefined) records.delete(key)
    }
  }
}
