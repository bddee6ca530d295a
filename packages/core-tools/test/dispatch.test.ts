import { expect, test } from 'vitest'
import type { ToolDispatch, ToolResult } from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { deferred, errorOf, harness, settleMicrotasks, valueOf } from './support.ts'

const shape = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
const success = (value: unknown, more: object = {}): ToolResult => ({ isError: false, value, content: [], ...more }) as ToolResult

test('P-47: the last tap is outermost', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  const order: string[] = []
  for (const name of ['a', 'b']) {
    runtime.hooks.execute.tap(name, (dispatch) => async (options) => {
      order.push(`>${name}`)
      const result = await dispatch(options)
      order.push(`<${name}`)
      return result
    })
  }
  await call('echo')
  expect(order).toEqual(['>b', '>a', '<a', '<b'])
})

test('P-47: not a function is HOOK_INVALID_DECISION, a throw while building HOOK_FAILED; both are final', async () => {
  for (const [tap, code] of [
    [() => undefined, 'HOOK_INVALID_DECISION'],
    [() => ({}), 'HOOK_INVALID_DECISION'],
    [
      () => {
        throw new Error('build')
      },
      'HOOK_FAILED',
    ],
  ] as const) {
    const { runtime, call } = await harness()
    const tool = scriptedTool('echo')
    runtime.register(tool)
    let post = 0
    runtime.hooks.execute.tap('guilty', tap as never)
    runtime.hooks.postExecute.tap('post', (d) => ((post += 1), d))
    expect(errorOf(await call('echo'))).toMatchObject({ code, details: { hook: 'tools/execute', tap: 'guilty' } })
    expect(post).toBe(0)
    expect(tool.calls).toHaveLength(0)
  }
})

test('P-48: a retry runs the full inner chain and then the body', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('flaky', { script: [{ throws: new Error('once') }, { value: 'ok' }] }))
  let inner = 0
  runtime.hooks.execute.tap('inner', (dispatch) => async (options) => {
    inner += 1
    return dispatch(options)
  })
  runtime.hooks.execute.tap('retry', (dispatch) => async (options) => {
    const first = await dispatch(options)
    return first.isError ? dispatch(options) : first
  })
  expect(valueOf(await call('flaky', {}, { callId: 'x' }))).toBe('ok')
  expect(inner).toBe(2)
  expect(seen.recordOf('x')).toMatchObject({ attempts: 2, bodyStarted: true })
})

test('P-48: attempts may run at the same time', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('race', { script: [{ hangs: 'until-aborted' }, { value: 'second' }] }))
  runtime.hooks.execute.tap('hedge', (dispatch) => (options) => Promise.race([dispatch(options), dispatch(options)]))
  expect(valueOf(await call('race'))).toBe('second')
})

test('P-48: a wrapper cannot take the caller’s signal off', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('wait', { script: { hangs: 'until-aborted' } }))
  runtime.hooks.execute.tap('deaf', (dispatch) => () => dispatch({ signal: new AbortController().signal }))
  const controller = new AbortController()
  const pending = call('wait', {}, { signal: controller.signal })
  await settleMicrotasks()
  controller.abort()
  expect(errorOf(await pending).code).toBe('TOOL_ABORTED')
})

test('P-48: an added signal aborts the body only, so that the wrapper can go on', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('slow', { script: [{ hangs: 'until-aborted' }, { value: 'ok' }] }))
  runtime.hooks.execute.tap('own-deadline', (dispatch) => async (options) => {
    const first = await dispatch({ signal: AbortSignal.timeout(10) })
    expect(errorOf(first).code).toBe('TOOL_ABORTED')
    return dispatch(options)
  })
  expect(valueOf(await call('slow'))).toBe('ok')
})

test('P-49: body errors are results before any wrapper sees them; a wrapper’s own throw is HOOK_FAILED', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('bad', { script: { throws: new Error('body') } }))
  let saw: ToolResult | undefined
  const off = runtime.hooks.execute.tap('watch', (dispatch) => async (options) => (saw = await dispatch(options)))
  expect(errorOf(await call('bad')).code).toBe('TOOL_FAILED')
  expect(saw).toMatchObject({ isError: true, error: { code: 'TOOL_FAILED', message: 'body' } })
  off()
  runtime.hooks.execute.tap('thrower', () => async () => {
    throw new Error('wrapper')
  })
  runtime.hooks.execute.tap('outer', (dispatch) => (options) => dispatch(options))
  let post = 0
  runtime.hooks.postExecute.tap('post', (d) => ((post += 1), d))
  expect(errorOf(await call('bad'))).toMatchObject({ code: 'HOOK_FAILED', details: { tap: 'thrower', reason: 'wrapper' } })
  expect(post).toBe(0)
})

