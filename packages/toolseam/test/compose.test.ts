import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scripted } from '@toolseam/approval'
import type { ToolPlugin, ToolRuntime } from '@toolseam/core-tools'
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
