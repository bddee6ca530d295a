/**
 * Appends a second, beside plain writes of the same bytes to the same disk.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJsonlJournal } from '@toolseam/journal'

const entry = {
  kind: 'tool/call',
  callId: 'c1',
  rootCallId: 'c1',
  name: 'write',
  arguments: { path: 'src/index.ts', content: 'x'.repeat(180) },
}
const line = Buffer.from(`${JSON.stringify({ v: 1, seq: 1000, at: 1_700_000_000_000, data: entry, sum: '00000000' })}\n`)
const MS = 1500

async function rate(append, each = 1) {
  const end = performance.now() + MS
  const start = performance.now()
  let count = 0
  while (performance.now() < end) {
    await append()
    count += each
  }
  return (count * 1000) / (performance.now() - start)
}

async function plain(folder, sync) {
  const file = await open(join(folder, `plain-${sync}`), 'a')
  const perSecond = await rate(async () => {
    await file.write(line)
    if (sync) await file.datasync()
  })
  await file.close()
  return perSecond
}

async function journalled(folder, fsync, each) {
  const journal = await openJsonlJournal({ path: join(folder, `journal-${fsync}-${each}.jsonl`), fsync })
  const append = each === 1 ? () => journal.append([entry]) : () => Promise.all(Array.from({ length: each }, () => journal.append([entry])))
  const perSecond = await rate(append, each)
  await journal.close()
  return perSecond
}

export async function journalRates() {
  const folder = mkdtempSync(join(tmpdir(), 'toolseam-bench-'))
  try {
    const written = await plain(folder, false)
    const synced = await plain(folder, true)
    const rows = [
      ['plain write', written, written],
      ['journal, never', await journalled(folder, 'never', 1), written],
      ['journal, batch', await journalled(folder, 'batch', 1), written],
      ['plain write + fdatasync', synced, synced],
      ['journal, append', await journalled(folder, 'append', 1), synced],
      ['journal, append, 64 neighbours', await journalled(folder, 'append', 64), synced],
    ]
    return rows.map(([name, perSecond, base]) => ({ name, perSecond, ratio: `${(perSecond / base).toFixed(2)}x` }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
