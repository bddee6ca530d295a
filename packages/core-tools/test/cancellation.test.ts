import * as z from 'zod'
import { expect, test } from 'vitest'
import type { AskAnswer, PostToolDecision, PreToolDecision } from '@toolseam/core-tools'
import { scriptedTool, type Script } from '@toolseam/core-tools/testing'
import { approver, deferred, errorOf, harness, settleMicrotasks, valueOf, type Harness } from './support.ts'

function listening(signal: AbortSignal): { count(): number } {
  let count = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = ((...args: Parameters<typeof add>) => ((count += 1), add(...args))) as typeof add
  signal.removeEventListener = ((...args: Parameters<typeof remove>) => ((count -= 1), remove(...args))) as typeof remove
  return { count: () => count }
}

async function abortDuring(arrange: (h: Harness, reached: () => void) => void, more: { input?: unknown; script?: Script } = {}) {
  const h = await harness({ abortGraceMs: 20 })
  const tool = scriptedTool('echo', {
    ...(more.input === undefined ? {} : { input: more.input as never }),
    ...(more.script === undefined ? {} : { script: more.script }),
  })
  h.runtime.register(tool)
  const reached = deferred()
  arrange(h, reached.resolve)
  const controller = new AbortController()
  const pending = h.call('echo', {}, { signal: controller.signal })
  await reached.promise
  controller.abort(new Error('stop'))
  return { error: errorOf(await pending), bodies: tool.calls.length }
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined)

test('P-55: aborted before the start', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  expect(errorOf(await call('echo', {}, { signal: AbortSignal.abort('why') }))).toMatchObject({
    code: 'TOOL_ABORTED_BEFORE_DISPATCH',
    details: { reason: 'why' },
  })
  expect(tool.calls).toHaveLength(0)
})

test('P-13: not JSON beats a signal that was aborted before', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  expect(errorOf(await call('echo', '{', { signal: AbortSignal.abort() })).code).toBe('INVALID_TOOL_INPUT')
})

