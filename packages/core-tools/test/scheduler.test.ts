import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startable, TOOL_RUNTIME_SCHEDULER, type AskAnswer, type LaneEntry, type ToolExecutionInput } from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { approver, deferred, errorOf, harness, settleMicrotasks, valueOf, type Harness } from './support.ts'

/** Tools whose bodies a test opens one by one; what runs is kept. */
async function lanes(options: Parameters<typeof harness>[0] = {}) {
  const h: Harness = await harness(options)
  const gates = new Map<string, ReturnType<typeof deferred<unknown>>>()
  const running = new Set<string>()
  let peak = 0
  const gate = (id: string) => {
    const known = gates.get(id) ?? deferred<unknown>()
    gates.set(id, known)
    return known
  }
  for (const concurrency of ['parallel', 'exclusive'] as const) {
    h.runtime.register(
      scriptedTool(concurrency, {
        concurrency,
        script: {
          run: async (input, { signal, execution }) => {
            const { id = execution.callId } = input as { id?: string }
            running.add(id)
            peak = Math.max(peak, running.size)
            try {
              await Promise.race([
                gate(id).promise,
                new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
              ])
              return id
            } finally {
              running.delete(id)
            }
          },
        },
      }),
    )
  }
  const call = (id: string, name = 'parallel', more: Partial<ToolExecutionInput> = {}): ToolExecutionInput => ({
    callId: id,
    name,
    arguments: { id },
    ...more,
  })
  return { ...h, gate, running, call, peak: () => peak, open: (...ids: string[]) => ids.forEach((id) => gate(id).resolve(id)) }
}

const published = (h: Pick<Harness, 'seen'>): string[] => h.seen.events.flatMap((event) => (event.kind === 'result' ? [event.callId] : []))

test('P-72: startable is pure, keeps the order, the cap and the barriers', () => {
  const entry = fc.record({
    concurrency: fc.constantFrom('exclusive' as const, 'parallel' as const),
    state: fc.constantFrom('waiting' as const, 'asking' as const, 'running' as const, 'settled' as const),
  })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (lane: LaneEntry[], limit) => {
      const frozen = Object.freeze(lane.map((item) => Object.freeze({ ...item })))
      const next = startable(frozen, limit)
      expect(startable(frozen, limit)).toEqual(next)
      const running = lane.filter(({ state }) => state === 'running').length
      expect([...next].sort((a, b) => a - b)).toEqual(next)
      if (next.length > 0) expect(running + next.length).toBeLessThanOrEqual(Math.max(limit, 1))
      for (const index of next) {
        const item = lane[index]
        expect(item?.state).toBe('waiting')
        const earlier = lane.slice(0, index)
        // Nothing passes an exclusive call that has not settled.
        expect(earlier.some(({ concurrency, state }) => concurrency === 'exclusive' && state !== 'settled')).toBe(false)
        if (item?.concurrency === 'exclusive') {
          expect(next).toEqual([index])
          expect(running).toBe(0)
          expect(earlier.every(({ state }) => state === 'settled')).toBe(true)
        }
      }
      // Never stuck: with nothing running and nobody asked, something may start.
      if (lane.some(({ state }) => state === 'waiting') && !lane.some(({ state }) => state === 'running' || state === 'asking'))
        expect(next.length).toBeGreaterThan(0)
    }),
  )
})

test('P-73: bodies overlap up to the cap, a place freed is filled at once, results come in model order', async () => {
  const h = await lanes()
  const all = h.runtime.executeAll(
    ['a', 'b', 'c', 'd'].map((id) => h.call(id)),
    { maxParallel: 2 },
  )
  await settleMicrotasks()
  expect([...h.running]).toEqual(['a', 'b'])
  h.open('b')
  await settleMicrotasks()
  expect([...h.running]).toEqual(['a', 'c'])
  h.open('d', 'c', 'a')
  expect((await all).map(valueOf)).toEqual(['a', 'b', 'c', 'd'])
  expect(h.peak()).toBe(2)
  expect(published(h)).toEqual(['a', 'b', 'c', 'd'])
})

