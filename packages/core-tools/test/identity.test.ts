import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'tsup'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as mine from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { approver, errorOf, harness, valueOf } from './support.ts'

// A second physical copy of the package, bundled beside its dependencies so that they resolve.
const folder = join(import.meta.dirname, '..', 'node_modules', `.copy-${process.pid}`)
let other: typeof mine

beforeAll(async () => {
  await build({
    entry: { copy: join(import.meta.dirname, '../src/index.ts') },
    format: 'esm',
    outDir: folder,
    silent: true,
    config: false,
    external: ['tapable', /^ajv/, 'fastest-levenshtein'],
    dts: false,
  })
  other = (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'copy.js')).href)) as typeof mine
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test('P-83: the copy is another one', () => {
  expect(other.createToolRuntime).not.toBe(mine.createToolRuntime)
  expect(other.ToolSeamError).not.toBe(mine.ToolSeamError)
})

test('P-83: tokens are equal across copies', async () => {
  const { runtime } = await harness()
  runtime.services.provide(other.defineService<number>('third/thing'), 7)
  expect(runtime.services.require(mine.defineService<number>('third/thing'))).toBe(7)
  expect(runtime.services.get(other.Approval as never)).toBeUndefined()
  approver(runtime, [{ outcome: 'approved' }])
  expect(runtime.services.has(other.Approval)).toBe(true)
})

test('P-83: tool and plugin of one copy run in the other', async () => {
  const { runtime } = await harness()
  const plugin: mine.ToolPlugin = {
    name: 'third/plugin',
    apply(given) {
      given.register(
        other.defineTool({ name: 'theirs', description: 'd', input: { type: 'object' }, execute: (_, { surface }) => surface.kind }),
      )
      given.hooks.result.tap('theirs', () => undefined)
    },
  }
  await runtime.use(plugin)
  expect(valueOf(await runtime.execute({ callId: 'c', name: 'theirs' }))).toBe('denied')
})

test('P-83: the staged view is found by the other copy’s symbol', async () => {
  const { runtime } = await harness()
  runtime.register(scriptedTool('echo'))
  const staged = runtime[other.TOOL_RUNTIME_SCHEDULER as typeof mine.TOOL_RUNTIME_SCHEDULER]
  expect(await staged.classify({ callId: 'c', name: 'echo' })).toBe('exclusive')
})

test('P-83: an execution token of one copy is good as a parent in the other', async () => {
  const theirs = await other.createToolRuntime()
  const mineRuntime = await mine.createToolRuntime()
  const roots: string[] = []
  mineRuntime.register(scriptedTool('inner', { script: { run: (_, { execution }) => (roots.push(execution.rootCallId), 1) } }))
  const inner = (parent: mine.ToolExecutionToken): Promise<mine.ToolResult> =>
    mineRuntime.execute({ callId: 'inner', name: 'inner', parent })
  const run = async (_: unknown, { execution }: mine.ToolRunContext): Promise<mine.JsonValue> => valueOf(await inner(execution.token))
  theirs.register(scriptedTool('outer', { script: { run } }))
  expect(valueOf(await theirs.execute({ callId: 'outer', rootCallId: 'root', name: 'outer' }))).toBe(1)
  expect(roots).toEqual(['root'])
  await theirs.dispose()
  await mineRuntime.dispose()
})

test('P-83: error codes survive, also of a surface denied by the other copy', async () => {
  const { runtime } = await harness()
  runtime.register(scriptedTool('asks', { script: { run: (_, { surface }) => other.surfaceFor(surface).require('ask') } }))
  runtime.register(
    scriptedTool('own', {
      script: {
        run: () => {
          throw new other.ToolSeamError('THIRD_PARTY', 'm', { details: { a: 1 } })
        },
      },
    }),
  )
  expect(errorOf(await runtime.execute({ callId: 'c', name: 'asks' }))).toMatchObject({
    code: 'SURFACE_DENIED',
    details: { capability: 'ask', reason: 'no_domain' },
  })
  expect(errorOf(await runtime.execute({ callId: 'd', name: 'own' }))).toMatchObject({ code: 'THIRD_PARTY', details: { a: 1 } })
  expect(other.errorCode(new mine.ToolSeamError('X_Y', 'm'))).toBe('X_Y')
})
