/**
 * kill -9 in the middle of a turn, with a real process and a journal on disk (E-49).
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialToolTurnState, recoverTools, reduceTools, replay } from '@toolseam/executor-tool'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, openHouse, openJsonlJournal, readJournalFile } from './fixtures/house.ts'

let folder = ''
let path = ''
let effects = ''

interface Bundler {
  build(options: object): Promise<unknown>
}

/** esbuild as the build tool has it; a child of plain node reads no TypeScript. */
function bundler(): Bundler {
  const require = createRequire(import.meta.url)
  return createRequire(require.resolve('tsup'))('esbuild') as Bundler
}

async function bundle(outfile: string): Promise<void> {
  const root = join(import.meta.dirname, '..', '..', '..')
  const alias = Object.fromEntries(
    ['core-tools', 'executor-tool', 'journal'].map((name) => [`@toolseam/${name}`, join(root, name, 'src', 'index.ts')]),
  )
  await bundler().build({
    entryPoints: [join(import.meta.dirname, 'fixtures', 'house.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    alias,
    logLevel: 'silent',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolseam-crash-'))
  path = join(folder, 'journal.jsonl')
  effects = join(folder, 'effects.txt')
  writeFileSync(effects, '')
  const house = join(folder, 'house.mjs')
  await bundle(house)
  const entry = join(folder, 'child.mjs')
  writeFileSync(entry, `import { dieInTheMiddle } from './house.mjs'\nawait dieInTheMiddle(${JSON.stringify({ path, effects })})\n`)
  const child = fork(entry, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
  await new Promise<void>((resolve, reject) => {
    child.on('exit', () => reject(new Error('the child ended by itself')))
    child.on('message', (message: { kind: string; blocks?: string[] }) => {
      // One call has its result on record, two run.
      if (message.kind === 'state' && message.blocks?.join() === 'settled,running,running,settled') resolve()
    })
  })
  child.removeAllListeners('exit')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('E-49: the journal opens, says which calls are unknown, and replays to the same state', async () => {
  const journal = await openJsonlJournal({ path })
  const recovery = await recoverTools(journal.read())
  expect(recovery.unknown.map((ident) => ident.commandId)).toEqual(['t#1/1', 't#2/1'])
  expect(recovery.rerunnable.map((ident) => ident.commandId)).toEqual(['t#2/2'])
  expect(recovery.results.map(({ result }) => (result.isError ? result.error.details : result.value))).toEqual([
    'done',
    { reason: 'crash', outcome: 'unknown' },
    { reason: 'crash', outcome: 'unknown' },
    'done',
  ])
  const replayed = await replay(journal.read(), { reduce: reduceTools, initial: initialToolTurnState })
  expect(replayed.state).toEqual(recovery.state)
  await journal.close()
})

test('E-49: the calls themselves are on record, each before its body', async () => {
  const kinds: string[] = []
  for await (const { data } of readJournalFile(path)) {
    const entry = data as { kind?: string; callId?: string }
    if (entry.kind?.startsWith('tool/')) kinds.push(`${entry.kind} ${entry.callId}`)
  }
  expect(kinds.filter((line) => line.startsWith('tool/call')).toSorted()).toEqual([
    'tool/call c0',
    'tool/call c1',
    'tool/call c2',
    'tool/call c3',
  ])
  expect(kinds).not.toContain('tool/result c1')
})

test('E-49: nothing is run again by itself; only what is idempotent is, when the caller asks', async () => {
  const before = readFileSync(effects, 'utf8')
  const journal = await openJsonlJournal({ path })
  const recovery = await recoverTools(journal.read())
  await journal.close()
  const { runtime, executor } = await openHouse({ path, effects, hang: false })
  const asked = ['t#1', 't#2', 't#0']
  const outcome = await executor.driver.resume({ recovery, calls, run: asked })
  expect(outcome.results.map((result) => (result.isError ? result.error.code : result.value))).toEqual([
    'done',
    'TOOL_ABORTED',
    'finished',
    'done',
  ])
  expect(readFileSync(effects, 'utf8')).toBe(`${before}fetch\n`)
  const next = await executor.driver.execute({ turnId: 't2', calls: [{ callId: 'n', name: 'quick', arguments: {} }] })
  expect(next.status).toBe('completed')
  await runtime.dispose()
  // What an earlier process left open was closed on record: the whole file replays.
  const { state } = await replay(readJournalFile(path), { reduce: reduceTools, initial: initialToolTurnState })
  expect(state).toMatchObject({ turnId: 't2', told: true })
})
