/**
 * The journal on disk: what a crash, a second writer and a damaged file do to it.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journalFiles, openJsonlJournal, readJournalFile, readJournalFolder, type Journal, type JournalEntry } from '@toolseam/journal'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder = ''
let path = ''
const open: Journal[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolseam-journal-'))
  path = join(folder, 'log.jsonl')
})

afterEach(async () => {
  for (const journal of open.splice(0)) await journal.close()
  rmSync(folder, { recursive: true, force: true })
})

async function opened(file = path): Promise<Journal> {
  const journal = await openJsonlJournal({ path: file })
  open.push(journal)
  return journal
}

async function collect(entries: AsyncIterable<JournalEntry>): Promise<JournalEntry[]> {
  const all: JournalEntry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}

/** A file of three records; gives its bytes. */
async function threeRecords(): Promise<Buffer> {
  const journal = await openJsonlJournal({ path })
  await journal.append([{ n: 1 }, { n: 2 }, { text: 'the last one, with ä' }])
  await journal.close()
  return readFileSync(path)
}

test('E-47: a record is one line of v, seq, at, data and sum', async () => {
  await threeRecords()
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  const record = JSON.parse(lines[1] ?? '') as { [key: string]: unknown }
  expect(Object.keys(record)).toEqual(['v', 'seq', 'at', 'data', 'sum'])
  expect(record).toMatchObject({ v: 1, seq: 2, data: { n: 2 }, sum: expect.stringMatching(/^[0-9a-f]{8}$/) })
  expect(statSync(path).mode & 0o077).toBe(0)
})

test('E-47: numbers go on where the file ends', async () => {
  await threeRecords()
  const journal = await opened()
  expect(journal.recovered.tornBytes).toBe(0)
  expect(await journal.append(['next'])).toEqual({ first: 4, last: 4 })
  expect((await collect(journal.read())).map((entry) => entry.seq)).toEqual([1, 2, 3, 4])
})

test('E-47: a tail torn at any byte of the last record is cut off, kept beside the file and counted', async () => {
  const whole = await threeRecords()
  const start = whole.subarray(0, whole.length - 1).lastIndexOf(0x0a) + 1
  for (let end = start + 1; end < whole.length; end += 1) {
    writeFileSync(path, whole.subarray(0, end))
    rmSync(`${path}.torn`, { force: true })
    const journal = await openJsonlJournal({ path, fsync: 'never' })
    expect(journal.recovered.tornBytes, `torn at ${end}`).toBe(end - start)
    expect(readFileSync(`${path}.torn`)).toEqual(whole.subarray(start, end))
    expect((await collect(journal.read())).map((entry) => entry.data)).toEqual([{ n: 1 }, { n: 2 }])
    expect(await journal.append(['after'])).toEqual({ first: 3, last: 3 })
    await journal.close()
  }
})

test('E-47: a last record damaged at any byte is cut off', async () => {
  const whole = await threeRecords()
  const start = whole.subarray(0, whole.length - 1).lastIndexOf(0x0a) + 1
  for (let at = start; at < whole.length - 1; at += 1) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 0x01
    if (damaged[at] === 0x0a) continue
    writeFileSync(path, damaged)
    const journal = await openJsonlJournal({ path, fsync: 'never' })
    expect(journal.recovered.tornBytes, `damaged at ${at}`).toBe(whole.length - start)
    expect(await collect(journal.read())).toHaveLength(2)
    await journal.close()
  }
})

test('E-47: damage in the middle is refused, never skipped, and nothing is changed', async () => {
  const whole = await threeRecords()
  const damaged = Buffer.from(whole)
  const at = damaged.indexOf('"n":2') + 4
  damaged[at] = '3'.charCodeAt(0)
  writeFileSync(path, damaged)
  await expect(openJsonlJournal({ path })).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT', facts: { seq: 2 } })
  expect(readFileSync(path)).toEqual(damaged)
  await expect(collect(readJournalFile(path))).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
  // The lock of the refused open is gone: the file can be opened once it is mended.
  writeFileSync(path, whole)
  await opened()
})

test('E-47: a record that is missing in the middle is damage', async () => {
  const lines = (await threeRecords()).toString('utf8').split('\n')
  writeFileSync(path, [lines[0], lines[2], ''].join('\n'))
  await expect(openJsonlJournal({ path })).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
})