test('P-55: during asynchronous validation', async () => {
  let reach = (): void => undefined
  const schema = z.object({}).refine(() => (reach(), never<boolean>()))
  const { error, bodies } = await abortDuring((_, reached) => (reach = reached), { input: { schema, jsonSchema: { type: 'object' } } })
  expect(error.code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(bodies).toBe(0)
})

test('P-55: during pre-execute, at once; the rest of the chain does not run', async () => {
  let later = 0
  const { error, bodies } = await abortDuring(({ runtime }, reached) => {
    runtime.hooks.preExecute.tapPromise('hangs', () => (reached(), never<PreToolDecision>()))
    runtime.hooks.preExecute.tap('later', (d) => ((later += 1), d))
  })
  expect(error.code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(bodies).toBe(0)
  expect(later).toBe(0)
})

test('P-55: during the ask', async () => {
  const { error, bodies } = await abortDuring(({ runtime }, reached) => {
    runtime.hooks.preExecute.tap('asks', () => ({ kind: 'ask' }))
    approver(runtime, [() => (reached(), never<AskAnswer>())])
  })
  expect(error.code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(bodies).toBe(0)
})

test('P-55: during a wrapper that never dispatches', async () => {
  const { error, bodies } = await abortDuring(({ runtime }, reached) => {
    runtime.hooks.execute.tap('waits', (dispatch) => async (options) => {
      reached()
      await settleMicrotasks()
      return dispatch(options)
    })
  })
  expect(error.code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(bodies).toBe(0)
})

test('P-55: a wrapper deaf to the abort does not hold the call for ever', async () => {
  const { error } = await abortDuring(({ runtime }, reached) => {
    runtime.hooks.execute.tap('deaf', () => () => (reached(), never()))
  })
  expect(error).toMatchObject({ code: 'TOOL_ABORTED_BEFORE_DISPATCH', details: { detached: true } })
})

test('P-55: during the body', async () => {
  let reach = (): void => undefined
  const run: Script = {
    run: (_, { signal }) => new Promise((_resolve, reject) => (reach(), signal.addEventListener('abort', () => reject(signal.reason)))),
  }
  const { error } = await abortDuring((_, reached) => (reach = reached), { script: run })
  expect(error).toMatchObject({ code: 'TOOL_ABORTED', details: { reason: 'stop' } })
})

test('P-55: a success is replaced, during the body and during post-execute', async () => {
  let reach = (): void => undefined
  const go = deferred()
  const answered = await abortDuring(
    (_, reached) => {
      reach = () => {
        reached()
        setTimeout(go.resolve, 1)
      }
    },
    { script: { run: async () => (reach(), await go.promise, 'value') } },
  )
  expect(answered.error.code).toBe('TOOL_ABORTED')
  const post = await abortDuring(({ runtime }, reached) => {
    runtime.hooks.postExecute.tapPromise('slow', async (d) => (reached(), await settleMicrotasks(), d))
  })
  expect(post.error.code).toBe('TOOL_ABORTED')
})

test('P-55: a denial, a hook failure and an own error keep their name', async () => {
  const denied = await abortDuring(({ runtime }, reached) => {
    runtime.hooks.preExecute.tap('denies', () => ({ kind: 'deny', reason: 'no' }))
    runtime.hooks.preExecute.tapPromise('slow', () => (reached(), never<PreToolDecision>()))
  })
  expect(denied.error.code).toBe('TOOL_DENIED')
  let reach = (): void => undefined
  const own: Script = {
    run: (_, { signal }) =>
      new Promise(
        (_resolve, reject) => (
          reach(),
          signal.addEventListener('abort', () => reject(Object.assign(new Error('mine'), { code: 'MY_ERROR' })))
        ),
      ),
  }
  expect((await abortDuring((_, reached) => (reach = reached), { script: own })).error.code).toBe('MY_ERROR')
  const failed = await abortDuring(({ runtime }, reached) => {
    runtime.hooks.postExecute.tapPromise(
      'fails',
      async () => (reached(), await settleMicrotasks(), undefined as unknown as PostToolDecision),
    )
  })
  expect(failed.error.code).toBe('HOOK_INVALID_DECISION')
})

test.each([
  ['the reason itself', (signal: AbortSignal) => signal.reason],
  ['an AbortError', () => new DOMException('x', 'AbortError')],
  ['code ABORT_ERR', () => Object.assign(new Error('x'), { code: 'ABORT_ERR' })],
  ['code TOOL_ABORTED with details', () => Object.assign(new Error('x'), { code: 'TOOL_ABORTED', details: { partial: 'out' } })],
])('P-55: a body that throws %s while aborted counts as aborted', async (label, thrown) => {
  let reach = (): void => undefined
  const script: Script = {
    run: (_, { signal }) => new Promise((_resolve, reject) => (reach(), signal.addEventListener('abort', () => reject(thrown(signal))))),
  }
  const { error } = await abortDuring((_, reached) => (reach = reached), { script })
  expect(error.code).toBe('TOOL_ABORTED')
  if (label.includes('details')) expect(error.details).toMatchObject({ partial: 'out' })
})

test('P-52: an abort error without an abort is an ordinary failure', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('liar', { script: { throws: Object.assign(new Error('x'), { code: 'TOOL_ABORTED' }) } }))
  expect(errorOf(await call('liar'))).toMatchObject({ code: 'TOOL_FAILED', details: { code: 'TOOL_ABORTED' } })
})

test('P-54: listeners are gone after the attempt, and a synchronous call adds none', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('sync'))
  runtime.register(scriptedTool('async', { script: { run: async (_, { signal }) => (void signal.aborted, await settleMicrotasks(), 1) } }))
  const controller = new AbortController()
  const { count } = listening(controller.signal)
  await call('async', {}, { signal: controller.signal })
  expect(count()).toBe(0)
  await call('sync', {}, { signal: controller.signal })
  expect(count()).toBe(0)
})

