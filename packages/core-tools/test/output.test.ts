import * as z from 'zod'
import { expect, test } from 'vitest'
import type { ContentBlock, PostToolDecision, ToolResult } from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { errorOf, harness, valueOf } from './support.ts'

const shape = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false }
const line = (text: string): ContentBlock => ({ type: 'text', text })

test('P-58: a misfit, a value that is no JSON, and a failing render or meta are INVALID_TOOL_OUTPUT with paths', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('misfit', { output: shape, script: { value: { n: 'x' } } }))
  runtime.register(scriptedTool('bigint', { script: { run: () => ({ a: [1n] }) } }))
  runtime.register(
    scriptedTool('throws', {
      render: () => {
        throw new Error('render')
      },
    }),
  )
  runtime.register(scriptedTool('noblocks', { render: () => [{ type: 'text' }] as never }))
  runtime.register(scriptedTool('notlist', { render: () => 'words' as never }))
  runtime.register(
    scriptedTool('metathrows', {
      meta: () => {
        throw new Error('meta')
      },
    }),
  )
  runtime.register(scriptedTool('metalist', { meta: () => [] as never }))
  runtime.register(scriptedTool('metanothing', { meta: () => undefined as never }))
  expect(errorOf(await call('misfit')).details).toMatchObject({ issues: [{ path: '/n' }] })
  expect(errorOf(await call('bigint')).details).toMatchObject({ issues: [{ path: '/a/0' }] })
  for (const name of ['misfit', 'bigint', 'throws', 'noblocks', 'notlist', 'metathrows', 'metalist', 'metanothing']) {
    const result = await call(name)
    expect(errorOf(result).code, name).toBe('INVALID_TOOL_OUTPUT')
    expect('value' in result).toBe(false)
  }
})

test('P-58: root undefined is null; the value is frozen and shares nothing with the body', async () => {
  const { runtime, call } = await harness()
  const shared = { list: [1] }
  runtime.register(scriptedTool('nothing', { script: { run: () => undefined } }))
  runtime.register(scriptedTool('shares', { script: { run: () => shared } }))
  expect(valueOf(await call('nothing'))).toBe(null)
  const value = valueOf(await call('shares')) as { list: number[] }
  shared.list.push(2)
  expect(value).toEqual({ list: [1] })
  expect(Object.isFrozen(value.list)).toBe(true)
})

test('P-58: a value changed by the schema’s output is snapshot again; async output schemas are awaited', async () => {
  const { runtime, call } = await harness()
  const output = { schema: z.object({ n: z.number() }).transform(async ({ n }) => ({ n: n + 1 })), jsonSchema: shape }
  runtime.register(scriptedTool('plus', { output: output as never, script: { value: { n: 1 } }, render: (v) => [line(JSON.stringify(v))] }))
  expect(await call('plus')).toMatchObject({ value: { n: 2 }, content: [line('{"n":2}')] })
})

test('P-59: a string renders as its text, anything else as JSON text; an error’s content is its message', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { input: {}, script: { run: (input) => (input as { v: unknown }).v } }))
  expect((await call('echo', { v: 'words' })).content).toEqual([line('words')])
  expect((await call('echo', { v: [1, { a: null }] })).content).toEqual([line('[1,{"a":null}]')])
  const failed = await call('nope')
  expect(failed.content).toEqual([line(errorOf(failed).message)])
})

test('P-16: render, describeCall and concurrency get the typed input; policy gets the JSON', async () => {
  const { runtime, call } = await harness()
  const seen: unknown[] = []
  const input = z.object({ at: z.string() }).transform(({ at }) => ({ at: new Date(at) }))
  runtime.register(
    scriptedTool('when', {
      input: { schema: input, jsonSchema: { type: 'object' } } as never,
      concurrency: (given) => (seen.push((given as { at: unknown }).at), 'parallel'),
      describeCall: (given) => (seen.push((given as { at: unknown }).at), { title: 'When', kind: 'other' }),
      render: (_, given) => (seen.push((given as { at: unknown }).at), [line('x')]),
      script: { run: (given) => (seen.push((given as { at: unknown }).at), 1) },
    }),
  )
  runtime.hooks.preExecute.tapPromise('policy', async (d, execution) => {
    expect(execution.arguments).toEqual({ at: '2020-01-01' })
    await runtime.describe(execution)
    return d
  })
  await runtime.executeAll([{ callId: '1', name: 'when', arguments: { at: '2020-01-01' } }])
  expect(seen.length).toBeGreaterThanOrEqual(4)
  expect(seen.every((value) => value instanceof Date)).toBe(true)
  expect((await call('when', { at: 1 })).isError).toBe(true)
})