test('P-49: an outer wrapper may catch what an inner one threw', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  let first = true
  runtime.hooks.execute.tap('nervous', (dispatch) => async (options) => {
    if (first) {
      first = false
      throw new Error('again')
    }
    return dispatch(options)
  })
  runtime.hooks.execute.tap('calm', (dispatch) => (options) => dispatch(options).catch(() => dispatch(options)))
  expect(valueOf(await call('echo', { a: 1 }))).toEqual({ a: 1 })
})

test.each([
  [undefined],
  [null],
  ['text'],
  [{}],
  [{ isError: false }],
  [{ isError: true }],
  [{ isError: true, error: { code: 3, message: '' } }],
])('P-50: %j is no result: HOOK_INVALID_DECISION at its layer', async (answer) => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  runtime.hooks.execute.tap('guilty', () => async () => answer as never)
  expect(errorOf(await call('echo'))).toMatchObject({ code: 'HOOK_INVALID_DECISION', details: { tap: 'guilty' } })
})

test('P-50: a success made by a wrapper is validated and rendered anew, its content ignored', async () => {
  const { runtime, call, seen } = await harness()
  const tool = scriptedTool('num', { output: shape, render: (value) => [{ type: 'text', text: `n=${(value as { n: number }).n}` }] })
  runtime.register(tool)
  let value: unknown = { n: 7 }
  runtime.hooks.execute.tap('cache', () => async () => success(value, { content: [{ type: 'text', text: 'forged' }] }))
  expect(await call('num', {}, { callId: 'x' })).toMatchObject({ value: { n: 7 }, content: [{ type: 'text', text: 'n=7' }] })
  expect(seen.recordOf('x')).toMatchObject({ bodyStarted: false, attempts: 0 })
  expect(tool.calls).toHaveLength(0)
  value = { n: 'seven' }
  expect(errorOf(await call('num')).code).toBe('INVALID_TOOL_OUTPUT')
})

test('P-50: an error of a wrapper is rebuilt from known fields; results seen by wrappers are frozen', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  const off = runtime.hooks.execute.tap('watch', (dispatch) => async (options) => {
    const result = await dispatch(options)
    expect(Object.isFrozen(result)).toBe(true)
    expect(Object.isFrozen(result.content[0])).toBe(true)
    return result
  })
  await call('echo')
  off()
  const error = { code: 'QUOTA', message: 'no more', details: { left: 0 }, stack: 'secret' }
  runtime.hooks.execute.tap(
    'quota',
    () => async () => ({ isError: true, error, content: [{ type: 'text', text: 'nothing left' }], extra: 1 }) as ToolResult,
  )
  expect(await call('echo')).toEqual({
    isError: true,
    error: { code: 'QUOTA', message: 'no more', details: { left: 0 } },
    content: [{ type: 'text', text: 'nothing left' }],
  })
})

test('P-51: attempts still running are aborted and awaited; a kept dispatcher never starts the body again', async () => {
  const { runtime, call, seen } = await harness()
  let ended = 0
  const tool = scriptedTool('race', {
    script: [
      { value: 'first' },
      {
        run: (_, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              ended += 1
              reject(signal.reason)
            }),
          ),
      },
    ],
  })
  runtime.register(tool)
  let kept: ToolDispatch | undefined
  runtime.hooks.execute.tap('greedy', (dispatch) => async (options) => {
    kept = dispatch
    const first = dispatch(options)
    void dispatch(options)
    return first
  })
  runtime.hooks.result.tap('after', () => expect(ended).toBe(1))
  expect(valueOf(await call('race', {}, { callId: 'x' }))).toBe('first')
  expect(seen.recordOf('x')?.attempts).toBe(2)
  expect(errorOf(await (kept as ToolDispatch)()).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(tool.calls).toHaveLength(2)
})

