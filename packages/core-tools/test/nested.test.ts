import { expect, test } from 'vitest'
import { EXECUTION_TOKEN, type AskAnswer, type ToolResult, type ToolRunContext } from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { approver, deferred, errorOf, harness, settleMicrotasks, valueOf } from './support.ts'

type Body = (context: ToolRunContext, input: unknown) => unknown
const outer = (run: Body, more: object = {}) => scriptedTool('outer', { script: { run: (input, context) => run(context, input) }, ...more })
const codes = (results: readonly ToolResult[]) => results.map((result) => (result.isError ? result.error.code : 'ok'))

test('P-69: identity is inherited and cannot be changed; ids are numbered, by label', async () => {
  const { runtime } = await harness()
  runtime.scope('me')
  const seen: object[] = []
  runtime.register(
    scriptedTool('inner', {
      script: { run: (_, { execution }) => (seen.push({ ...execution, parent: execution.parent?.[EXECUTION_TOKEN].callId }), 1) },
    }),
  )
  runtime.register(
    outer(
      async ({ call }) =>
        [
          await call('inner', {}),
          await call('inner', {}, { label: 'code' }),
          await call('inner', {}, { callId: 'forged', agent: 'other' } as never),
        ].length,
    ),
  )
  await runtime.execute({ callId: 'c', rootCallId: 'root', name: 'outer', agent: 'me', turnId: 't' })
  expect(seen).toMatchObject([
    { callId: 'c:1', rootCallId: 'root', agent: 'me', turnId: 't', caller: 'program', parent: 'c' },
    { callId: 'c:code:2', rootCallId: 'root', agent: 'me' },
    { callId: 'c:3', agent: 'me' },
  ])
})

test('P-69: policy and guards meet nested calls, and a refusal is a result, not a throw', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('inner'))
  runtime.hooks.preExecute.tap('policy', (d, { name, arguments: args }) =>
    name === 'inner' && (args as { bad?: boolean }).bad === true ? { kind: 'deny', reason: 'no' } : d,
  )
  runtime.guard(({ arguments: args }) => ((args as { guarded?: boolean }).guarded === true ? 'guarded' : undefined))
  runtime.register(
    outer(async ({ call: nested }) =>
      codes([
        await nested('inner', { bad: true }),
        await nested('inner', { guarded: true }),
        await nested('inner', {}),
        await nested('nope', {}),
        await nested('inner', () => 1),
        await nested(3 as never, {}),
      ]),
    ),
  )
  expect(valueOf(await call('outer'))).toEqual(['TOOL_DENIED', 'TOOL_DENIED', 'ok', 'UNKNOWN_TOOL', 'INVALID_TOOL_INPUT', 'UNKNOWN_TOOL'])
})

test('P-69: an abort passes down', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('inner', { script: { hangs: 'until-aborted' } }))
  runtime.register(outer(async ({ call: nested }) => codes([await nested('inner', {})])))
  const controller = new AbortController()
  const pending = call('outer', {}, { callId: 'c', signal: controller.signal })
  await settleMicrotasks()
  controller.abort()
  expect(errorOf(await pending).code).toBe('TOOL_ABORTED')
  expect(errorOf(seen.resultOf('c:1') as ToolResult).code).toBe('TOOL_ABORTED')
})

test('P-69: a nested call’s own signal stops it alone', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('inner', { concurrency: 'parallel', script: [{ hangs: 'until-aborted' }, { value: 1 }] }))
  runtime.register(
    outer(async ({ call: nested }) =>
      codes(await Promise.all([nested('inner', {}, { signal: AbortSignal.timeout(10) }), nested('inner', {})])),
    ),
  )
  expect(valueOf(await call('outer'))).toEqual(['TOOL_ABORTED', 'ok'])
})

test('P-70: after the parent settled a call is refused and leaves no event', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('inner'))
  let late: ToolRunContext['call'] | undefined
  runtime.register(outer(({ call: nested }) => ((late = nested), 1)))
  await call('outer')
  expect(errorOf(await (late as ToolRunContext['call'])('inner', {})).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(seen.lines().some((line) => line.includes('inner') || line.includes(':'))).toBe(false)
})

test('P-70: nested calls still running when the body returns are aborted and awaited first', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('inner', { concurrency: 'parallel', script: { hangs: 'until-aborted' } }))
  runtime.register(outer(({ call: nested }) => (void nested('inner', {}), void nested('inner', {}), 'early')))
  expect(valueOf(await call('outer', {}, { callId: 'c' }))).toBe('early')
  const results = seen.events.flatMap((event) => (event.kind === 'result' ? [event.callId] : []))
  expect(results).toEqual(['c:1', 'c:2', 'c'])
})