test('P-54: no controller is made unless somebody reads a signal', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('sync'))
  runtime.register(scriptedTool('reads', { script: { run: (_, { signal }) => signal.aborted } }))
  const Real = globalThis.AbortController
  let made = 0
  globalThis.AbortController = class extends Real {
    constructor() {
      super()
      made += 1
    }
  }
  try {
    await call('sync')
    expect(made).toBe(0)
    await call('reads')
    expect(made).toBe(1)
  } finally {
    globalThis.AbortController = Real
  }
})

test('P-54: signals are never shared between calls', async () => {
  const { runtime, call } = await harness()
  const signals = new Set<AbortSignal>()
  runtime.register(
    scriptedTool('reads', { script: { run: (_, { signal, execution }) => (signals.add(signal), signals.add(execution.signal), 1) } }),
  )
  const { signal } = new AbortController()
  await call('reads', {}, { signal })
  await call('reads', {}, { signal })
  expect(signals.size).toBe(4)
  expect(signals.has(signal)).toBe(false)
})

test('P-56: own deadline, default deadline, and none for the largest value', async () => {
  const { runtime, call } = await harness({ defaultTimeoutMs: 15 })
  runtime.register(scriptedTool('own', { timeoutMs: 10, script: { hangs: 'until-aborted' } }))
  runtime.register(scriptedTool('default', { script: { hangs: 'until-aborted' } }))
  runtime.register(
    scriptedTool('none', { timeoutMs: 2_147_483_647, script: { run: () => new Promise((resolve) => setTimeout(resolve, 40, 'done')) } }),
  )
  expect(errorOf(await call('own'))).toMatchObject({ code: 'TOOL_TIMEOUT', details: { timeoutMs: 10 } })
  expect(errorOf(await call('default'))).toMatchObject({ code: 'TOOL_TIMEOUT', details: { timeoutMs: 15 } })
  expect(valueOf(await call('none'))).toBe('done')
})

test('P-56: the deadline is per attempt, and an answer after it is ignored', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(
    scriptedTool('slow', {
      timeoutMs: 20,
      script: { run: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late answer'))) },
    }),
  )
  runtime.hooks.execute.tap('retry', (dispatch) => async (options) => {
    expect(errorOf(await dispatch(options)).code).toBe('TOOL_TIMEOUT')
    return dispatch(options)
  })
  expect(errorOf(await call('slow', {}, { callId: 'x' })).code).toBe('TOOL_TIMEOUT')
  expect(seen.recordOf('x')?.attempts).toBe(2)
})

test('P-56: a body that blocks the loop past its deadline has timed out too', async () => {
  const { runtime, call } = await harness()
  runtime.register(
    scriptedTool('busy', {
      timeoutMs: 5,
      script: {
        run: () => {
          const end = performance.now() + 30
          while (performance.now() < end);
          return 'too late'
        },
      },
    }),
  )
  expect(errorOf(await call('busy')).code).toBe('TOOL_TIMEOUT')
})

test('P-56: of caller and deadline the first wins', async () => {
  const { runtime, call } = await harness({ abortGraceMs: 40 })
  const linger: Script = {
    run: (_, { signal }) =>
      new Promise((_r, reject) => signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), 15))),
  }
  runtime.register(scriptedTool('slow', { timeoutMs: 10, script: linger }))
  runtime.register(scriptedTool('patient', { timeoutMs: 60_000, script: linger }))
  const late = new AbortController()
  const timedOut = call('slow', {}, { signal: late.signal })
  setTimeout(() => late.abort(new Error('caller')), 18)
  expect(errorOf(await timedOut).code).toBe('TOOL_TIMEOUT')
  const controller = new AbortController()
  const cancelled = call('patient', {}, { signal: controller.signal })
  await settleMicrotasks()
  controller.abort(new Error('caller'))
  expect(errorOf(await cancelled)).toMatchObject({ code: 'TOOL_ABORTED', details: { reason: 'caller' } })
})

