/**
 * The contract suite on every provider.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryJournal, openJsonlJournal } from '@toolseam/journal'
import { journalContract } from '@toolseam/journal/testing'
import { afterAll } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'toolseam-journal-'))
let made = 0
const nextPath = (): string => join(folder, `${(made += 1)}.jsonl`)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

journalContract({ name: 'memory', open: async () => memoryJournal() })
for (const fsync of ['append', 'batch', 'never'] as const) {
  journalContract({ name: `JSONL, fsync ${fsync}`, open: () => openJsonlJournal({ path: nextPath(), fsync }) })
}