test('P-60: absent fields leave things as they are, also what an earlier tap replaced', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 'old' } }))
  const saw: ToolResult[] = []
  const decisions: PostToolDecision[] = []
  runtime.hooks.postExecute.tap('replaces', () => ({ kind: 'accept', value: 'new' }))
  runtime.hooks.postExecute.tap('accepts', (decision, _, result) => (decisions.push(decision), saw.push(result), { kind: 'accept' }))
  expect(await call('echo')).toMatchObject({ value: 'new', content: [line('new')] })
  expect(saw[0]).toMatchObject({ value: 'new' })
  expect(decisions).toEqual([{ kind: 'accept' }])
})

test('P-61: content keeps value and meta; a value is validated and rendered anew', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('num', { output: shape, meta: () => ({ m: 1 }), script: { value: { n: 1 } } }))
  const off = runtime.hooks.postExecute.tap('content', () => ({ kind: 'accept', content: [line('short')] }))
  expect(await call('num')).toMatchObject({ value: { n: 1 }, meta: { m: 1 }, content: [line('short')] })
  off()
  const off2 = runtime.hooks.postExecute.tap('value', () => ({ kind: 'accept', value: { n: 2 } }))
  expect(await call('num')).toMatchObject({ value: { n: 2 }, content: [line('{"n":2}')] })
  off2()
  runtime.hooks.postExecute.tap('misfit', () => ({ kind: 'accept', value: { n: 'x' } }))
  expect(errorOf(await call('num')).code).toBe('INVALID_TOOL_OUTPUT')
})

test('P-61: an async output schema judges a replaced value, in a sync tap too', async () => {
  const { runtime, call } = await harness()
  const output = { schema: z.number().refine(async (n) => n < 10), jsonSchema: { type: 'number' } }
  runtime.register(scriptedTool('num', { output: output as never, script: { value: 1 } }))
  let value = 2
  runtime.hooks.postExecute.tap('sync', () => ({ kind: 'accept', value }))
  const saw: unknown[] = []
  runtime.hooks.postExecute.tapPromise('async', async (d, _, result) => (saw.push(result.isError || result.value), d))
  expect(valueOf(await call('num'))).toBe(2)
  value = 20
  expect(errorOf(await call('num')).code).toBe('INVALID_TOOL_OUTPUT')
  expect(saw).toEqual([2, true])
})

test('P-61: both, or a value on an error, is HOOK_INVALID_DECISION', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('ok'))
  runtime.register(scriptedTool('bad', { script: { throws: new Error('x') } }))
  const off = runtime.hooks.postExecute.tap('both', () => ({ kind: 'accept', value: 1, content: [line('x')] }))
  expect(errorOf(await call('ok'))).toMatchObject({ code: 'HOOK_INVALID_DECISION', details: { tap: 'both' } })
  off()
  runtime.hooks.postExecute.tap('heals', () => ({ kind: 'accept', value: 1 }))
  expect(errorOf(await call('bad'))).toMatchObject({ code: 'HOOK_INVALID_DECISION', details: { tap: 'heals' } })
})

test('P-61: block drops value, deferred contexts and the wish to conclude; a later accept does not lift it', async () => {
  const { runtime, call } = await harness()
  runtime.register(
    scriptedTool('talk', {
      script: { run: (_, { deferContext, concludeTurn }) => (deferContext([line('secret')]), concludeTurn(), 'secret') },
    }),
  )
  runtime.hooks.postExecute.tap('blocks', () => ({ kind: 'block', feedback: [line('withheld')], additionalContexts: [[line('note')]] }))
  runtime.hooks.postExecute.tap('again', (decision) => {
    expect(decision).toEqual({ kind: 'block', feedback: [line('withheld')] })
    return { kind: 'block', feedback: [line('twice')] }
  })
  runtime.hooks.postExecute.tap('lifts', () => ({ kind: 'accept', content: [line('secret')] }))
  const result = await call('talk')
  expect(result).toMatchObject({
    isError: true,
    error: { code: 'TOOL_DENIED', details: { by: 'blocks' } },
    content: [line('withheld'), line('twice')],
    additionalContexts: [[line('note')]],
  })
  expect(JSON.stringify(result)).not.toContain('secret')
  expect('concludesTurn' in result).toBe(false)
})

test('P-32: a denied call passes post-execute; what is final does not', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { input: shape }))
  const passed: string[] = []
  runtime.hooks.preExecute.tap('policy', (d, { arguments: args }) =>
    (args as { n: number }).n > 5 ? { kind: 'deny', reason: 'big' } : (args as { n: number }).n > 3 ? (undefined as never) : d,
  )
  runtime.hooks.postExecute.tap('post', (d, { callId }) => (passed.push(callId), d))
  await call('echo', { n: 9 }, { callId: 'denied' })
  await call('echo', { n: 'x' }, { callId: 'invalid' })
  await call('echo', 'not json', { callId: 'not-json' })
  await call('echo', { n: 4 }, { callId: 'hook' })
  await call('echo', { n: 1 }, { callId: 'aborted', signal: AbortSignal.abort() })
  expect(passed).toEqual(['denied'])
})

