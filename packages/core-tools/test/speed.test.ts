import { expect, test } from 'vitest'
import { createToolRuntime } from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'

test('P-85: views and schemas are the same objects until something changes', async () => {
  const runtime = await createToolRuntime()
  runtime.register(scriptedTool('a'))
  const view = runtime.view()
  const schemas = runtime.schemas()
  await runtime.execute({ callId: 'c', name: 'a' })
  expect(runtime.view()).toBe(view)
  expect(runtime.schemas()).toBe(schemas)
  runtime.register(scriptedTool('b'))
  expect(runtime.view()).not.toBe(view)
  expect(runtime.view().version).toBeGreaterThan(view.version)
})

test('P-85: sync taps add no promise to pre-execute, and call views are made only when asked for', async () => {
  const runtime = await createToolRuntime()
  let described = 0
  let body = 0
  runtime.register(
    scriptedTool('a', { describeCall: () => ((described += 1), { title: 'a', kind: 'other' }), script: { run: () => (body += 1) } }),
  )
  for (const name of ['x', 'y', 'z']) runtime.hooks.preExecute.tap(name, (d) => d)
  void runtime.execute({ callId: 'c', name: 'a' })
  // Policy with synchronous taps is over within the same tick in which the call was made; the body follows in microtasks.
  await Promise.resolve()
  for (let turn = 0; turn < 6 && body === 0; turn += 1) await Promise.resolve()
  expect(body).toBe(1)
  expect(described).toBe(0)
})

test('P-85: memory is flat over 100 000 calls', async () => {
  const runtime = await createToolRuntime()
  runtime.register({ name: 'echo', description: 'd', input: { type: 'object' }, execute: () => 1 })
  const gc = globalThis.gc ?? (() => undefined)
  const run = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) await runtime.execute({ callId: 'c', name: 'echo', arguments: { index } })
  }
  await run(5000)
  gc()
  const before = process.memoryUsage().heapUsed
  await run(100_000)
  gc()
  const grown = process.memoryUsage().heapUsed - before
  expect(grown).toBeLessThan(40 * 1024 * 1024)
}, 60_000)
