/**
 * Observations on disk (F-25), best effort: one file an agent below `observations/` of the state folder, written a moment after they
 * change and when the file system is closed. What cannot be read or written is forgotten, never an error.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseVersion } from '../../definition/versions.ts'
import type { AgentRecords, ObservationKeeper, ObservationRecord } from '../common/observations.ts'
import { prepareStateFolder } from './state-folder.ts'

const DELAY_MS = 50
const FORMAT = 1

export interface DiskKeeper extends ObservationKeeper {
  /** Everything noted until now is on disk. */
  flush(): Promise<void>
}

export function observationKeeper(stateDir: string): DiskKeeper {
  const waiting = new Map<string, AgentRecords>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = (): Promise<void> => {
    timer = undefined
    const batch = [...waiting]
    waiting.clear()
    writing = writing.then(async () => {
      for (const [agent, records] of batch) await writeRecords(stateDir, agent, records).catch(() => undefined)
    })
    return writing
  }
  return {
    load: (agent) => readRecords(stateDir, agent),
    changed(agent, records) {
      waiting.set(agent, records)
      timer ??= setTimeout(() => void write(), DELAY_MS)
    },
    async flush() {
      if (timer !== undefined) clearTimeout(timer)
      await write()
    },
  }
}

function fileOf(stateDir: string, agent: string): string {
  const name = agent === '' ? '_' : /^[A-Za-z0-9-]{1,64}$/.test(agent) ? agent : createHash('sha256').update(agent).digest('hex')
  return join(stateDir, 'observations', `${name}.json`)
}

async function writeRecords(stateDir: string, agent: string, records: AgentRecords): Promise<void> {
  prepareStateFolder(stateDir, 'observations')
  const path = fileOf(stateDir, agent)
  const temp = `${path}.${process.pid}.tmp`
  await writeFile(temp, JSON.stringify({ format: FORMAT, agent, records: [...records] }), { mode: 0o600 })
  await rename(temp, path)
}

function readRecords(stateDir: string, agent: string): AgentRecords {
  const records: AgentRecords = new Map()
  try {
    const parsed: unknown = JSON.parse(readFileSync(fileOf(stateDir, agent), 'utf8'))
    if (!isRecord(parsed) || parsed['format'] !== FORMAT || parsed['agent'] !== agent || !Array.isArray(parsed['records'])) return records
    for (const pair of parsed['records']) {
      if (!Array.isArray(pair) || typeof pair[0] !== 'string') continue
      const record = recordOf(pair[1])
      if (record !== undefined) records.set(pair[0], record)
    }
  } catch {
    // Nothing kept, or damaged: everything has to be read again, which is safe.
  }
  return records
}

/** A record as far as it holds what it should; others may have written the file. */
function recordOf(value: unknown): ObservationRecord | undefined {
  if (!isRecord(value) || typeof value['at'] !== 'number') return undefined
  const version = typeof value['version'] === 'string' ? parseVersion(value['version']) : undefined
  const named = value['named'] === true ? true : typeof value['named'] === 'string' ? parseVersion(value['named']) : undefined
  const seen = seenOf(value['seen'])
  return {
    at: value['at'],
    ...(version === undefined || seen === undefined ? {} : { version, seen }),
    ...(named === undefined ? {} : { named }),
  }
}

function seenOf(value: unknown): ObservationRecord['seen'] {
  if (value === 'whole') return 'whole'
  if (!Array.isArray(value)) return undefined
  const ranges = value.filter(
    (range): range is [number, number] => Array.isArray(range) && range.every((each) => typeof each === 'number') && range.length === 2,
  )
  return ranges.length === value.length ? ranges : undefined
}

function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}
