import { expect, test } from 'vitest'
import {
  deniedSurface,
  TOOL_RUNTIME_SCHEDULER,
  type Dispatched,
  type Prepared,
  type PreparedDispatch,
  type PostResult,
  type ToolResult,
} from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { approver, deferred, errorOf, harness, settleMicrotasks, valueOf } from './support.ts'

async function staged(options: Parameters<typeof harness>[0] = {}) {
  const h = await harness(options)
  return { ...h, stages: h.runtime[TOOL_RUNTIME_SCHEDULER] }
}

test('P-32: execute is the composition of the four', async () => {
  const { runtime, stages, seen } = await staged()
  runtime.register(scriptedTool('echo', { concurrency: 'parallel' }))
  const prepared = await stages.prepare({ callId: 'c', name: 'echo', arguments: { a: 1 } })
  expect(prepared).toMatchObject({ kind: 'dispatch', concurrency: 'parallel', execution: { callId: 'c', arguments: { a: 1 } } })
  const dispatched = await stages.dispatch(prepared as PreparedDispatch)
  expect(dispatched).toMatchObject({ kind: 'post-result', result: { value: { a: 1 } } })
  expect(valueOf(await stages.finalize(dispatched as PostResult))).toEqual({ a: 1 })
  expect(seen.lines()).toEqual(['pre-execute c', 'execute c', 'body-settled c', 'post-execute c', 'result c'])
})

test('P-32: what prepare settles: denied passes post-execute, what can only fail is final', async () => {
  const { runtime, stages } = await staged()
  runtime.register(scriptedTool('echo', { input: { type: 'object', required: ['a'] } }))
  runtime.hooks.preExecute.tap('policy', (d, { arguments: args }) =>
    (args as { a: unknown }).a === 1 ? { kind: 'deny', reason: 'no' } : (args as { a: unknown }).a === 2 ? { kind: 'ask' } : d,
  )
  const kinds: Record<string, Prepared> = {}
  for (const [label, args] of Object.entries({ denied: { a: 1 }, unavailable: { a: 2 }, invalid: {}, text: '{' })) {
    kinds[label] = await stages.prepare({ callId: label, name: 'echo', arguments: args })
  }
  kinds['aborted'] = await stages.prepare({ callId: 'aborted', name: 'echo', arguments: { a: 3 }, signal: AbortSignal.abort() })
  expect(Object.fromEntries(Object.entries(kinds).map(([label, { kind }]) => [label, kind]))).toEqual({
    denied: 'post-result',
    unavailable: 'post-result',
    invalid: 'final-result',
    text: 'final-result',
    aborted: 'final-result',
  })
  for (const value of Object.values(kinds)) {
    const result = value.kind === 'post-result' ? await stages.finalize(value) : await stages.finish(value)
    expect(result.isError).toBe(true)
  }
})

