import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scripted } from '@toolseam/approval'
import type { ToolPlugin, ToolRuntime } from '@toolseam/core-tools'
import { ToolExecutor } from '@toolseam/executor-tool'
import { readJournalFolder } from '@toolseam/journal'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createToolseam, type ToolseamOptions } from '../src/index.ts'
import { temporaryFolder } from './cli.ts'

let folder: ReturnType<typeof temporaryFolder>
const open: ToolRuntime[] = []
beforeEach(() => (folder = temporaryFolder()))
afterEach(async () => {
  await Promise.all(open.splice(0).map((runtime) => runtime.dispose()))
  folder.remove()
})

const compose = async (options: ToolseamOptions = {}): Promise<ToolRuntime> => {
  const runtime = await createToolseam({ root: folder.path, policy: { user: { version: 1 } }, secret: 'for tests', ...options })
  open.push(runtime)
  return runtime
}

test('compose: the tools of every composed package are there, working in the root', async () => {
  writeFileSync(join(folder.path, 'here.txt'), '')
  const runtime = await compose()
  expect(runtime.view().names).toEqual(expect.arrayContaining(['bash', 'read', 'edit', 'grep']))
  const result = await runtime.execute({ callId: 'c', name: 'bash', arguments: { command: 'ls' } })
  expect(result.content).toMatchObject([{ text: expect.stringContaining('here.txt') }])
})

test('compose: answerers of the caller are asked', async () => {
  const runtime = await compose({ answerers: [scripted([{ outcome: 'approve', scope: 'once' }])] })
  const call = (callId: string): ReturnType<ToolRuntime['execute']> =>
    runtime.execute({ callId, name: 'bash', arguments: { command: `touch ${callId}` } })
  expect(await call('first')).toMatchObject({ isError: false })
  expect(await call('second')).toMatchObject({ isError: true, error: { code: 'APPROVAL_UNAVAILABLE' } })
})

test('compose: plugins of the caller stand beside the composed ones', async () => {
  const plugin: ToolPlugin = {
    name: 'mine',
    apply: (runtime) => runtime.register({ name: 'mine', description: 'Mine.', input: { type: 'object' }, execute: () => 'mine' }),
  }
  expect((await compose({ plugins: [plugin] })).view().names).toContain('mine')
})

test('compose: an option that nothing answers is refused, never ignored', async () => {
  const options = { root: folder.path, sandbx: 'off' }
  await expect(createToolseam(options)).rejects.toMatchObject({ code: 'TOOLSEAM_OPTION_UNAVAILABLE', details: { option: 'sandbx' } })
})

test('compose: a root that is no folder is refused', async () => {
  await expect(createToolseam({ root: join(folder.path, 'nowhere') })).rejects.toMatchObject({ code: 'TOOLSEAM_ROOT_INVALID' })
})

test('compose: a turn runs through the domain and is on record when the runtime is disposed; journal: false records nothing', async () => {
  const journal = join(folder.path, '.toolseam', 'journal')
  const turn = async (options: ToolseamOptions): Promise<void> => {
    const runtime = await compose(options)
    const { driver } = runtime.services.require(ToolExecutor)
    const call = { callId: 'c', name: 'bash', arguments: { command: 'ls' } }
    expect(await driver.execute({ turnId: 't', calls: [call] })).toMatchObject({ status: 'completed', results: [{ isError: false }] })
    await runtime.dispose()
  }
  await turn({ journal: false })
  expect(existsSync(journal)).toBe(false)
  await turn({})
  const kinds = (await readJournalFolder(journal)).map(({ data }) => (data as { kind?: string }).kind)
  expect(kinds.filter((kind) => kind !== undefined)).toEqual(['tool/call', 'tool/result'])
})

test('compose: a runtime that is disposed in mid-turn records how the turn ended', async () => {
  let began: () => void = () => {}
  const begun = new Promise<void>((resolve) => (began = resolve))
  const plugin: ToolPlugin = {
    name: 'hangs',
    apply: (runtime) =>
      runtime.register({
        name: 'hangs',
        description: 'Hangs.',
        input: { type: 'object' },
        annotations: { readOnlyHint: true },
        execute: (_input, { signal }) => {
          began()
          return new Promise((_done, ended) => signal.addEventListener('abort', () => ended(new Error('ended'))))
        },
      }),
  }
  const runtime = await compose({ plugins: [plugin], preset: 'full-access' })
  const { driver } = runtime.services.require(ToolExecutor)
  const outcome = driver.execute({ turnId: 't', calls: [{ callId: 'c', name: 'hangs', arguments: {} }] })
  await begun
  await runtime.dispose()
  expect(await outcome).toMatchObject({ results: [{ isError: true }] })
  const recorded = JSON.stringify(await readJournalFolder(join(folder.path, '.toolseam', 'journal')))
  expect(recorded).toContain('turn.created')
  expect(recorded).toMatch(/tool\.(?:block_failed|halted)/)
  expect(recorded).toContain('"kind":"tool/result"')
})

test('compose: options of code mode reach its programs', async () => {
  const runtime = await compose({ code: { limits: { calls: 1 } } })
  const code = `await tools.list({}); await tools.list({})`
  expect(await runtime.execute({ callId: 'c', name: 'run_code', arguments: { code } })).toMatchObject({
    error: { code: 'CODE_CALL_LIMIT' },
  })
})