test.each<[string, unknown, object]>([
  ['an error', new Error('m'), { code: 'TOOL_FAILED', message: 'm' }],
  ['undefined', undefined, { code: 'TOOL_FAILED' }],
  ['null', null, { code: 'TOOL_FAILED' }],
  ['a string', 'words', { code: 'TOOL_FAILED', message: 'words' }],
  ['a symbol', Symbol('s'), { code: 'TOOL_FAILED' }],
  [
    'a hostile object',
    {
      get message() {
        throw new Error('x')
      },
      get code() {
        throw new Error('x')
      },
    },
    { code: 'TOOL_FAILED' },
  ],
  [
    'a revoked proxy',
    (() => {
      const p = Proxy.revocable({}, {})
      p.revoke()
      return p.proxy
    })(),
    { code: 'TOOL_FAILED' },
  ],
  ['a rejected promise', Promise.resolve(1), { code: 'TOOL_FAILED' }],
  [
    'its own code and details',
    Object.assign(new Error('gone'), { code: 'FS_NOT_FOUND', details: { path: 'a' } }),
    { code: 'FS_NOT_FOUND', details: { path: 'a' } },
  ],
  ['details that are not JSON', Object.assign(new Error('x'), { code: 'MY_CODE', details: { f: () => 1 } }), { code: 'MY_CODE' }],
  ['a code in lower case', Object.assign(new Error('x'), { code: 'eaccess' }), { code: 'TOOL_FAILED' }],
  [
    'a forged pipeline code',
    Object.assign(new Error('x'), { code: 'TOOL_DENIED', details: { a: 1 } }),
    { code: 'TOOL_FAILED', details: { a: 1, code: 'TOOL_DENIED' } },
  ],
  [
    'a forged input code',
    Object.assign(new Error('x'), { code: 'INVALID_TOOL_INPUT' }),
    { code: 'TOOL_FAILED', details: { code: 'INVALID_TOOL_INPUT' } },
  ],
  ['a forged hook code', Object.assign(new Error('x'), { code: 'HOOK_FAILED' }), { code: 'TOOL_FAILED', details: { code: 'HOOK_FAILED' } }],
  [
    'a forged approval code',
    Object.assign(new Error('x'), { code: 'APPROVAL_REJECTED' }),
    { code: 'TOOL_FAILED', details: { code: 'APPROVAL_REJECTED' } },
  ],
  [
    'a forged unknown tool',
    Object.assign(new Error('x'), { code: 'UNKNOWN_TOOL' }),
    { code: 'TOOL_FAILED', details: { code: 'UNKNOWN_TOOL' } },
  ],
])('P-52: throwing %s becomes a result without fail, sync and async', async (_, thrown, expected) => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('sync', { script: { throws: thrown } }))
  runtime.register(scriptedTool('async', { script: { run: () => Promise.reject(thrown) } }))
  for (const name of ['sync', 'async']) {
    const error = errorOf(await call(name))
    expect(error).toMatchObject(expected)
    expect(JSON.stringify(error)).not.toContain('.test.ts')
  }
})

test('P-53: contexts and conclusion of a failed attempt are dropped; those of the answer travel on', async () => {
  const { runtime, call } = await harness()
  let attempt = 0
  runtime.register(
    scriptedTool('talk', {
      script: {
        run: (_, { deferContext, concludeTurn }) => {
          attempt += 1
          deferContext([{ type: 'text', text: `attempt ${attempt}` }])
          concludeTurn()
          if (attempt === 1) throw new Error('again')
          return 'done'
        },
      },
    }),
  )
  runtime.hooks.execute.tap('retry', (dispatch) => async (options) => {
    const first = await dispatch(options)
    return first.isError ? dispatch(options) : first
  })
  expect(await call('talk')).toEqual({
    isError: false,
    value: 'done',
    content: [{ type: 'text', text: 'done' }],
    additionalContexts: [[{ type: 'text', text: 'attempt 2' }]],
    concludesTurn: true,
  })
})

test('P-53: concludesTurn is on a success only, and contexts after the attempt are ignored', async () => {
  const { runtime, call, logs } = await harness()
  const late = deferred<() => void>()
  runtime.register(
    scriptedTool('fails', {
      script: {
        run: (_, { deferContext, concludeTurn }) => {
          concludeTurn()
          late.resolve(() => deferContext([{ type: 'text', text: 'late' }]))
          throw new Error('x')
        },
      },
    }),
  )
  const result = await call('fails')
  ;(await late.promise)()
  expect('concludesTurn' in result).toBe(false)
  expect(result.additionalContexts).toBeUndefined()
  expect(logs.some(({ message }) => message.includes('after the attempt'))).toBe(true)
})

test('P-50, P-62: a wrapper may add contexts to a result', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { run: (_, { deferContext }) => (deferContext([{ type: 'text', text: 'body' }]), 1) } }))
  runtime.hooks.execute.tap('adds', (dispatch) => async (options) => {
    const result = await dispatch(options)
    return { ...result, additionalContexts: [...(result.additionalContexts ?? []), [{ type: 'text', text: 'wrapper' }]] }
  })
  runtime.hooks.postExecute.tap('adds', () => ({ kind: 'accept', additionalContexts: [[{ type: 'text', text: 'post' }]] }))
  expect((await call('echo')).additionalContexts?.flat().map((block) => block.type === 'text' && block.text)).toEqual([
    'body',
    'wrapper',
    'post',
  ])
})