test('P-57: a body that ignores abort is detached after the grace; what it does later reaches nothing', async () => {
  const { runtime, call, seen, logs } = await harness({ abortGraceMs: 15 })
  const go = deferred()
  const done = deferred()
  runtime.register(
    scriptedTool('deaf', {
      script: {
        run: async (_, { progress, deferContext, call: nested }) => {
          await go.promise
          progress({ message: 'late' })
          deferContext([{ type: 'text', text: 'late' }])
          expect(errorOf(await nested('deaf', {})).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
          done.resolve()
          return 'late'
        },
      },
    }),
  )
  const controller = new AbortController()
  const pending = call('deaf', {}, { callId: 'x', signal: controller.signal })
  await settleMicrotasks()
  controller.abort()
  const result = await pending
  expect(errorOf(result)).toMatchObject({ code: 'TOOL_ABORTED', details: { detached: true } })
  expect(seen.recordOf('x')?.detached).toBe(true)
  go.resolve()
  await done.promise
  await settleMicrotasks()
  expect(seen.events.filter(({ kind }) => kind === 'progress')).toEqual([])
  expect(seen.events.filter((event) => event.kind === 'result' && event.callId === 'x')).toHaveLength(1)
  expect(logs.some(({ level, message }) => level === 'debug' && message.includes('ended late'))).toBe(true)
})

test('P-57: a detached body that rejects late leaves no unhandled rejection', async () => {
  const { runtime, call } = await harness({ abortGraceMs: 5 })
  const go = deferred()
  const unhandled: unknown[] = []
  const listener = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', listener)
  runtime.register(scriptedTool('deaf', { timeoutMs: 5, script: { run: () => go.promise } }))
  expect(errorOf(await call('deaf'))).toMatchObject({ code: 'TOOL_TIMEOUT', details: { detached: true } })
  go.reject(new Error('late'))
  await settleMicrotasks()
  process.off('unhandledRejection', listener)
  expect(unhandled).toEqual([])
})

test('P-68: progress is a frozen snapshot while the attempt runs; before, after or malformed it is ignored and logged', async () => {
  const { runtime, call, logs } = await harness()
  const updates: unknown[] = []
  let late: (() => void) | undefined
  runtime.register(
    scriptedTool('works', {
      script: {
        run: (_, { progress }) => {
          const update = { message: 'half', progress: 1, total: 2, content: [{ type: 'text' as const, text: 'a' }] }
          progress(update)
          update.message = 'changed'
          for (const bad of [
            3,
            null,
            { progress: 'x' },
            { content: [{}] },
            { message: 1 },
            {
              get message() {
                throw new Error('x')
              },
            },
          ])
            progress(bad as never)
          late = () => progress({ message: 'late' })
          return 1
        },
      },
    }),
  )
  runtime.hooks.progress.tap('watch', ({ callId }, update) => updates.push([callId, update, Object.isFrozen(update)]))
  await call('works', {}, { callId: 'x' })
  late?.()
  expect(updates).toEqual([['x', { message: 'half', progress: 1, total: 2, content: [{ type: 'text', text: 'a' }] }, true]])
  expect(logs.filter(({ message }) => message.includes('malformed progress'))).toHaveLength(6)
})

test('P-87: the surface is never absent, denied with a reason where there is no domain', async () => {
  const { runtime, call } = await harness()
  const reasons: string[] = []
  runtime.register(
    scriptedTool('looks', { script: { run: (_, { surface }) => (reasons.push(surface.kind === 'denied' ? surface.reason : 'user'), 1) } }),
  )
  runtime.register(scriptedTool('outer', { script: { run: async (_, { call: nested }) => (await nested('looks', {}), 1) } }))
  await call('looks')
  await call('outer')
  expect(reasons).toEqual(['no_domain', 'nested_call'])
})