test('P-32: each value is good for one use, and for its own stage', async () => {
  const { runtime, stages } = await staged()
  runtime.register(scriptedTool('echo'))
  const prepared = (await stages.prepare({ callId: 'c', name: 'echo' })) as PreparedDispatch
  await expect(stages.finalize(prepared as never)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  const again = (await stages.prepare({ callId: 'd', name: 'echo' })) as PreparedDispatch
  const dispatched = (await stages.dispatch(again)) as PostResult
  await expect(stages.dispatch(again)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  await stages.finalize(dispatched)
  await expect(stages.finalize(dispatched)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  await expect(stages.dispatch({ kind: 'dispatch' } as never)).rejects.toMatchObject({ code: 'INVALID_CALL' })
})

test('P-82: a value that its scheduler never came back for does not hold the runtime open', async () => {
  const { runtime, stages, seen } = await staged({ abortGraceMs: 10 })
  runtime.register(scriptedTool('echo'))
  await stages.prepare({ callId: 'left', name: 'echo' })
  await runtime.dispose()
  expect(errorOf(seen.resultOf('left') as ToolResult).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
})

test('P-32: finish settles a dispatch value that never ran, and a bare input', async () => {
  const { runtime, stages, seen } = await staged()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  const prepared = (await stages.prepare({ callId: 'c', name: 'echo', arguments: { a: 1 } })) as PreparedDispatch
  const given = { aborted: { code: 'TOOL_ABORTED_BEFORE_DISPATCH', reason: 'skipped' } } as const
  expect(errorOf(await stages.finish(prepared, given))).toMatchObject({
    code: 'TOOL_ABORTED_BEFORE_DISPATCH',
    details: { reason: 'skipped' },
  })
  expect(errorOf(await stages.finish({ callId: 'd', name: 'echo', arguments: '{"b":2}' }, given)).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  await expect(stages.dispatch(prepared)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  expect(tool.calls).toHaveLength(0)
  expect(seen.recordOf('d')?.originalArguments).toEqual({ b: 2 })
  expect(seen.events.filter(({ kind }) => kind === 'result')).toHaveLength(2)
})

test('P-32: a dispatch that was given up is finished once; what it still brings is ignored', async () => {
  const { runtime, stages, seen } = await staged()
  const go = deferred()
  runtime.register(
    scriptedTool('slow', { script: { run: async (_, { progress }) => (await go.promise, progress({ message: 'late' }), 'late') } }),
  )
  const prepared = (await stages.prepare({ callId: 'c', name: 'slow' })) as PreparedDispatch
  const work = stages.dispatch(prepared)
  await settleMicrotasks()
  const given = { aborted: { code: 'TOOL_ABORTED', reason: 'halted' } } as const
  expect(errorOf(await stages.finish(prepared, given))).toMatchObject({ code: 'TOOL_ABORTED', details: { reason: 'halted' } })
  await expect(stages.finish(prepared, given)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  go.resolve()
  const late = await work
  await expect(late.kind === 'post-result' ? stages.finalize(late) : stages.finish(late)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  expect(seen.events.filter(({ kind }) => kind === 'result' || kind === 'progress').map(({ kind }) => kind)).toEqual(['result'])
})

test('P-32: prepare tells of an ask once, and the ask of the surface', async () => {
  const { runtime, stages } = await staged()
  runtime.register(scriptedTool('echo'))
  const asked = approver(runtime, [{ outcome: 'approved' }])
  runtime.hooks.preExecute.tap('asks', () => ({ kind: 'ask' }))
  let told = 0
  const prepared = await stages.prepare(
    { callId: 'c', name: 'echo' },
    { onAsk: () => (told += 1), surface: deniedSurface('subagent_execution') },
  )
  expect(prepared.kind).toBe('dispatch')
  expect(told).toBe(1)
  expect(asked[0]?.surface).toBe('denied')
  await stages.finish(prepared, { aborted: { code: 'TOOL_ABORTED_BEFORE_DISPATCH', reason: 'x' } })
})

test('P-32, P-87: dispatch hands in signal, surface and what runs nested bodies; outlived is told', async () => {
  const { runtime, stages } = await staged({ abortGraceMs: 10 })
  const surface = deniedSurface('code_mode')
  const seen: unknown[] = []
  runtime.register(scriptedTool('inner', { script: { run: (_, context) => (seen.push(context.surface), 'inner') } }))
  runtime.register(
    scriptedTool('outer', {
      script: {
        run: async (_, context) => (
          seen.push(context.surface),
          [await context.call('inner', {}), await context.call('inner', {})].map((r: ToolResult) => (r.isError ? r.error.code : 'ok'))
        ),
      },
    }),
  )
  const prepared = (await stages.prepare({ callId: 'c', name: 'outer' })) as PreparedDispatch
  let first = true
  const value = (await stages.dispatch(prepared, {
    surface,
    call: async (nested, dispatch): Promise<Dispatched | { aborted: { code: 'TOOL_ABORTED'; reason: string } }> => {
      seen.push(nested.execution.callId)
      if (!first) return { aborted: { code: 'TOOL_ABORTED', reason: 'given up' } }
      first = false
      return dispatch({ surface: deniedSurface('from-domain') })
    },
  })) as PostResult
  expect(valueOf(await stages.finalize(value))).toEqual(['ok', 'TOOL_ABORTED'])
  expect(seen).toEqual([surface, 'c:1', deniedSurface('from-domain'), 'c:2'])

  runtime.register(scriptedTool('deaf', { script: { hangs: 'for-ever' } }))
  const controller = new AbortController()
  const left: Promise<unknown>[] = []
  const working = stages.dispatch((await stages.prepare({ callId: 'd', name: 'deaf' })) as PreparedDispatch, {
    signal: controller.signal,
    outlived: (work) => left.push(work),
  })
  await settleMicrotasks()
  controller.abort(new Error('domain'))
  const ended = await working
  expect(ended).toMatchObject({
    kind: 'final-result',
    result: { error: { code: 'TOOL_ABORTED', details: { detached: true, reason: 'domain' } } },
  })
  expect(left).toHaveLength(1)
  await stages.finish(ended)
})