test('P-63: a failing post tap withholds the result it should have judged', async () => {
  for (const bad of [
    () => undefined,
    () => {
      throw new Error('x')
    },
    () => ({ kind: 'block' }),
    () => ({ kind: 'accept', content: 'x' }),
    () => ({ kind: 'accept', additionalContexts: [1] }),
  ]) {
    const { runtime, call } = await harness()
    runtime.register(scriptedTool('talk', { script: { run: (_, { deferContext }) => (deferContext([line('secret')]), 'secret') } }))
    runtime.hooks.postExecute.tap('guilty', bad as never)
    let later = 0
    runtime.hooks.postExecute.tap('later', (d) => ((later += 1), d))
    const result = await call('talk')
    expect(errorOf(result).code).toMatch(/^HOOK_/)
    expect(errorOf(result).details).toMatchObject({ hook: 'tools/post-execute', tap: 'guilty' })
    expect(JSON.stringify(result)).not.toContain('secret')
    expect(later).toBe(0)
  }
})

test('P-64: finalizeContent runs once for every outcome of a visible tool, content only', async () => {
  const { runtime, call } = await harness({ abortGraceMs: 5 })
  const outcomes: string[] = []
  runtime.register(
    scriptedTool('echo', {
      input: shape,
      finalizeContent: (_, result) => {
        outcomes.push(result.isError ? result.error.code : 'ok')
        return [line('final')]
      },
    }),
  )
  const deny = runtime.hooks.preExecute.tap('policy', (d, { arguments: args }) =>
    (args as { n: number }).n === 9 ? { kind: 'deny', reason: 'no' } : d,
  )
  const results = [
    await call('echo', { n: 1 }),
    await call('echo', { n: 9 }),
    await call('echo', { n: 'x' }),
    await call('echo', '{'),
    await call('echo', { n: 1 }, { signal: AbortSignal.abort() }),
  ]
  deny()
  runtime.hooks.preExecute.tap('bad', () => undefined as never)
  results.push(await call('echo', { n: 1 }))
  expect(outcomes).toEqual([
    'ok',
    'TOOL_DENIED',
    'INVALID_TOOL_INPUT',
    'INVALID_TOOL_INPUT',
    'TOOL_ABORTED_BEFORE_DISPATCH',
    'HOOK_INVALID_DECISION',
  ])
  for (const result of results) expect(result.content).toEqual([line('final')])
  expect(results[0]).toMatchObject({ value: { n: 1 } })
})

test('P-65: a failing finalizeContent withholds the old content', async () => {
  for (const bad of [
    () => {
      throw new Error('x')
    },
    () => 'words',
    async () => [line('x')],
    () => [{ type: 'nope' }],
  ]) {
    const { runtime, call } = await harness()
    runtime.register(scriptedTool('ok', { script: { value: 'secret' }, finalizeContent: bad as never }))
    runtime.register(scriptedTool('bad', { script: { throws: new Error('told') }, finalizeContent: bad as never }))
    expect(errorOf(await call('ok')).code).toBe('INVALID_TOOL_OUTPUT')
    expect(await call('bad')).toMatchObject({ error: { code: 'TOOL_FAILED' }, content: [line('told')] })
  }
})

test('P-64, P-66: caller and observers get the same frozen result, once, before the promise resolves', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: { a: [1] } } }))
  const seen: ToolResult[] = []
  runtime.hooks.result.tap('watch', (_, result) => seen.push(result))
  const result = await call('echo')
  expect(seen).toEqual([result])
  expect(seen[0]).toBe(result)
  expect(Object.isFrozen(result)).toBe(true)
  expect(Object.isFrozen(result.content)).toBe(true)
})

test('P-67: the record tells how the call came to its result', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('echo'))
  runtime.scope('me')
  runtime.hooks.preExecute.tap('rewriter', (d, { arguments: args }) =>
    'a' in (args as object) ? { kind: 'allow', by: 'rule', arguments: {} } : d,
  )
  await call('echo', { a: 1 }, { callId: 'x', agent: 'me', turnId: 't' })
  const record = seen.recordOf('x')
  expect(record).toMatchObject({
    callId: 'x',
    rootCallId: 'x',
    name: 'echo',
    agent: 'me',
    originalArguments: { a: 1 },
    effectiveArguments: {},
    decision: { kind: 'allow', by: 'rule' },
    bodyStarted: true,
    attempts: 1,
    detached: false,
  })
  expect(record?.trail.map(({ effect }) => effect)).toEqual(['applied', 'rewrite'])
  expect(record?.durationMs).toBeGreaterThanOrEqual(0)
  expect(record?.startedAt).toBeGreaterThan(1_600_000_000_000)
  expect(Object.isFrozen(record?.trail)).toBe(true)
})
