/**
 * Both stores against the one contract; the durable one over two openings of one folder.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { openFilesStore } from '../../src/providers/files-store/files-store.ts'
import { memoryStore } from '../../src/providers/memory-store/memory-store.ts'
import { runStoreContract } from '../../src/testing.ts'

describe('A-30: memory', () => {
  runStoreContract(async () => memoryStore())
})

describe('A-29: files', () => {
  let base = ''
  let opened = 0
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'toolseam-store-'))
  })
  afterAll(async () => rm(base, { recursive: true, force: true }))
  const open = async () =>
    openFilesStore({ path: join(base, String(opened), '.toolseam', 'approvals'), userPath: join(base, String(opened), 'user') })

  runStoreContract(
    async () => {
      opened++
      return open()
    },
    { again: async () => open() },
  )
})
