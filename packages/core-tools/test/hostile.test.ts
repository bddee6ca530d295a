/**
 * What comes from outside and means harm, or just goes wrong in an odd place: no call hangs, none rejects, nothing gets through.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  Approval,
  createToolRuntime,
  TOOL_RUNTIME_SCHEDULER,
  type ToolDispatch,
  type ToolExecutionToken,
  type ToolResult,
} from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { approver, deferred, errorOf, harness, settleMicrotasks, valueOf } from './support.ts'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(async () => {
  await settleMicrotasks()
  process.off('unhandledRejection', note)
  expect(unhandled.splice(0)).toEqual([])
})

const rejecting = (): never => Promise.reject(new Error('nobody waits for this')) as never
const hostileThenable = {
  // oxlint-disable-next-line unicorn/no-thenable
  then() {
    throw new Error('then threw')
  },
}

test.each([undefined, null, 0, ''])('P-17, P-22: an interceptor that throws %j fails closed all the same', async (thrown) => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo', { script: { value: 1 } })
  runtime.register(tool)
  const dispose = runtime.hooks.preExecute.intercept({
    call: () => {
      throw thrown
    },
  })
  runtime.hooks.preExecute.tap('no', () => ({ kind: 'deny', reason: 'never' }))
  expect(errorOf(await call('echo')).code).toBe('HOOK_FAILED')
  dispose()
  runtime.hooks.postExecute.intercept({
    call: () => {
      throw thrown
    },
  })
  expect(errorOf(await call('echo')).code).toBe('HOOK_FAILED')
  expect(tool.calls).toHaveLength(0)
})

test('P-40: a guard that returns something with a hostile then fails closed', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  const dispose = runtime.guard(() => hostileThenable as never, { name: 'odd' })
  expect(errorOf(await call('echo')).code).toBe('HOOK_INVALID_DECISION')
  dispose()
  runtime.guard(rejecting)
  expect(errorOf(await call('echo')).code).toBe('HOOK_INVALID_DECISION')
})

test('P-40: a guard whose name is no string is called guard', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  runtime.guard(Object.defineProperty(() => 'no', 'name', { value: 1n }))
  expect(errorOf(await call('echo')).details).toEqual({ by: 'guard', reason: 'no' })
})

test('P-33, P-34: a tap called "default" is a tap like any other', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  const met: unknown[] = []
  runtime.hooks.preExecute.tap('default', () => ({ kind: 'deny', reason: 'first' }))
  runtime.hooks.preExecute.tap('looks', (decision) => {
    met.push(decision)
    return decision
  })
  runtime.hooks.preExecute.tap('later', () => ({ kind: 'deny', reason: 'second' }))
  expect(errorOf(await call('echo', {}, { callId: 'x' })).details).toEqual({ by: 'default', reason: 'first' })
  expect(met).toEqual([{ kind: 'deny', by: 'default', reason: 'first' }])
  expect(seen.recordOf('x')?.decision).toEqual({ kind: 'deny', by: 'default', reason: 'first' })
})

test('P-43: nothing of an ask can be changed by the one who answers', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { run: (_, { call: nested }) => nested('echo', { a: 1 }) } }))
  runtime.hooks.preExecute.tap('asks', () => ({ kind: 'ask', reason: 'why' }))
  const requests = approver(runtime, [{ outcome: 'approved' }, { outcome: 'rejected' }])
  await call('echo')
  expect(requests).toHaveLength(2)
  for (const { askers, parents } of requests) {
    for (const list of [askers, parents])
      expect([Object.isFrozen(list), list.every((entry) => Object.isFrozen(entry))]).toEqual([true, true])
  }
})

test('P-14: a thenable of any make is an asynchronous validator', async () => {
  const { runtime, call } = await harness()
  // Not a Promise, and its then gives nothing back.
  // oxlint-disable-next-line unicorn/no-thenable
  const late = (outcome: object): object => ({ then: (resolve: (value: unknown) => void) => void setTimeout(() => resolve(outcome), 1) })
  const validate = (value: unknown): never => late((value as { bad?: true }).bad ? { issues: [{ message: 'bad' }] } : { value }) as never
  const schema = { schema: { '~standard': { version: 1 as const, vendor: 'x', validate } }, jsonSchema: { type: 'object' } }
  runtime.register(scriptedTool('echo', { input: schema, script: { value: 1 } }))
  expect(valueOf(await call('echo'))).toBe(1)
  expect(errorOf(await call('echo', { bad: true })).details).toEqual({ issues: [{ path: '', message: 'bad' }] })
})

test.each(['render', 'meta', 'finalizeContent'] as const)(
  'P-58, P-65: an asynchronous %s that rejects is withheld and reaches nobody',
  async (field) => {
    const { runtime, call } = await harness()
    runtime.register({ ...scriptedTool('echo', { script: { value: 1 } }), [field]: rejecting })
    expect(errorOf(await call('echo')).code).toBe('INVALID_TOOL_OUTPUT')
  },
)

test('P-47, P-75: an asynchronous wrapper or classifier that rejects reaches nobody', async () => {
  const { runtime, call } = await harness()
  runtime.register({ ...scriptedTool('echo', { script: { value: 1 } }), concurrency: rejecting })
  const [result] = await runtime.executeAll([{ callId: 'a', name: 'echo' }])
  expect(valueOf(result as ToolResult)).toBe(1)
  runtime.hooks.execute.tap('async', rejecting)
  expect(errorOf(await call('echo')).code).toBe('HOOK_INVALID_DECISION')
})

test('P-49, P-51: the rejection of an attempt that a wrapper let go of reaches nobody', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  let attempts = 0
  runtime.hooks.execute.tap('inner', (dispatch) => async (options) => {
    attempts += 1
    if (attempts === 1) throw new Error('first')
    return dispatch(options)
  })
  runtime.hooks.execute.tap('outer', (dispatch) => async (options) => {
    void dispatch(options)
    return dispatch(options)
  })
  expect(valueOf(await call('echo'))).toBe(1)
})

test('P-50, P-62: a wrapper may add contexts to an error as well', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { throws: new Error('x') } }))
  runtime.hooks.execute.tap('adds', (dispatch) => async (options) => ({
    ...(await dispatch(options)),
    additionalContexts: [[{ type: 'text', text: 'wrapper' }]],
  }))
  const result = await call('echo')
  expect(errorOf(result).code).toBe('TOOL_FAILED')
  expect(result.additionalContexts).toEqual([[{ type: 'text', text: 'wrapper' }]])
})

test('P-26: fields that cannot be read, and what only looks like a token, make no call', async () => {
  const { runtime, seen } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  const key = Symbol.for('toolseam.execution-token')
  const unreadable = new Proxy({}, { get: () => { throw new Error('no') }, has: () => { throw new Error('no') } }) // oxfmt-ignore
  const throwing = (field: string): object => Object.defineProperty({ callId: 'x', name: 'echo' }, field, { get: () => { throw new Error('no') } }) // oxfmt-ignore
  const inputs: object[] = ['callId', 'name', 'agent', 'caller', 'rootCallId', 'parent', 'turnId', 'signal'].map(throwing)
  for (const parent of [
    { [key]: undefined },
    { [key]: null },
    { [key]: 5 },
    { [key]: {} },
    { [key]: { callId: 'x', rootCallId: 'x', name: 'x', depth: -1, settled: false } },
    unreadable,
  ]) {
    inputs.push({ callId: 'x', name: 'echo', parent })
  }
  inputs.push({ callId: 'x', name: 'echo', signal: unreadable })
  for (const input of inputs) await expect(runtime.execute(input as never)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  expect(seen.events).toEqual([])
})

test('P-26, P-55: a signal that breaks later counts as aborted, and the call settles', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  runtime.register(scriptedTool('nest', { script: { run: async (args, { call: nested }) => nested('echo', {}, { signal: broken() }) } }))
  const broken = (): AbortSignal => {
    let looks = 0
    return {
      get aborted() {
        looks += 1
        if (looks > 1) throw new Error('no')
        return false
      },
      get reason() {
        throw new Error('no')
      },
      addEventListener() {
        throw new Error('no')
      },
      removeEventListener() {},
    } as never
  }
  expect(errorOf(await call('echo', {}, { signal: broken() })).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(valueOf(await call('nest'))).toMatchObject({ error: { code: 'TOOL_ABORTED_BEFORE_DISPATCH' } })
})

test('P-73: a hole in the batch is no call', async () => {
  const { runtime, seen } = await harness()
  const inputs = [{ callId: 'a', name: 'x' }]
  inputs[2] = { callId: 'c', name: 'x' }
  await expect(runtime.executeAll(inputs)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  expect(seen.events).toEqual([])
})

test('P-55: the last look at the abort does not depend on whether anybody taps post-execute', async () => {
  const runtime = await createToolRuntime()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  const caller = new AbortController()
  runtime.hooks.execute.tap('slow', (dispatch) => async (options) => {
    const result = await dispatch(options)
    caller.abort(new Error('enough'))
    return result
  })
  const result = await runtime.execute({ callId: 'x', name: 'echo', signal: caller.signal })
  expect(errorOf(result)).toMatchObject({ code: 'TOOL_ABORTED', details: { reason: 'enough' } })
  await runtime.dispose()
})

test('P-70, P-84: what a body does while its calls are awaited comes too late', async () => {
  const { runtime, call, seen } = await harness()
  const late = deferred<ToolResult>()
  runtime.register(
    scriptedTool('slow', {
      script: {
        run: (_, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), 5))),
      },
    }),
  )
  runtime.register(
    scriptedTool('root', {
      script: {
        run: (_, { call: nested, progress, deferContext }) => {
          void nested('slow', {}).then(() => undefined)
          setTimeout(() => {
            progress({ message: 'late' })
            deferContext([{ type: 'text', text: 'late' }])
            nested('slow', {}).then(late.resolve, late.reject)
          }, 2)
          return 'done'
        },
      },
    }),
  )
  const result = await call('root', {}, { callId: 'r' })
  expect(valueOf(result)).toBe('done')
  expect(result.additionalContexts).toBeUndefined()
  expect(errorOf(await late.promise).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(seen.lines().filter((line) => line.startsWith('progress'))).toEqual([])
  expect(seen.lines().filter((line) => line.startsWith('result'))).toEqual(['result r:1', 'result r'])
})

test('P-70: a call handed in with the token of a parent that has settled is answered, and is no call', async () => {
  const { runtime, call, seen } = await harness()
  const tool = scriptedTool('echo', { script: { value: 1 } })
  runtime.register(tool)
  let parent: ToolExecutionToken | undefined
  runtime.hooks.result.tap('keep', ({ token }) => void (parent ??= token))
  await call('echo', {}, { callId: 'root' })
  expect(errorOf(await call('echo', {}, { callId: 'late', parent: parent as ToolExecutionToken })).code).toBe(
    'TOOL_ABORTED_BEFORE_DISPATCH',
  )
  expect(tool.calls).toHaveLength(1)
  expect(seen.lines().filter((line) => line.endsWith(' late'))).toEqual([])
})

test('P-57: whoever is told of an outlived body cannot keep the call from settling', async () => {
  const { runtime } = await harness({ abortGraceMs: 5 })
  const staged = runtime[TOOL_RUNTIME_SCHEDULER]
  const over = deferred<unknown>()
  // oxlint-disable-next-line unicorn/no-thenable
  const body = { then: (_: unknown, reject: (error: unknown) => void) => void over.promise.then(reject) }
  runtime.register(scriptedTool('stuck', { script: { run: () => body } }))
  const caller = new AbortController()
  const prepared = await staged.prepare({ callId: 'x', name: 'stuck', signal: caller.signal })
  if (prepared.kind !== 'dispatch') throw new Error(prepared.kind)
  const dispatched = staged.dispatch(prepared, {
    outlived() {
      throw new Error('cannot be told')
    },
  })
  caller.abort()
  const outcome = await dispatched
  if (outcome.kind !== 'final-result') throw new Error(outcome.kind)
  expect(errorOf(await staged.finish(outcome))).toMatchObject({ code: 'TOOL_ABORTED', details: { detached: true } })
  over.resolve(new Error('late'))
})

test.each<[string, () => unknown]>([
  ['throws', () => { throw new Error('lost') }], // oxfmt-ignore
  ['rejects', () => Promise.reject(new Error('lost'))],
  ['answers nonsense', () => undefined],
])('P-32, P-69: a nested call settles when whoever runs its body %s', async (_, run) => {
  const { runtime, seen } = await harness()
  const staged = runtime[TOOL_RUNTIME_SCHEDULER]
  runtime.register(scriptedTool('child', { script: { value: 1 } }))
  runtime.register(
    scriptedTool('root', { script: { run: async (__, { call: nested }) => [await nested('child', {}), await nested('child', {})] } }),
  )
  const prepared = await staged.prepare({ callId: 'x', name: 'root' })
  if (prepared.kind !== 'dispatch') throw new Error(prepared.kind)
  const outcome = await staged.dispatch(prepared, { call: run as never })
  if (outcome.kind !== 'post-result') throw new Error(outcome.kind)
  expect(valueOf(await staged.finalize(outcome))).toMatchObject([{ error: { code: 'TOOL_ABORTED' } }, { error: { code: 'TOOL_ABORTED' } }])
  expect(seen.lines().filter((line) => line.startsWith('result'))).toEqual(['result x:1', 'result x:2', 'result x'])
})

test('P-32, P-66: a dispatch cannot be given up while its result is being published', async () => {
  const { runtime, seen } = await harness()
  const staged = runtime[TOOL_RUNTIME_SCHEDULER]
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  const gate = deferred()
  runtime.hooks.postExecute.tapPromise('slow', (decision) => gate.promise.then(() => decision))
  const prepared = await staged.prepare({ callId: 'x', name: 'echo' })
  if (prepared.kind !== 'dispatch') throw new Error(prepared.kind)
  const outcome = await staged.dispatch(prepared)
  if (outcome.kind !== 'post-result') throw new Error(outcome.kind)
  const published = staged.finalize(outcome)
  const given = { aborted: { code: 'TOOL_ABORTED', reason: 'late' } } as const
  await expect(staged.finish(prepared, given)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  gate.resolve()
  expect(valueOf(await published)).toBe(1)
  expect(seen.lines().filter((line) => line.startsWith('result'))).toEqual(['result x'])
})

test('P-32, P-82: a misuse of the staged view leaves no call behind', async () => {
  const { runtime } = await harness()
  const staged = runtime[TOOL_RUNTIME_SCHEDULER]
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  await expect(staged.finish({ callId: 'x', name: 'echo' }, {} as never)).rejects.toThrow()
  const prepared = await staged.prepare({ callId: 'y', name: 'echo' })
  if (prepared.kind !== 'dispatch') throw new Error(prepared.kind)
  await expect(staged.finish(prepared, {} as never)).rejects.toThrow()
  await expect(staged.dispatch(prepared, { signal: 5 as never })).rejects.toMatchObject({ code: 'INVALID_CALL' })
  expect(valueOf(await staged.finalize((await staged.dispatch(prepared)) as never))).toBe(1)
})

test('P-73, P-82: a batch does not reject when the runtime is disposed while a slow call holds up the rest', async () => {
  const { runtime, seen } = await harness({ abortGraceMs: 10 })
  const gate = deferred()
  runtime.register({ ...scriptedTool('stuck', { script: { run: () => gate.promise } }), concurrency: 'parallel' })
  runtime.register({ ...scriptedTool('quick', { script: { value: 1 } }), concurrency: 'parallel' })
  // The head is longer on its way than several graces: its wrapper does not hear the abort either.
  runtime.hooks.postExecute.tapPromise('slow', (decision) => new Promise((done) => setTimeout(() => done(decision), 60)))
  runtime.hooks.execute.tap('deaf', (dispatch) => async (options) => {
    const result = await dispatch(options)
    await new Promise((done) => setTimeout(done, 15))
    return result
  })
  const batch = runtime.executeAll([
    { callId: 'a', name: 'stuck' },
    { callId: 'b', name: 'quick' },
    { callId: 'c', name: 'quick' },
  ])
  await settleMicrotasks()
  await runtime.dispose()
  gate.resolve()
  expect((await batch).map((result) => result.isError)).toEqual([true, true, true])
  expect(seen.lines().filter((line) => line.startsWith('result'))).toEqual(['result a', 'result b', 'result c'])
})

test('P-81, P-82: a plugin that is still being applied when the runtime is disposed is taken back', async () => {
  const { runtime } = await harness()
  const gate = deferred()
  const events: string[] = []
  const using = runtime.use({
    name: 'late',
    async apply() {
      await gate.promise
      events.push('applied')
      return Object.assign(() => void events.push('disposed'), { [Symbol.dispose]() {} })
    },
  })
  await runtime.dispose()
  gate.resolve()
  await expect(using).rejects.toMatchObject({ code: 'INVALID_PLUGIN', details: { plugin: 'late' } })
  expect(events).toEqual(['applied', 'disposed'])
})

test('P-57: a grace of the greatest length is not cut short', async () => {
  const { runtime } = await harness({ abortGraceMs: 2_147_483_647 })
  const gate = deferred()
  runtime.register(scriptedTool('stuck', { script: { run: () => gate.promise } }))
  runtime.hooks.execute.tap(
    'wraps',
    (dispatch): ToolDispatch =>
      (options) =>
        dispatch(options),
  )
  const caller = new AbortController()
  const done = runtime.execute({ callId: 'x', name: 'stuck', signal: caller.signal })
  await settleMicrotasks()
  caller.abort()
  await new Promise((wait) => setTimeout(wait, 20))
  gate.resolve()
  const { details } = errorOf(await done)
  expect(details).not.toHaveProperty('detached')
})

test('P-44: an approval service that is nothing is none', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo', { script: { value: 1 } }))
  runtime.hooks.preExecute.tap('asks', () => ({ kind: 'ask' }))
  runtime.services.provide(Approval, null as never)
  expect(errorOf(await call('echo')).code).toBe('APPROVAL_UNAVAILABLE')
})

test('P-25: one order, whatever the call meets', async () => {
  const { runtime, call } = await harness()
  const steps: string[] = []
  const step = <T>(name: string, value: T): T => (steps.push(name), value)
  const validate = (value: unknown): { value: unknown } => step('validate', { value })
  const input = { schema: { '~standard': { version: 1 as const, vendor: 'x', validate } }, jsonSchema: { type: 'object' } }
  runtime.register({
    ...scriptedTool('echo', { input, script: { run: () => step('body', 1) } }),
    finalizeContent: () => step('finalize', undefined),
  })
  runtime.hooks.preExecute.tap('asks', () => step('pre', { kind: 'ask' }))
  runtime.guard(() => step('guard', undefined))
  approver(runtime, [() => step('ask', { outcome: 'approved' })])
  runtime.hooks.execute.tap('wraps', (dispatch) => step('wrap', dispatch))
  runtime.hooks.postExecute.tap('judges', (decision) => step('post', decision))
  runtime.hooks.result.tap('hears', () => step('result', undefined))
  await call('echo', step('read', {})).then(() => step('promise', undefined))
  expect(steps).toEqual(['read', 'validate', 'pre', 'guard', 'ask', 'guard', 'wrap', 'body', 'post', 'finalize', 'result', 'promise'])
})