test('P-73: cap 1 is serial; bad caps and inputs that are no call are refused before anything starts', async () => {
  const h = await lanes()
  h.open('a', 'b', 'c')
  await h.runtime.executeAll(
    ['a', 'b', 'c'].map((id) => h.call(id)),
    { maxParallel: 1 },
  )
  expect(h.peak()).toBe(1)
  for (const maxParallel of [0, -1, 1.5, NaN, Infinity, '2' as never]) {
    await expect(h.runtime.executeAll([h.call('x')], { maxParallel })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  }
  for (const bad of [null, {}, { callId: '' }, { callId: 'x', name: 1 }, { callId: 'x', name: 'a', parent: {} }]) {
    await expect(h.runtime.executeAll([h.call('y'), bad as never])).rejects.toMatchObject({ code: 'INVALID_CALL' })
  }
  expect(published(h)).toEqual(['a', 'b', 'c'])
  expect(await h.runtime.executeAll([])).toEqual([])
})

test('P-74: exclusive is a barrier both ways', async () => {
  const h = await lanes()
  const all = h.runtime.executeAll([h.call('a'), h.call('b'), h.call('X', 'exclusive'), h.call('c'), h.call('d')])
  await settleMicrotasks()
  expect([...h.running]).toEqual(['a', 'b'])
  h.open('b')
  await settleMicrotasks()
  expect(h.seen.lines()).not.toContain('pre-execute X')
  h.open('a')
  await settleMicrotasks()
  expect([...h.running]).toEqual(['X'])
  expect(h.seen.lines()).not.toContain('pre-execute c')
  h.open('X')
  await settleMicrotasks()
  expect([...h.running]).toEqual(['c', 'd'])
  h.open('c', 'd')
  await all
})

test('P-75: odd classifiers, unknown tools and invalid input are exclusive', async () => {
  const { runtime } = await harness()
  const staged = runtime[TOOL_RUNTIME_SCHEDULER]
  const odd: unknown[] = [
    () => {
      throw new Error('x')
    },
    async () => 'parallel',
    () => 'PARALLEL',
    () => undefined,
    () => true,
  ]
  for (const [index, concurrency] of odd.entries()) runtime.register(scriptedTool(`odd${index}`, { concurrency: concurrency as never }))
  runtime.register(scriptedTool('typed', { concurrency: 'parallel', input: { type: 'object', required: ['a'] } }))
  runtime.register(
    scriptedTool('asks', { concurrency: (input) => ((input as { safe?: boolean }).safe === true ? 'parallel' : 'exclusive') }),
  )
  for (const index of odd.keys()) expect(await staged.classify({ callId: 'c', name: `odd${index}` })).toBe('exclusive')
  expect(await staged.classify({ callId: 'c', name: 'nope' })).toBe('exclusive')
  expect(await staged.classify({ callId: 'c', name: 'typed' })).toBe('exclusive')
  expect(await staged.classify({ callId: 'c', name: 'typed', arguments: '{"a":1}' })).toBe('parallel')
  expect(await staged.classify({ callId: 'c', name: 'typed', arguments: '{' })).toBe('exclusive')
  expect(await staged.classify({ callId: 'c', name: 'asks', arguments: { safe: true } })).toBe('parallel')
  expect(await staged.classify({ callId: 'c', name: 'asks' })).toBe('exclusive')
})

test('P-75: a call found exclusive on rewritten arguments waits until the pool has drained', async () => {
  const h = await lanes()
  h.runtime.register(
    scriptedTool('mixed', {
      concurrency: (input) => ((input as { write?: boolean }).write === true ? 'exclusive' : 'parallel'),
      script: { run: () => [...h.running] },
    }),
  )
  h.runtime.hooks.preExecute.tap('rewriter', (d, { name, arguments: args }) =>
    name === 'mixed' && !('write' in (args as object)) ? { kind: 'allow', arguments: { write: true } } : d,
  )
  const all = h.runtime.executeAll([h.call('a'), h.call('m', 'mixed'), h.call('b')])
  await settleMicrotasks()
  expect([...h.running]).toEqual(['a'])
  h.open('a', 'b')
  expect((await all).map(valueOf)).toEqual(['a', [], 'b'])
})

test('P-75: mode is asked when a call’s turn comes, on the registry as it is then', async () => {
  const h = await lanes()
  const late = h.runtime.executeAll([h.call('X', 'exclusive'), { callId: 'n', name: 'new' }])
  await settleMicrotasks()
  h.runtime.register(scriptedTool('new', { concurrency: 'parallel', script: { value: 'there now' } }))
  h.open('X')
  expect((await late).map(valueOf)).toEqual(['X', 'there now'])
})

test('P-76: reversed settles publish in order; pre and post never overlap', async () => {
  const h = await lanes()
  let inside = 0
  const alone = async <T>(value: T): Promise<T> => {
    inside += 1
    expect(inside).toBe(1)
    await settleMicrotasks()
    inside -= 1
    return value
  }
  h.runtime.hooks.preExecute.tapPromise('alone', (d) => alone(d))
  h.runtime.hooks.postExecute.tapPromise('alone', (d) => alone(d))
  const ids = ['a', 'b', 'c', 'd', 'e']
  const all = h.runtime.executeAll(ids.map((id) => h.call(id)))
  h.open(...ids.toReversed())
  await all
  expect(published(h)).toEqual(ids)
  expect(h.seen.events.flatMap((event) => (event.kind === 'post-execute' ? [event.callId] : []))).toEqual(ids)
})

test('P-77: a pending approval lets later parallel calls run; they publish after it', async () => {
  const h = await lanes()
  const answer = deferred<AskAnswer>()
  approver(h.runtime, [() => answer.promise])
  h.runtime.hooks.preExecute.tap('asks', (d, { callId }) => (callId === 'q' ? { kind: 'ask' } : d))
  const all = h.runtime.executeAll([h.call('q'), h.call('b'), h.call('c')], { maxParallel: 2 })
  await settleMicrotasks()
  expect([...h.running]).toEqual(['b', 'c'])
  h.open('b', 'c')
  await settleMicrotasks()
  expect(published(h)).toEqual([])
  answer.resolve({ outcome: 'approved' })
  h.open('q')
  await all
  expect(published(h)).toEqual(['q', 'b', 'c'])
})

test('P-77: an exclusive call that waits for a human is still a barrier', async () => {
  const h = await lanes()
  const answer = deferred<AskAnswer>()
  approver(h.runtime, [() => answer.promise])
  h.runtime.hooks.preExecute.tap('asks', (d, { callId }) => (callId === 'X' ? { kind: 'ask' } : d))
  const all = h.runtime.executeAll([h.call('X', 'exclusive'), h.call('b')])
  await settleMicrotasks()
  expect(h.seen.lines()).toEqual(['pre-execute X'])
  answer.resolve({ outcome: 'approved' })
  await settleMicrotasks()
  expect([...h.running]).toEqual(['X'])
  h.open('X', 'b')
  await all
})

test('P-76: what follows a human’s answer waits for the round in progress', async () => {
  const h = await lanes()
  const answer = deferred<AskAnswer>()
  approver(h.runtime, [() => answer.promise])
  const order: string[] = []
  const hold = deferred()
  h.runtime.hooks.preExecute.tapPromise('policy', async (d, { callId }) => {
    if (callId === 'q') return { kind: 'ask' }
    order.push(`enter ${callId}`)
    await hold.promise
    order.push(`leave ${callId}`)
    return d
  })
  h.runtime.guard(({ callId }) => void order.push(`guard ${callId}`) as undefined)
  h.open('q', 'b')
  const all = h.runtime.executeAll([h.call('q'), h.call('b')])
  await settleMicrotasks()
  expect(order).toEqual(['guard q', 'enter b'])
  answer.resolve({ outcome: 'approved' })
  await settleMicrotasks()
  expect(order).toEqual(['guard q', 'enter b'])
  hold.resolve()
  await all
  expect(order).toEqual(['guard q', 'enter b', 'leave b', 'guard b', 'guard q'])
})

test('P-76: a denial in the middle disturbs nobody', async () => {
  const h = await lanes()
  h.runtime.hooks.preExecute.tap('denies', (d, { callId }) => (callId === 'b' ? { kind: 'deny', reason: 'no' } : d))
  h.open('a', 'c')
  const results = await h.runtime.executeAll([h.call('a'), h.call('b'), h.call('c'), h.call('d', 'nope')])
  expect(results.map((result) => (result.isError ? result.error.code : result.value))).toEqual(['a', 'TOOL_DENIED', 'c', 'UNKNOWN_TOOL'])
})

test('P-78: on abort nothing more starts, started calls settle in order, the rest is synthesised in order', async () => {
  const h = await lanes()
  const controller = new AbortController()
  const all = h.runtime.executeAll([h.call('a'), h.call('b'), h.call('X', 'exclusive'), h.call('c')], {
    signal: controller.signal,
    maxParallel: 2,
  })
  await settleMicrotasks()
  controller.abort(new Error('stop'))
  const results = await all
  expect(results.map((result) => errorOf(result).code)).toEqual([
    'TOOL_ABORTED',
    'TOOL_ABORTED',
    'TOOL_ABORTED_BEFORE_DISPATCH',
    'TOOL_ABORTED_BEFORE_DISPATCH',
  ])
  expect(published(h)).toEqual(['a', 'b', 'X', 'c'])
  expect(errorOf(results[3] as never).details).toEqual({ reason: 'stop' })
})

test('P-78: abort before the start, and while asking', async () => {
  const h = await lanes()
  expect(
    (await h.runtime.executeAll([h.call('a'), h.call('b')], { signal: AbortSignal.abort() })).map((result) => errorOf(result).code),
  ).toEqual(['TOOL_ABORTED_BEFORE_DISPATCH', 'TOOL_ABORTED_BEFORE_DISPATCH'])
  approver(h.runtime, [() => new Promise<AskAnswer>(() => undefined)])
  h.runtime.hooks.preExecute.tap('asks', () => ({ kind: 'ask' }))
  const controller = new AbortController()
  const all = h.runtime.executeAll([h.call('c'), h.call('d', 'exclusive')], { signal: controller.signal })
  await settleMicrotasks()
  controller.abort()
  expect((await all).map((result) => errorOf(result).code)).toEqual(['TOOL_ABORTED_BEFORE_DISPATCH', 'TOOL_ABORTED_BEFORE_DISPATCH'])
  expect(published(h)).toEqual(['a', 'b', 'c', 'd'])
})

test('P-78: a call’s own signal stops that call only', async () => {
  const h = await lanes()
  const controller = new AbortController()
  const all = h.runtime.executeAll([h.call('a', 'parallel', { signal: controller.signal }), h.call('b')], {
    signal: new AbortController().signal,
  })
  await settleMicrotasks()
  controller.abort()
  h.open('b')
  expect((await all).map((result) => (result.isError ? result.error.code : result.value))).toEqual(['TOOL_ABORTED', 'b'])
})

test('P-66, P-73: one result event per call, a throwing observer is harmless', async () => {
  const h = await lanes()
  h.runtime.hooks.result.tap('throws', () => {
    throw new Error('observer')
  })
  h.open('a', 'b')
  await h.runtime.executeAll([h.call('a'), h.call('b'), h.call('z', 'nope')])
  expect(published(h)).toEqual(['a', 'b', 'z'])
})

test('P-73 to P-78: whatever settles when, results and events keep the model’s order (property)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ exclusive: fc.boolean(), asks: fc.boolean(), denied: fc.boolean(), order: fc.integer({ min: 0, max: 100 }) }), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.integer({ min: 1, max: 4 }),
      async (plan, maxParallel) => {
        const h = await lanes()
        const answers: (() => void)[] = []
        approver(h.runtime, [() => new Promise<AskAnswer>((resolve) => answers.push(() => resolve({ outcome: 'approved' })))])
        h.runtime.hooks.preExecute.tap('policy', (d, { callId }) => {
          const step = plan[Number(callId)]
          return step?.denied === true ? { kind: 'deny', reason: 'no' } : step?.asks === true ? { kind: 'ask' } : d
        })
        const running: string[] = []
        const check = (): void => {
          const exclusive = [...h.running].filter((id) => plan[Number(id)]?.exclusive === true)
          expect(h.running.size).toBeLessThanOrEqual(maxParallel)
          if (exclusive.length > 0) expect(h.running.size).toBe(1)
          running.push(...h.running)
        }
        const calls = plan.map(({ exclusive }, index) => h.call(String(index), exclusive ? 'exclusive' : 'parallel'))
        let over = false
        const all = h.runtime.executeAll(calls, { maxParallel }).finally(() => (over = true))
        for (let turn = 0; !over && turn < 200; turn += 1) {
          await settleMicrotasks()
          check()
          const open = [...h.running].sort((a, b) => (plan[Number(a)]?.order ?? 0) - (plan[Number(b)]?.order ?? 0))[0]
          if (turn % 2 === 0 && answers.length > 0) answers.pop()?.()
          else if (open !== undefined) h.open(open)
        }
        const results = await all
        expect(results.map((result) => (result.isError ? result.error.code : result.value))).toEqual(
          plan.map(({ denied }, index) => (denied ? 'TOOL_DENIED' : String(index))),
        )
        expect(published(h)).toEqual(plan.map((_, index) => String(index)))
      },
    ),
    { numRuns: 40 },
  )
}, 60_000)

test('P-12, P-27: arguments that wait for their turn are isolated from the caller and read once', async () => {
  const h = await lanes()
  h.runtime.register(scriptedTool('echo', { concurrency: () => 'parallel' }))
  const args = { list: [1] }
  let reads = 0
  const input = {
    callId: 'once',
    name: 'echo',
    get arguments() {
      reads += 1
      return args
    },
  }
  const hostile = {
    callId: 'throws',
    name: 'echo',
    get arguments(): never {
      throw new Error('no')
    },
  }
  const all = h.runtime.executeAll([h.call('X', 'exclusive'), input, hostile])
  args.list.push(2)
  h.open('X')
  const [, once, throws] = await all
  expect(valueOf(once as never)).toEqual({ list: [1] })
  expect(reads).toBe(1)
  expect(errorOf(throws as never).code).toBe('INVALID_TOOL_INPUT')
})