test('P-70: nesting deeper than maxDepth settles TOOL_DENIED', async () => {
  const { runtime, call } = await harness({ maxDepth: 3 })
  runtime.register(
    outer(async ({ call: nested }) => {
      const result = await nested('outer', {})
      return result.isError ? [result.error.code, result.error.details as never] : (result.value as string[]).concat('up')
    }),
  )
  const value = valueOf(await call('outer')) as unknown[]
  expect(value.slice(0, 1)).toEqual(['TOOL_DENIED'])
  expect(value.slice(2)).toEqual(['up', 'up', 'up'])
})

test('P-71: an approval of the parent grants the child nothing', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('inner'))
  runtime.register(outer(async ({ call: nested }) => codes([await nested('inner', {})])))
  const asked = approver(runtime, [{ outcome: 'approved' }, { outcome: 'rejected', reason: 'no' }])
  runtime.hooks.preExecute.tap('asks', () => ({ kind: 'ask' }))
  expect(valueOf(await call('outer'))).toEqual(['APPROVAL_REJECTED'])
  expect(asked.map(({ execution }) => execution.name)).toEqual(['outer', 'inner'])
})

test('P-71: contexts and conclusion of a child stay on its result', async () => {
  const { runtime, call } = await harness()
  runtime.register(
    scriptedTool('inner', {
      script: { run: (_, { deferContext, concludeTurn }) => (deferContext([{ type: 'text', text: 'c' }]), concludeTurn(), 1) },
    }),
  )
  let child: ToolResult | undefined
  runtime.register(outer(async ({ call: nested }) => ((child = await nested('inner', {})), 1)))
  const result = await call('outer')
  expect(child).toMatchObject({ additionalContexts: [[{ text: 'c' }]], concludesTurn: true })
  expect(result).not.toHaveProperty('additionalContexts')
  expect(result).not.toHaveProperty('concludesTurn')
})

test('P-72: nesting cannot block itself, under exclusive and cap 1', async () => {
  const { runtime } = await harness()
  runtime.register(scriptedTool('inner', { concurrency: 'exclusive', script: { value: 1 } }))
  runtime.register(outer(async ({ call: nested }) => codes(await Promise.all([nested('inner', {}), nested('outer2', {})]))))
  runtime.register({ ...outer(async ({ call: nested }) => codes([await nested('inner', {})])), name: 'outer2' })
  const results = await runtime.executeAll(
    [
      { callId: 'a', name: 'outer' },
      { callId: 'b', name: 'outer' },
    ],
    { maxParallel: 1 },
  )
  expect(results.map(valueOf)).toEqual([
    ['ok', 'ok'],
    ['ok', 'ok'],
  ])
})

test('P-69: one lane a parent: exclusive ones alone, the width of the first kept, policy in order', async () => {
  const { runtime, call, seen } = await harness()
  let running = 0
  let peak = 0
  const alone: number[] = []
  const body = async () => {
    running += 1
    peak = Math.max(peak, running)
    await settleMicrotasks()
    running -= 1
    return 1
  }
  runtime.register(scriptedTool('wide', { concurrency: 'parallel', script: { run: body } }))
  runtime.register(scriptedTool('alone', { script: { run: () => (alone.push(running), 1) } }))
  runtime.register(
    outer(async ({ call: nested }) =>
      codes(
        await Promise.all([
          ...Array.from({ length: 6 }, (_, i) => nested('wide', { i }, { maxParallel: i === 0 ? 3 : 99 })),
          nested('alone', {}),
          nested('wide', {}),
        ]),
      ),
    ),
  )
  expect(valueOf(await call('outer', {}, { callId: 'c' }))).toEqual(Array(8).fill('ok'))
  expect(peak).toBe(3)
  expect(alone).toEqual([0])
  expect(seen.lines().filter((line) => line.startsWith('pre-execute c:'))).toEqual(
    Array.from({ length: 8 }, (_, i) => `pre-execute c:${i + 1}`),
  )
})

test('P-69: onAsk is called when only a human is outstanding, and when that wait is over', async () => {
  const { runtime, call } = await harness()
  const answer = deferred<AskAnswer>()
  approver(runtime, [() => answer.promise])
  runtime.hooks.preExecute.tap('asks', (d, { name }) => (name === 'inner' ? { kind: 'ask' } : d))
  runtime.register(scriptedTool('inner'))
  const asking: boolean[] = []
  runtime.register(outer(async ({ call: nested }) => codes([await nested('inner', {}, { onAsk: (now) => asking.push(now) })])))
  const pending = call('outer')
  await settleMicrotasks()
  expect(asking).toEqual([true])
  answer.resolve({ outcome: 'approved' })
  expect(valueOf(await pending)).toEqual(['ok'])
  expect(asking).toEqual([true, false])
})
