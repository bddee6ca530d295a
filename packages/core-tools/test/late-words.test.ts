/**
 * Aborts and answers that come at the last moment, and what is kept beyond it.
 */
import { expect, test } from 'vitest'
import { createToolRuntime, TOOL_RUNTIME_SCHEDULER, type ToolDispatch } from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { approver, errorOf, harness, valueOf } from './support.ts'

test('P-46: an abort while the answer waits for its turn is the outcome, whatever the answer', async () => {
  const { runtime, seen } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  runtime.hooks.preExecute.tap('asks', () => ({ kind: 'ask' }))
  approver(runtime, [{ outcome: 'rejected' }])
  const staged = runtime[TOOL_RUNTIME_SCHEDULER]
  const caller = new AbortController()
  const prepared = await staged.prepare({ callId: 'x', name: 'echo', signal: caller.signal }, { onAnswer: () => caller.abort() })
  if (prepared.kind !== 'final-result') throw new Error(prepared.kind)
  expect(errorOf(await staged.finish(prepared)).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(seen.recordOf('x')?.approval).toBeUndefined()
})

test('P-55: an abort during pre-execute ends the call before any guard', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  const caller = new AbortController()
  runtime.hooks.preExecute.tapPromise('aborts', async (decision) => {
    caller.abort()
    return decision
  })
  let guarded = 0
  runtime.guard(() => {
    guarded += 1
    return 'no'
  })
  expect(errorOf(await call('echo', {}, { signal: caller.signal })).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(guarded).toBe(0)
})

test('P-51: the innermost dispatcher, kept, never starts the body again', async () => {
  // No other wrapper stands between this one and the body.
  const runtime = await createToolRuntime()
  const tool = scriptedTool('echo', { script: { value: 1 } })
  runtime.register(tool)
  let kept: ToolDispatch | undefined
  runtime.hooks.execute.tap('keeps', (dispatch) => {
    kept = dispatch
    return (options) => dispatch(options)
  })
  expect(valueOf(await runtime.execute({ callId: 'x', name: 'echo' }))).toBe(1)
  expect(errorOf(await (kept as ToolDispatch)()).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(tool.calls).toHaveLength(1)
  await runtime.dispose()
})

test('P-60, P-61: a replaced value leaves contexts and the wish to conclude as they are', async () => {
  const { runtime, call } = await harness()
  runtime.register(
    scriptedTool('echo', {
      script: {
        run: (_, { deferContext, concludeTurn }) => {
          deferContext([{ type: 'text', text: 'body' }])
          concludeTurn()
          return 1
        },
      },
    }),
  )
  runtime.hooks.postExecute.tap('replaces', () => ({ kind: 'accept', value: 2 }))
  expect(await call('echo')).toMatchObject({ value: 2, concludesTurn: true, additionalContexts: [[{ type: 'text', text: 'body' }]] })
})

test('P-44: only an unavailable answer can say SURFACE_DENIED', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  runtime.hooks.preExecute.tap('asks', () => ({ kind: 'ask' }))
  approver(runtime, [
    { outcome: 'rejected', code: 'SURFACE_DENIED' },
    { outcome: 'unavailable', code: 'SURFACE_DENIED' },
  ])
  expect(errorOf(await call('echo')).code).toBe('APPROVAL_REJECTED')
  expect(errorOf(await call('echo')).code).toBe('SURFACE_DENIED')
})

test('P-65: where finalizeContent fails an error shows its message only', async () => {
  const { runtime, call } = await harness()
  runtime.register({
    ...scriptedTool('echo', { script: { value: 1 } }),
    finalizeContent: () => {
      throw new Error('broken')
    },
  })
  runtime.hooks.execute.tap('own words', () => async () => ({
    isError: true,
    error: { code: 'QUOTA', message: 'no more' },
    content: [{ type: 'text', text: 'to be withheld' }],
  }))
  expect(await call('echo')).toMatchObject({ error: { code: 'QUOTA' }, content: [{ type: 'text', text: 'no more' }] })
})

test('P-16, P-88: a running call is described by its typed input', async () => {
  const { runtime, call } = await harness()
  const input = {
    schema: { '~standard': { version: 1 as const, vendor: 'x', validate: () => ({ value: { typed: 'yes' } }) } },
    jsonSchema: { type: 'object' },
  }
  const met: unknown[] = []
  runtime.register({
    ...scriptedTool('echo', { input, script: { value: 1 } }),
    describeCall: (given: unknown) => (met.push(given), { title: 'x', kind: 'other' as const }),
  })
  runtime.hooks.preExecute.tapPromise('describes', async (decision, execution) => {
    await runtime.describe(execution)
    return decision
  })
  await call('echo', { sent: 'raw' })
  await runtime.describe({ name: 'echo', arguments: { sent: 'raw' } })
  expect(met).toEqual([{ typed: 'yes' }, { typed: 'yes' }])
})