test('E-47: an unknown version is refused', async () => {
  writeFileSync(path, `${JSON.stringify({ v: 2, anything: 'else' })}\n`)
  await expect(openJsonlJournal({ path })).rejects.toMatchObject({ code: 'JOURNAL_VERSION', facts: { version: 2 } })
  expect(readFileSync(path, 'utf8')).toContain('"v":2')
})

test('E-47: a second writer is refused, also of the same process, until the first has closed', async () => {
  const first = await openJsonlJournal({ path })
  await expect(openJsonlJournal({ path })).rejects.toMatchObject({ code: 'JOURNAL_LOCKED', facts: { owner: { pid: process.pid } } })
  await first.close()
  await opened()
  expect(readdirSync(folder).filter((name) => name.includes('.lock'))).toHaveLength(1)
})

test('E-47: of many that open at once exactly one wins', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => openJsonlJournal({ path })))
  const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  open.push(...won)
  expect(won).toHaveLength(1)
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'JOURNAL_LOCKED' })
})

test("E-47: a living process's lock stands, a dead owner's is taken over", async () => {
  await threeRecords()
  const dead = Number(execFileSync(process.execPath, ['-e', 'console.log(process.pid)'], { encoding: 'utf8' }))
  writeFileSync(`${path}.lock-7`, JSON.stringify({ pid: process.ppid, nonce: 'x' }))
  await expect(openJsonlJournal({ path })).rejects.toMatchObject({ code: 'JOURNAL_LOCKED', facts: { owner: { pid: process.ppid } } })
  writeFileSync(`${path}.lock-7`, JSON.stringify({ pid: dead, nonce: 'x' }))
  await opened()
  expect(existsSync(`${path}.lock-7`)).toBe(false)
})

test('E-47: the lock of an earlier process with our own id is no lock of ours', async () => {
  writeFileSync(`${path}.lock-1`, JSON.stringify({ pid: process.pid, nonce: 'of long ago' }))
  await opened()
})

test('E-47: a file that was cut under its writer is told, never read over', async () => {
  const journal = await opened()
  await journal.append(['before'])
  const size = statSync(path).size
  truncateSync(path, size - 3)
  await journal.append(['after'])
  await expect(collect(journal.read())).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' })
})

test('a reader of a file that is being written takes no lock and does not see a line before it is whole', async () => {
  const journal = await opened()
  await journal.append(['a', 'b'])
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"v":1,"seq":3,"at"`)
  expect((await collect(readJournalFile(path))).map((entry) => entry.data)).toEqual(['a', 'b'])
  expect((await collect(readJournalFile(path, { from: 2 }))).map((entry) => entry.data)).toEqual(['b'])
})

test('following a file of another writer sees what is appended', async () => {
  const journal = await opened()
  await journal.append([1])
  const control = new AbortController()
  const seen: unknown[] = []
  const following = (async () => {
    for await (const { data } of readJournalFile(path, { follow: true, signal: control.signal })) {
      seen.push(data)
      if (data === 1) await journal.append([2, 3])
      if (data === 3) control.abort()
    }
  })()
  await following
  expect(seen).toEqual([1, 2, 3])
})

test('the journals of a folder are read together, by time', async () => {
  let now = 1000
  const clock = (): number => now
  const first = await openJsonlJournal({ path: join(folder, 'a.jsonl'), now: clock })
  const second = await openJsonlJournal({ path: join(folder, 'b.jsonl'), now: clock })
  await first.append(['a1'])
  now = 2000
  await second.append(['b1'])
  now = 3000
  await first.append(['a2'])
  await first.close()
  await second.close()
  expect((await readJournalFolder(folder)).map(({ file, data }) => `${file} ${String(data)}`)).toEqual([
    'a.jsonl a1',
    'b.jsonl b1',
    'a.jsonl a2',
  ])
  expect(await journalFiles(folder)).toHaveLength(2)
  expect(await readJournalFolder(join(folder, 'nowhere'))).toEqual([])
})

test('a line longer than any buffer is one record', async () => {
  const journal = await opened()
  const text = 'x'.repeat(300_000)
  await journal.append([{ text }, 'small'])
  expect((await collect(journal.read())).map((entry) => entry.data)).toEqual([{ text }, 'small'])
})
