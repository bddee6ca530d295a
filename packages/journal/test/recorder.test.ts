/**
 * The recorder plugin in a real runtime.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToolRuntime, type JsonValue, type ToolRuntime, type ToolRuntimeOptions } from '@toolseam/core-tools'
import { Journal, journal, type JournalOptions, memoryJournal, readJournalFolder } from '@toolseam/journal'
import { afterEach, expect, test, vi } from 'vitest'

const folders: string[] = []
const runtimes: ToolRuntime[] = []

afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.dispose()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolseam-recorder-'))
  folders.push(folder)
  return folder
}

async function runtimeWith(options: JournalOptions, more: ToolRuntimeOptions = {}): Promise<ToolRuntime> {
  const runtime = await createToolRuntime({ plugins: [journal(options)], ...more })
  runtimes.push(runtime)
  runtime.register({ name: 'echo', description: 'Echoes.', input: { type: 'object' }, execute: (input) => input as JsonValue })
  runtime.register({
    name: 'login',
    description: 'Logs in.',
    input: { type: 'object', properties: { password: { type: 'string' } } },
    describeCall: () => ({ title: 'login', kind: 'other', sensitive: ['/password'] }),
    execute: (input) => `logged in with ${String((input as { password?: string }).password)}`,
  })
  runtime.register({
    name: 'nest',
    description: 'Calls another.',
    input: { type: 'object' },
    execute: async (_input, context) => {
      await context.call('echo', { inner: true })
      return 'done'
    },
  })
  return runtime
}

type Entry = { [key: string]: JsonValue }

async function entriesOf(log: ReturnType<typeof memoryJournal>): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const { data } of log.read()) entries.push(data as Entry)
  return entries
}

test('E-52: a call is recorded before its body runs, its result when it has settled', async () => {
  const log = memoryJournal()
  const runtime = await runtimeWith({ journal: log })
  let seen = -1
  runtime.register({
    name: 'look',
    description: 'Looks at the log.',
    input: { type: 'object' },
    execute: async () => {
      seen = (await entriesOf(log)).length
      return 'ok'
    },
  })
  await runtime.execute({ callId: 'a', name: 'look', arguments: { x: 1 }, turnId: 't1' })
  await runtime.dispose()
  expect(seen).toBe(1)
  expect(await entriesOf(log)).toMatchObject([
    { kind: 'tool/call', callId: 'a', rootCallId: 'a', turnId: 't1', name: 'look', arguments: { x: 1 } },
    {
      kind: 'tool/result',
      callId: 'a',
      rootCallId: 'a',
      isError: false,
      content: [{ type: 'text', text: 'ok' }],
      record: { bodyStarted: true },
    },
  ])
})

test('E-52: nested calls lie between the two entries of their root', async () => {
  const log = memoryJournal()
  const runtime = await runtimeWith({ journal: log })
  await runtime.execute({ callId: 'a', name: 'nest', arguments: {} })
  await runtime.dispose()
  expect((await entriesOf(log)).map(({ kind, callId, rootCallId }) => `${String(kind)} ${String(callId)} ${String(rootCallId)}`)).toEqual([
    'tool/call a a',
    'tool/call a:1 a',
    'tool/result a:1 a',
    'tool/result a a',
  ])
})

test('E-52: a call that never reached dispatch has a result only', async () => {
  const log = memoryJournal()
  const runtime = await runtimeWith({ journal: log })
  runtime.guard((execution) => (execution.name === 'echo' ? 'not today' : undefined), { name: 'calendar' })
  await runtime.execute({ callId: 'a', name: 'echo', arguments: {} })
  await runtime.execute({ callId: 'b', name: 'echo', arguments: '{broken' })
  await runtime.dispose()
  expect(await entriesOf(log)).toMatchObject([
    { kind: 'tool/result', callId: 'a', isError: true, code: 'TOOL_DENIED' },
    { kind: 'tool/result', callId: 'b', isError: true, code: 'INVALID_TOOL_INPUT' },
  ])
})

test('E-52: where the call cannot be recorded its body does not run', async () => {
  const log = memoryJournal()
  const runtime = await runtimeWith({ journal: { ...log, append: () => Promise.reject(new Error('disk full')) } }, { logger: silent() })
  const body = vi.fn(() => 'ran')
  runtime.register({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: body })
  const result = await runtime.execute({ callId: 'a', name: 'act', arguments: {} })
  expect(result).toMatchObject({ isError: true, error: { code: 'HOOK_FAILED' } })
  expect(body).not.toHaveBeenCalled()
})

test('E-52: what a call view names sensitive is masked in every entry, also where the output repeats it', async () => {
  const log = memoryJournal()
  const runtime = await runtimeWith({ journal: log })
  await runtime.execute({ callId: 'a', name: 'login', arguments: { password: 'hunter22', user: 'me' } })
  await runtime.services.require(Journal).append([{ note: 'somebody said hunter22' }])
  await runtime.dispose()
  const entries = await entriesOf(log)
  expect(JSON.stringify(entries)).not.toContain('hunter22')
  // The result is written in the background, as an observer may.
  const inOrder = entries.toSorted((left, right) => Number('record' in left) - Number('record' in right))
  expect(inOrder).toMatchObject([
    { kind: 'tool/call', arguments: { password: '[redacted]', user: 'me' } },
    { note: 'somebody said [redacted]' },
    { record: { originalArguments: { password: '[redacted]' } }, content: [{ text: 'logged in with [redacted]' }] },
  ])
})

test('E-52: where the view failed, or the arguments were never valid, no argument is written', async () => {
  const log = memoryJournal()
  const runtime = await runtimeWith({ journal: log }, { logger: silent() })
  runtime.register({
    name: 'odd',
    description: 'Cannot describe itself.',
    input: { type: 'object' },
    describeCall: () => {
      throw new Error('no')
    },
    execute: () => 'ok',
  })
  await runtime.execute({ callId: 'a', name: 'odd', arguments: { key: 'topsecret' } })
  await runtime.execute({ callId: 'b', name: 'login', arguments: { password: ['topsecret'] } })
  await runtime.dispose()
  const entries = await entriesOf(log)
  expect(entries[0]).toMatchObject({ kind: 'tool/call', arguments: '[redacted]' })
  expect(entries.at(-1)).toMatchObject({ code: 'INVALID_TOOL_INPUT', record: { originalArguments: '[redacted]' } })
  expect(JSON.stringify(entries)).not.toContain('topsecret')
})

test('E-52: redact has the last word on every entry before it is written', async () => {
  const log = memoryJournal()
  const runtime = await runtimeWith({ journal: log, redact: (entry) => ({ ...(entry as Entry), seen: true }) })
  await runtime.execute({ callId: 'a', name: 'echo', arguments: {} })
  await runtime.dispose()
  expect((await entriesOf(log)).map((entry) => entry['seen'])).toEqual([true, true])
})

test('E-52: a redact that throws keeps the call from running', async () => {
  const log = memoryJournal()
  const redact = (): JsonValue => {
    throw new Error('no')
  }
  const runtime = await runtimeWith({ journal: log, redact }, { logger: silent() })
  const result = await runtime.execute({ callId: 'a', name: 'echo', arguments: {} })
  expect(result).toMatchObject({ isError: true, error: { code: 'HOOK_FAILED' } })
  expect(await entriesOf(log)).toEqual([])
})

test('E-52: a wrapper of a scope that runs the body again records the call once', async () => {
  const log = memoryJournal()
  const runtime = await runtimeWith({ journal: log })
  runtime.scope('agent').hooks.execute.tap('retry', (dispatch) => async (options) => {
    await dispatch(options)
    return dispatch(options)
  })
  await runtime.execute({ callId: 'a', name: 'echo', arguments: {}, agent: 'agent' })
  await runtime.dispose()
  expect((await entriesOf(log)).map((entry) => entry['kind'])).toEqual(['tool/call', 'tool/result'])
})

test('E-52: results are flushed by dispose, in the order they were told', async () => {
  const path = join(tempFolder(), 'log.jsonl')
  const runtime = await runtimeWith({ path })
  await Promise.all(Array.from({ length: 50 }, (_, n) => runtime.execute({ callId: `c${n}`, name: 'echo', arguments: {} })))
  await runtime.dispose()
  const kinds = readFileSync(path, 'utf8').trimEnd().split('\n')
  expect(kinds).toHaveLength(100)
  expect(existsSync(`${path}.lock-1`)).toBe(false)
})

test('E-52: the default file is made with the first entry, in a state folder of its own', async () => {
  const root = tempFolder()
  const idle = await runtimeWith({ root })
  await idle.dispose()
  expect(readdirSync(root)).toEqual([])
  const first = await runtimeWith({ root })
  const second = await runtimeWith({ root })
  await first.execute({ callId: 'a', name: 'echo', arguments: {} })
  await second.execute({ callId: 'b', name: 'echo', arguments: {} })
  await first.dispose()
  await second.dispose()
  expect(statSync(join(root, '.toolseam')).mode & 0o077).toBe(0)
  expect(readFileSync(join(root, '.toolseam', '.gitignore'), 'utf8')).toBe('*\n')
  expect(readdirSync(join(root, '.toolseam', 'journal'))).toHaveLength(2)
  const all = await readJournalFolder(join(root, '.toolseam', 'journal'))
  expect(all.map(({ data }) => (data as Entry)['callId'])).toEqual(['a', 'a', 'b', 'b'])
})

test('E-47: a locked path is told when the plugin is applied', async () => {
  const path = join(tempFolder(), 'log.jsonl')
  await runtimeWith({ path })
  await expect(createToolRuntime({ plugins: [journal({ path })] })).rejects.toMatchObject({ cause: { code: 'JOURNAL_LOCKED' } })
})

function silent(): NonNullable<ToolRuntimeOptions['logger']> {
  return { debug() {}, info() {}, warn() {}, error() {} }
}
