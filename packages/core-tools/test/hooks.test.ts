import { expect, test } from 'vitest'
import type { PostToolDecision, PreToolDecision, ToolRuntime } from '@toolseam/core-tools'
import { runHookContract, scriptedTool, type HookSubject } from '@toolseam/core-tools/testing'
import { createToolRuntime } from '@toolseam/core-tools'
import { deferred, errorOf, harness, settleMicrotasks, valueOf } from './support.ts'

async function plain(): Promise<ToolRuntime> {
  const runtime = await createToolRuntime()
  runtime.register(scriptedTool('echo', { script: { run: (input, { progress }) => (progress({ message: 'half' }), input) } }))
  return runtime
}

async function subject(
  of: (runtime: ToolRuntime) => Pick<HookSubject, 'tap' | 'intercept'>,
  trigger?: (runtime: ToolRuntime) => void,
): Promise<HookSubject> {
  const runtime = await plain()
  return {
    ...of(runtime),
    trigger: async () => {
      if (trigger === undefined) await runtime.execute({ callId: 'c', name: 'echo' })
      else trigger(runtime)
    },
    dispose: () => runtime.dispose(),
  }
}

runHookContract('tools/pre-execute, sync', () =>
  subject(({ hooks: { preExecute } }) => ({
    tap: (o, visit) => preExecute.tap(o, (d) => (visit(), d)),
    intercept: (i) => preExecute.intercept(i),
  })),
)
runHookContract('tools/pre-execute, async', () =>
  subject(({ hooks: { preExecute } }) => ({
    tap: (o, visit) => preExecute.tapPromise(o, async (d) => (visit(), d)),
    intercept: (i) => preExecute.intercept(i),
  })),
)
runHookContract('tools/execute', () =>
  subject(({ hooks: { execute } }) => ({ tap: (o, visit) => execute.tap(o, (d) => (visit(), d)), intercept: (i) => execute.intercept(i) })),
)
runHookContract('tools/post-execute, sync', () =>
  subject(({ hooks: { postExecute } }) => ({
    tap: (o, visit) => postExecute.tap(o, (d) => (visit(), d)),
    intercept: (i) => postExecute.intercept(i),
  })),
)
runHookContract('tools/post-execute, async', () =>
  subject(({ hooks: { postExecute } }) => ({
    tap: (o, visit) => postExecute.tapPromise(o, async (d) => (visit(), d)),
    intercept: (i) => postExecute.intercept(i),
  })),
)
runHookContract('tools/result', () =>
  subject(({ hooks: { result } }) => ({ tap: (o, visit) => result.tap(o, visit), intercept: (i) => result.intercept(i) })),
)
runHookContract('tools/progress', () =>
  subject(({ hooks: { progress } }) => ({ tap: (o, visit) => progress.tap(o, visit), intercept: (i) => progress.intercept(i) })),
)
runHookContract('tools/change', () =>
  subject(
    ({ hooks: { change } }) => ({ tap: (o, visit) => change.tap(o, visit), intercept: (i) => change.intercept(i) }),
    (runtime) => void runtime.register(scriptedTool(`t${Math.random().toString(36).slice(2)}`)),
  ),
)

test('P-18: only the waterfalls take a timeout, and a whole one', async () => {
  const { runtime } = await harness()
  expect(() => runtime.hooks.result.tap({ name: 'a', timeoutMs: 5 } as never, () => undefined)).toThrowError(/timeoutMs/)
  expect(() => runtime.hooks.preExecute.tap({ name: 'a', timeoutMs: 0 }, (d) => d)).toThrowError(/timeoutMs/)
  expect(() => runtime.hooks.preExecute.tap({ name: 'a', timeoutMs: 1.5 }, (d) => d)).toThrowError(/timeoutMs/)
  expect(() => runtime.hooks.preExecute.tap('a', 'no function' as never)).toThrowError(/function/)
})

test('P-19: global taps, then the chain from the farthest ancestor to the nearest; foreign scopes never', async () => {
  const { runtime } = await harness()
  const order: string[] = []
  runtime.scope('root')
  runtime.scope('child', { extends: 'root' })
  runtime.scope('other')
  const visit = (name: string) => (decision: PreToolDecision) => {
    order.push(name)
    return decision
  }
  runtime.scope('child').hooks.preExecute.tap('child', visit('child'))
  runtime.scope('other').hooks.preExecute.tap('other', visit('other'))
  runtime.scope('root').hooks.preExecute.tapPromise('root', async (d) => visit('root')(d))
  runtime.hooks.preExecute.tap('global', visit('global'))
  runtime.register(scriptedTool('echo'))
  await runtime.execute({ callId: '1', name: 'echo', agent: 'child' })
  expect(order.splice(0)).toEqual(['global', 'root', 'child'])
  await runtime.execute({ callId: '2', name: 'echo' })
  expect(order.splice(0)).toEqual(['global'])
  await runtime.execute({ callId: '3', name: 'echo', agent: 'nobody-knows' })
  expect(order.splice(0)).toEqual(['global'])
})

