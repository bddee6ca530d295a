/**
 * kill -9 between the journal and the rename, and right behind the rename (F-65): the next start settles it, and undo is right.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createChangeJournal,
  createSegmentStore,
  createTempSweep,
  type OpenChangeJournal,
} from '../../src/providers/change-journal/index.ts'
import { isTempName } from '../../src/providers/rooted/atomic.ts'
import { createRootedFileSystem, type RootedFileSystem } from '../../src/providers/rooted/index.ts'
import { bundled } from './bundle.ts'

let program: string
let root: string
let fileSystem: RootedFileSystem | undefined

beforeAll(async () => {
  program = await bundled('die-in-write.ts')
}, 60_000)
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'toolseam-crash-')))
  writeFileSync(join(root, 'a.txt'), 'old content\n')
  writeFileSync(join(root, '.a.txt.notours.tmp'), 'not ours\n')
})
afterEach(async () => {
  await fileSystem?.close()
  rmSync(root, { recursive: true, force: true })
})

async function crash(moment: string, act: string): Promise<void> {
  const child = spawn(process.execPath, [program, root, moment, act], { stdio: ['ignore', 'ignore', 'inherit'] })
  const signal = await new Promise((resolve) => child.once('close', (_code, by) => resolve(by)))
  expect(signal).toBe('SIGKILL')
}

async function restart(): Promise<OpenChangeJournal> {
  const store = createSegmentStore(join(root, '.toolseam/undo'))
  fileSystem = await createRootedFileSystem({ root, persist: false })
  const journal = createChangeJournal({ store, fileSystem, sweepTemp: createTempSweep({ ground: fileSystem.ground, isTempName }) })
  await journal.settleUnfinished()
  return journal
}

const names = (): string[] =>
  readdirSync(root)
    .filter((name) => name !== '.toolseam')
    .toSorted()

test.each(['write', 'create', 'deep', 'delete', 'move'])(
  'F-65: killed before the change of a %s: the file is whole, the entry gone, no litter',
  async (act) => {
    await crash('before', act)
    const journal = await restart()
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old content\n')
    expect(names()).toEqual(['.a.txt.notours.tmp', 'a.txt'])
    expect(await journal.entries()).toEqual([])
    expect((await journal.revert({ tag: 'T' })).files).toEqual([])
  },
)

test.each(['write', 'create', 'delete', 'move'])(
  'F-65: killed right after the change of a %s: it is an entry, and can be taken back',
  async (act) => {
    await crash('after', act)
    const journal = await restart()
    expect(await journal.entries()).toMatchObject([{ settled: true, tag: 'T' }])
    const report = await journal.revert({ tag: 'T' })
    expect(report.kept).toEqual([])
    expect(report.applied).toBe(true)
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old content\n')
    expect(existsSync(join(root, 'new.txt'))).toBe(false)
    expect(names()).toEqual(['.a.txt.notours.tmp', 'a.txt'])
  },
)

test('F-65: an entry of a process that lives is left to it', async () => {
  const store = createSegmentStore(join(root, '.toolseam/undo'))
  await store.append(
    {
      type: 'begin',
      id: store.newId(),
      time: 1,
      tag: 'T',
      rootCallId: 'r',
      callId: 'c',
      path: 'a.txt',
      kind: 'create',
      entryKind: 'file',
      undoable: true,
    },
    { durable: true },
  )
  const journal = await restart()
  expect(await journal.entries()).toMatchObject([{ settled: false }])
  await store.close()
})
