/**
 * The journal on disk: private, readable over damage, shared by processes, bounded (F-60).
 */
import { fork } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { foldRecords } from '../../src/journal/records.ts'
import { createChangeRecorder, createSegmentStore, type JournalStore } from '../../src/providers/change-journal/index.ts'
import type { PendingChange } from '../../src/definition/change-journal.ts'
import { bundled } from './bundle.ts'

const change = (path: string, tag = 'T', before = 'before'): PendingChange => ({
  tag,
  rootCallId: 'r',
  callId: 'c',
  path,
  kind: 'modify',
  before: Buffer.from(before),
  after: Buffer.from('after'),
})

describe('segments', () => {
  let root: string
  let folder: string
  let store: JournalStore
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'toolseam-segments-'))
    folder = join(root, '.toolseam/undo')
    store = createSegmentStore(folder)
  })
  afterEach(async () => {
    await store.close()
    rmSync(root, { recursive: true, force: true })
  })
  const segments = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.log'))

  test('F-60: the state folder is private and ignores itself; segments are 0600', async () => {
    await createChangeRecorder({ store }).begin(change('a'))
    expect(statSync(join(root, '.toolseam')).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(root, '.toolseam/.gitignore'), 'utf8')).toBe('*\n')
    expect(segments()).toHaveLength(1)
    for (const name of segments()) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  test('F-60: what was begun is there for another reader, with its pre-image', async () => {
    const recorded = await createChangeRecorder({ store }).begin(change('a', 'T', 'ü\0\n'))
    const other = createSegmentStore(folder)
    const { entries } = foldRecords(await other.load())
    expect(entries).toMatchObject([{ id: recorded.id, path: 'a', settled: false, undoable: true }])
    expect((await other.payload(recorded.id))?.before).toEqual(Buffer.from('ü\0\n'))
    await recorded.settle({ afterHash: 'f'.repeat(64) })
    expect(foldRecords(await other.load()).entries).toMatchObject([{ settled: true, afterHash: 'f'.repeat(64) }])
    await other.close()
  })

  test('F-60: a dropped change is no entry', async () => {
    const recorded = await createChangeRecorder({ store }).begin(change('a'))
    await recorded.drop()
    expect(foldRecords(await store.load()).entries).toEqual([])
  })

  test.each(['torn in the line', 'torn in the payload', 'garbage behind'])(
    'F-65: a segment that is %s keeps what is whole',
    async (damage) => {
      const recorder = createChangeRecorder({ store })
      await recorder.begin(change('first'))
      const whole = statSync(join(folder, segments()[0] ?? '')).size
      await recorder.begin(change('second', 'T', 'x'.repeat(1000)))
      await store.close()
      const path = join(folder, segments()[0] ?? '')
      if (damage === 'torn in the line') truncateSync(path, whole + 20)
      else if (damage === 'torn in the payload') truncateSync(path, statSync(path).size - 10)
      else appendFileSync(path, 'tsj1 00000000 {"type":"begin"}\nrubbish')
      const { entries } = foldRecords(await createSegmentStore(folder).load())
      expect(entries.map(({ path: one }) => one)).toEqual(damage === 'garbage behind' ? ['first', 'second'] : ['first'])
    },
  )

  test('F-60: many changes at once are all there, in one order', async () => {
    const recorder = createChangeRecorder({ store })
    await Promise.all(Array.from({ length: 50 }, (_, at) => recorder.begin(change(`f${at}`))))
    const { entries } = foldRecords(await createSegmentStore(folder).load())
    expect(entries.map(({ path }) => path)).toEqual(Array.from({ length: 50 }, (_, at) => `f${at}`))
  })

  test('F-60: over the cap the oldest tags go whole, the newest stays', async () => {
    const recorder = createChangeRecorder({ store, maxBytes: 9 * 1024 * 1024 })
    const big = 'x'.repeat(3 * 1024 * 1024)
    for (const [at, tag] of ['T1', 'T1', 'T2', 'T3', 'T4', 'T5', 'T5'].entries()) await recorder.begin(change(`f${at}`, tag, big))
    await expect.poll(async () => (await store.size()) < 12 * 1024 * 1024, { timeout: 10_000 }).toBe(true)
    const tags = foldRecords(await createSegmentStore(folder).load()).entries.map(({ tag }) => tag)
    expect(tags).not.toContain('T1')
    expect(tags.filter((tag) => tag === 'T5')).toHaveLength(2)
  })

  test('F-6: a journal that cannot be written refuses the change', async () => {
    writeFileSync(join(root, '.toolseam'), 'a file in its place')
    await expect(createChangeRecorder({ store }).begin(change('a'))).rejects.toMatchObject({ code: expect.stringMatching(/^FS_/) })
  })

  test('F-17: a link in the place of the state folder is refused', async () => {
    mkdirSync(join(root, 'elsewhere'))
    symlinkSync('elsewhere', join(root, '.toolseam'))
    await expect(createChangeRecorder({ store }).begin(change('a'))).rejects.toMatchObject({ code: expect.stringMatching(/^FS_/) })
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([])
  })

  test('F-60: two processes share one journal', { timeout: 60_000 }, async () => {
    const script = await bundled('append-many.ts')
    const children = ['A', 'B'].map((tag) => fork(script, [folder, tag, '40'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }))
    const recorder = createChangeRecorder({ store })
    for (let at = 0; at < 20; at += 1) await recorder.begin(change(`own${at}`, 'C'))
    const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.once('close', resolve))))
    expect(codes).toEqual([0, 0])
    const { entries } = foldRecords(await store.load())
    for (const [tag, count] of [
      ['A', 40],
      ['B', 40],
      ['C', 20],
    ] as const)
      expect(entries.filter((entry) => entry.tag === tag)).toHaveLength(count)
    for (const entry of entries) expect((await store.payload(entry.id))?.before?.length).toBe(entry.beforeBytes)
  })
})