test('P-19: guards, wrappers, post taps and observers follow the same order', async () => {
  const { runtime } = await harness()
  runtime.scope('root')
  runtime.scope('child', { extends: 'root' })
  const order: string[] = []
  for (const [name, target] of [
    ['child', runtime.scope('child')],
    ['root', runtime.scope('root')],
    ['global', runtime],
  ] as const) {
    target.guard(() => void order.push(`guard ${name}`) as undefined)
    target.hooks.execute.tap(name, (dispatch) => async (options) => {
      order.push(`enter ${name}`)
      return dispatch(options)
    })
    target.hooks.postExecute.tap(name, (d) => (order.push(`post ${name}`), d))
    target.hooks.result.tap(name, () => order.push(`result ${name}`))
  }
  runtime.register(scriptedTool('echo'))
  await runtime.execute({ callId: '1', name: 'echo', agent: 'child' })
  expect(order).toEqual([
    'guard global',
    'guard root',
    'guard child',
    'enter child',
    'enter root',
    'enter global',
    'post global',
    'post root',
    'post child',
    'result global',
    'result root',
    'result child',
  ])
})

test('P-20: a promise from tap is a malformed value', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  runtime.hooks.preExecute.tap('late', (async () => {
    throw new Error('unseen')
  }) as never)
  const error = errorOf(await call('echo'))
  expect(error.code).toBe('HOOK_INVALID_DECISION')
  expect(error.message).toContain('"late"')
  expect(error.message).toContain('tapPromise')
  expect(tool.calls).toHaveLength(0)
})

test('P-20: tapPromise may give a value or a promise', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  runtime.hooks.preExecute.tapPromise('value', (d) => d)
  runtime.hooks.preExecute.tapPromise('promise', async (d) => d)
  runtime.hooks.preExecute.tapPromise('thenable', (d) => ({ then: (ok: (d: PreToolDecision) => void) => ok(d) }) as never)
  expect(valueOf(await call('echo', { a: 1 }))).toEqual({ a: 1 })
  expect('tapPromise' in runtime.hooks.execute).toBe(false)
  expect('tapPromise' in runtime.hooks.result).toBe(false)
})

const MALFORMED: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['an array', []],
  ['a string', 'allow'],
  ['true', true],
  ['an unknown kind', { kind: 'maybe' }],
  ['no kind', {}],
  ['a deny without reason', { kind: 'deny' }],
  ['a deny with an empty reason', { kind: 'deny', reason: '' }],
  ['a deny whose reason is no string', { kind: 'deny', reason: 3 }],
  ['a by that is no string', { kind: 'allow', by: 3 }],
  ['an ask whose reason is no string', { kind: 'ask', reason: {} }],
  [
    'a throwing getter',
    {
      get kind() {
        throw new Error('no')
      },
    },
  ],
  [
    'a revoked proxy',
    (() => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    })(),
  ],
  ['arguments that are not JSON', { kind: 'allow', arguments: { a: 1n } }],
]

test.each(MALFORMED)('P-21: %s fails closed and is blamed by name', async (_, bad) => {
  for (const method of ['tap', 'tapPromise'] as const) {
    const { runtime, call } = await harness()
    const tool = scriptedTool('echo')
    runtime.register(tool)
    runtime.hooks.preExecute[method]('guilty', () => bad as PreToolDecision)
    let later = 0
    runtime.hooks.preExecute.tap('later', (d) => ((later += 1), d))
    const error = errorOf(await call('echo'))
    expect(error.code).toBe('HOOK_INVALID_DECISION')
    expect(error.details).toMatchObject({ hook: 'tools/pre-execute', tap: 'guilty' })
    expect(error.message).toContain('"guilty"')
    expect(tool.calls).toHaveLength(0)
    expect(later).toBe(0)
  }
})

test('P-21: fields are read once, so a flip-flop getter cannot say two things', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  let reads = 0
  runtime.hooks.preExecute.tap(
    'flip',
    () =>
      ({
        get kind() {
          reads += 1
          return reads === 1 ? 'deny' : 'allow'
        },
        reason: 'no',
      }) as PreToolDecision,
  )
  expect(errorOf(await call('echo')).code).toBe('TOOL_DENIED')
  expect(reads).toBe(1)
})

test('P-21: fields that the contract does not name are dropped', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  runtime.hooks.preExecute.tap('first', () => ({ kind: 'ask', by: 'rule', extra: 1 }) as PreToolDecision)
  let seen: PreToolDecision | undefined
  runtime.hooks.preExecute.tap('second', (d) => (seen = d))
  await call('echo')
  expect(seen).toEqual({ kind: 'ask', by: 'rule' })
  expect(Object.isFrozen(seen)).toBe(true)
})

test.each([
  [
    'throw',
    () => {
      throw new Error('boom')
    },
  ],
  [
    'hostile throw',
    () => {
      throw Object.defineProperty({}, 'message', {
        get() {
          throw new Error('worse')
        },
      })
    },
  ],
  [
    'throws undefined',
    () => {
      throw undefined
    },
  ],
])('P-22: %s is HOOK_FAILED, names the tap, and the body does not run', async (_, fn) => {
  for (const method of ['tap', 'tapPromise'] as const) {
    const { runtime, call } = await harness()
    const tool = scriptedTool('echo')
    runtime.register(tool)
    runtime.hooks.preExecute[method]('guilty', fn as never)
    const error = errorOf(await call('echo'))
    expect(error).toMatchObject({ code: 'HOOK_FAILED', details: { hook: 'tools/pre-execute', tap: 'guilty' } })
    expect(tool.calls).toHaveLength(0)
  }
})

test('P-22: a rejection is HOOK_FAILED', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  runtime.hooks.preExecute.tapPromise('guilty', () => Promise.reject(new Error('no')))
  expect(errorOf(await call('echo'))).toMatchObject({ code: 'HOOK_FAILED', details: { tap: 'guilty', reason: 'no' } })
})

test('P-22: a hang is HOOK_TIMEOUT after the tap’s own time, and the late answer is ignored', async () => {
  const { runtime, call, logs } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  const late = deferred<PreToolDecision>()
  runtime.hooks.preExecute.tapPromise({ name: 'slow', timeoutMs: 20 }, () => late.promise)
  const error = errorOf(await call('echo'))
  expect(error).toMatchObject({ code: 'HOOK_TIMEOUT', details: { tap: 'slow' } })
  late.resolve({ kind: 'allow' })
  await settleMicrotasks()
  expect(tool.calls).toHaveLength(0)
  expect(logs.some(({ message }) => message.includes('late answer of tap "slow"'))).toBe(true)
})

test('P-22: without a timeout of its own the runtime’s holds', async () => {
  const { runtime, call } = await harness({ hookTimeoutMs: 20 })
  runtime.register(scriptedTool('echo'))
  runtime.hooks.postExecute.tapPromise('slow', () => new Promise<PostToolDecision>(() => undefined))
  expect(errorOf(await call('echo'))).toMatchObject({ code: 'HOOK_TIMEOUT', details: { hook: 'tools/post-execute', tap: 'slow' } })
})

test('P-22: an interceptor that throws fails closed too', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  runtime.hooks.preExecute.intercept({
    call: () => {
      throw new Error('bad interceptor')
    },
  })
  expect(errorOf(await call('echo')).code).toBe('HOOK_FAILED')
  expect(tool.calls).toHaveLength(0)
})

test('P-22: an interceptor that throws between asynchronous taps settles the call', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  runtime.hooks.preExecute.tapPromise('a', async (d) => d)
  runtime.hooks.preExecute.tapPromise('b', async (d) => d)
  runtime.hooks.preExecute.intercept({
    tap: ({ name }) => {
      if (name === 'b') throw new Error('bad interceptor')
    },
  })
  expect(errorOf(await call('echo')).code).toBe('HOOK_FAILED')
  expect(tool.calls).toHaveLength(0)
})

test('P-23: a failing observer is logged by name, changes nothing, and the next one runs', async () => {
  const { runtime, call, logs } = await harness()
  runtime.register(scriptedTool('echo'))
  let next = 0
  runtime.hooks.result.tap('throws', () => {
    throw new Error('observer')
  })
  runtime.hooks.result.tap('rejects', async () => {
    throw new Error('later')
  })
  runtime.hooks.result.tap('next', () => (next += 1))
  expect(valueOf(await call('echo', { a: 1 }))).toEqual({ a: 1 })
  await settleMicrotasks()
  expect(next).toBe(1)
  expect(logs.map(({ message }) => message)).toEqual(
    expect.arrayContaining([expect.stringContaining('"throws"'), expect.stringContaining('"rejects"')]),
  )
})

test('P-24: returning the received object is abstaining and leaves no trail', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('echo'))
  runtime.hooks.preExecute.tap('a', (d) => d)
  runtime.hooks.preExecute.tapPromise('b', async (d) => d)
  await call('echo', {}, { callId: 'x' })
  expect(seen.recordOf('x')).toMatchObject({ trail: [], decision: { kind: 'allow', by: 'default' } })
})
