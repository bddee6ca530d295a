import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defineTool, type AskAnswer, type JsonValue, type PreToolDecision, type ToolCallRecord, type ToolGuard } from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { approver, deferred, errorOf, harness, settleMicrotasks, valueOf } from './support.ts'

const APPROVED: AskAnswer = { outcome: 'approved', by: 'me' }
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false }
const decisions = {
  allow: { kind: 'allow' },
  ask: { kind: 'ask', reason: 'please' },
  deny: { kind: 'deny', reason: 'never' },
} as const satisfies Record<string, PreToolDecision>

test('P-33: the order of taps cannot change the kind of the outcome', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('allow', 'ask', 'deny' as const), { maxLength: 5 }), async (kinds) => {
      const { runtime, call } = await harness()
      const tool = scriptedTool('echo')
      runtime.register(tool)
      const asked = approver(runtime, [APPROVED])
      for (const [index, kind] of kinds.entries()) {
        if (index % 2 === 0) runtime.hooks.preExecute.tap(`t${index}`, () => ({ ...decisions[kind as 'allow'] }))
        else runtime.hooks.preExecute.tapPromise(`t${index}`, async () => ({ ...decisions[kind as 'allow'] }))
      }
      const result = await call('echo')
      const strictest = kinds.includes('deny') ? 'deny' : kinds.includes('ask') ? 'ask' : 'allow'
      expect(result.isError).toBe(strictest === 'deny')
      expect(asked.length).toBe(strictest === 'ask' ? 1 : 0)
      expect(tool.calls.length).toBe(strictest === 'deny' ? 0 : 1)
    }),
    { numRuns: 60 },
  )
})

test('P-34: loosening is kept out and on the trail; taps after a deny still run', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('echo'))
  const saw: PreToolDecision[] = []
  runtime.hooks.preExecute.tap('strict', () => decisions.deny)
  runtime.hooks.preExecute.tap('loose', (decision) => (saw.push(decision), { kind: 'allow' }))
  runtime.hooks.preExecute.tap('watcher', (decision) => (saw.push(decision), decision))
  expect(errorOf(await call('echo', {}, { callId: 'x' })).code).toBe('TOOL_DENIED')
  expect(saw.map(({ kind }) => kind)).toEqual(['deny', 'deny'])
  expect(seen.recordOf('x')?.trail).toEqual([
    { stage: 'pre-execute', by: 'strict', kind: 'deny', effect: 'applied', round: 1, reason: 'never' },
    { stage: 'pre-execute', by: 'loose', kind: 'allow', effect: 'kept-out', round: 1 },
  ])
})

test('P-34: at equal strictness the earlier author and reason stay, the later is recorded', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('echo'))
  runtime.hooks.preExecute.tap('a', () => ({ kind: 'deny', reason: 'first', by: 'rule-1', code: 'P1' }))
  runtime.hooks.preExecute.tap('b', () => ({ kind: 'deny', reason: 'second' }))
  expect(errorOf(await call('echo', {}, { callId: 'x' })).details).toEqual({ by: 'rule-1', reason: 'first', code: 'P1' })
  expect(seen.recordOf('x')?.trail.map(({ by }) => by)).toEqual(['rule-1', 'b'])
  expect(seen.recordOf('x')?.decision).toEqual({ kind: 'deny', by: 'rule-1', reason: 'first' })
})

test('P-35: a rewrite reaches the body, both arguments are recorded, and an equal one is none', async () => {
  const { runtime, call, seen } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  let runs = 0
  runtime.hooks.preExecute.tap('rewriter', () => {
    runs += 1
    return { kind: 'allow', arguments: { b: 2, a: 1 } }
  })
  expect(valueOf(await call('echo', { a: 1 }, { callId: 'x' }))).toEqual({ a: 1, b: 2 })
  // The second round finds them equal, whatever the order of keys.
  expect(runs).toBe(2)
  expect(seen.recordOf('x')).toMatchObject({ originalArguments: { a: 1 }, effectiveArguments: { a: 1, b: 2 } })
})

test('P-35: undefined is no rewrite, an empty object is one', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  const off = runtime.hooks.preExecute.tap('none', () => ({ kind: 'allow', arguments: undefined }))
  expect(valueOf(await call('echo', { a: 1 }))).toEqual({ a: 1 })
  off()
  runtime.hooks.preExecute.tap('empty', () => ({ kind: 'allow', arguments: {} }))
  expect(valueOf(await call('echo', { a: 1 }))).toEqual({})
})

test('P-35: a rewrite on or after a deny is kept out', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('echo'))
  runtime.hooks.preExecute.tap('deny', () => decisions.deny)
  runtime.hooks.preExecute.tap('rewriter', () => ({ kind: 'allow', arguments: { b: 1 } }))
  expect(errorOf(await call('echo', { a: 1 }, { callId: 'x' })).code).toBe('TOOL_DENIED')
  expect(seen.recordOf('x')?.effectiveArguments).toEqual({ a: 1 })
  expect(
    seen
      .recordOf('x')
      ?.trail.filter(({ by }) => by === 'rewriter')
      .map(({ effect }) => effect),
  ).toEqual(['kept-out', 'kept-out'])
})

test('P-36: a rewrite re-runs all taps on the new execution of the same token', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  const saw: [JsonValue, unknown][] = []
  runtime.hooks.preExecute.tap('first', (decision, execution) => {
    saw.push([execution.arguments, execution.token])
    return JSON.stringify(execution.arguments).includes('secret') ? decisions.deny : decision
  })
  runtime.hooks.preExecute.tap('rewriter', (decision, { arguments: args }) =>
    'a' in (args as object) ? { kind: 'allow', arguments: { secret: 1 } } : decision,
  )
  expect(errorOf(await call('echo', { a: 1 })).code).toBe('TOOL_DENIED')
  expect(saw.map(([args]) => args)).toEqual([{ a: 1 }, { secret: 1 }])
  expect(saw[0]?.[1]).toBe(saw[1]?.[1])
})

test('P-36: a misfit rewrite settles INVALID_TOOL_INPUT and names the tap', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo', { input: text })
  runtime.register(tool)
  runtime.hooks.preExecute.tap('clumsy', () => ({ kind: 'allow', arguments: { text: 3 } }))
  expect(errorOf(await call('echo', { text: 'a' }))).toMatchObject({
    code: 'INVALID_TOOL_INPUT',
    details: { tap: 'clumsy', issues: [{ path: '/text' }] },
  })
  expect(tool.calls).toHaveLength(0)
})

test('P-36: the strictest kind of earlier rounds is where the next one starts', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  const asked = approver(runtime, [APPROVED])
  const starts: string[] = []
  runtime.hooks.preExecute.tap('asks-once', (decision, { arguments: args }) => {
    starts.push(decision.kind)
    return 'a' in (args as object) ? { kind: 'ask', reason: 'has a' } : decision
  })
  runtime.hooks.preExecute.tap('rewriter', (decision, { arguments: args }) =>
    'a' in (args as object) ? { kind: 'allow', arguments: { b: 1 } } : decision,
  )
  expect(valueOf(await call('echo', { a: 1 }))).toEqual({ b: 1 })
  expect(starts).toEqual(['allow', 'ask'])
  expect(asked.map(({ execution }) => execution.arguments)).toEqual([{ b: 1 }])
})

test('P-37: a rewrite in round four is denied by the rewriting tap', async () => {
  const { runtime, call, seen } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  let count = 0
  runtime.hooks.preExecute.tap('restless', () => ({ kind: 'allow', arguments: { count: (count += 1) } }))
  expect(errorOf(await call('echo', {}, { callId: 'x' }))).toMatchObject({ code: 'TOOL_DENIED', details: { by: 'restless' } })
  expect(count).toBe(4)
  expect(tool.calls).toHaveLength(0)
  expect(
    seen
      .recordOf('x')
      ?.trail.filter(({ effect }) => effect === 'rewrite')
      .map(({ round }) => round),
  ).toEqual([1, 2, 3, 4])
})

test('P-37: three rewrites are fine', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  let count = 0
  runtime.hooks.preExecute.tap('busy', (decision) => (count < 3 ? { kind: 'allow', arguments: { count: (count += 1) } } : decision))
  expect(valueOf(await call('echo'))).toEqual({ count: 3 })
})

test('P-38: a decision’s own by and code are in details and record', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  runtime.hooks.preExecute.tap('tap', () => ({ kind: 'deny', by: 'user:deny[3]', reason: 'no prod', code: 'PROD' }))
  const error = errorOf(await call('echo'))
  expect(error.details).toEqual({ by: 'user:deny[3]', reason: 'no prod', code: 'PROD' })
  expect(error.message).toContain('no prod')
})

test('P-39: a string denies, even an empty one; the first ends the run; undefined abstains', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  let later = 0
  runtime.guard(() => undefined, { name: 'abstains' })
  const off = runtime.guard(() => 'no', { name: 'denies' })
  runtime.guard(() => void (later += 1) as undefined)
  expect(errorOf(await call('echo'))).toMatchObject({ code: 'TOOL_DENIED', details: { by: 'denies', reason: 'no' } })
  expect(later).toBe(0)
  off()
  runtime.guard(function emptyHanded() {
    return ''
  })
  expect(errorOf(await call('echo'))).toMatchObject({ code: 'TOOL_DENIED', details: { by: 'emptyHanded', reason: '' } })
  expect(tool.calls).toHaveLength(0)
})

test('P-39: guards run on the arguments in force, and not on what is denied already', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  const saw: JsonValue[] = []
  runtime.guard(({ arguments: args }) => void saw.push(args) as undefined)
  const off = runtime.hooks.preExecute.tap('rewriter', () => ({ kind: 'allow', arguments: { b: 1 } }))
  await call('echo', { a: 1 })
  off()
  runtime.hooks.preExecute.tap('deny', () => decisions.deny)
  await call('echo', { a: 1 })
  expect(saw).toEqual([{ b: 1 }])
})

test.each<[string, unknown, string]>([
  [
    'throw',
    () => {
      throw new Error('x')
    },
    'HOOK_FAILED',
  ],
  ['promise', async () => undefined, 'HOOK_INVALID_DECISION'],
  [
    'rejecting promise',
    async () => {
      throw new Error('x')
    },
    'HOOK_INVALID_DECISION',
  ],
  ['true', () => true, 'HOOK_INVALID_DECISION'],
  ['false', () => false, 'HOOK_INVALID_DECISION'],
  ['null', () => null, 'HOOK_INVALID_DECISION'],
  ['object', () => ({ kind: 'allow' }), 'HOOK_INVALID_DECISION'],
])('P-40: a guard that gives %s fails closed', async (_, guard, code) => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  runtime.guard(guard as ToolGuard, { name: 'guilty' })
  expect(errorOf(await call('echo'))).toMatchObject({ code, details: { by: 'guilty' } })
  expect(tool.calls).toHaveLength(0)
})

test('P-41: guards run before a human is asked and once more after the approval', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  let moved = false
  const asked = approver(runtime, [() => ((moved = true), APPROVED)])
  runtime.hooks.preExecute.tap('asks', () => decisions.ask)
  runtime.guard(() => (moved ? 'the world has moved' : undefined), { name: 'world' })
  expect(errorOf(await call('echo'))).toMatchObject({ code: 'TOOL_DENIED', details: { by: 'world' } })
  expect(asked).toHaveLength(1)
  runtime.guard(() => 'never', { name: 'always' })
  await call('echo')
  expect(asked).toHaveLength(1)
  expect(tool.calls).toHaveLength(0)
})

test('P-42: a guard registered while guards run is met by the next run; equal guards are two', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  let runs = 0
  const guard = (): undefined => void (runs += 1) as undefined
  const first = runtime.guard(guard)
  runtime.guard(guard)
  await call('echo')
  expect(runs).toBe(2)
  first()
  await call('echo')
  expect(runs).toBe(3)
  const adds = runtime.guard(() => {
    adds()
    runtime.guard(() => 'met by the next', { name: 'new' })
    return undefined
  })
  expect((await call('echo')).isError).toBe(false)
  expect(errorOf(await call('echo')).details).toMatchObject({ by: 'new' })
})

test('P-43: the request carries execution, view, reason, author, askers, parents, root and signal', async () => {
  const { runtime } = await harness()
  runtime.register(
    scriptedTool('child', { describeCall: (_, { preview }) => ({ title: 'Child', kind: 'edit', ...(preview ? { diff: '+a' } : {}) }) }),
  )
  runtime.register(scriptedTool('outer', { script: { run: async (_, { call }) => (await call('child', { a: 1 })).isError } }))
  runtime.hooks.preExecute.tap('one', (d, { name }) => (name === 'child' ? { kind: 'ask', by: 'rule-1', reason: 'r1' } : d))
  runtime.hooks.preExecute.tap('two', (d, { name }) => (name === 'child' ? { kind: 'ask', reason: 'r2' } : d))
  const asked = approver(runtime, [APPROVED])
  await runtime.execute({ callId: 'root', name: 'outer' })
  const request = asked[0]
  expect(request).toMatchObject({
    by: 'rule-1',
    reason: 'r1',
    askers: [
      { tap: 'one', by: 'rule-1', reason: 'r1' },
      { tap: 'two', by: 'two', reason: 'r2' },
    ],
    parents: [{ callId: 'root', name: 'outer' }],
    rootCallId: 'root',
    call: { title: 'Child', kind: 'edit', diff: '+a' },
  })
  expect(request?.execution).toMatchObject({ callId: 'root:1', arguments: { a: 1 } })
  expect(request?.signal).toBeInstanceOf(AbortSignal)
  expect(request !== undefined && 'surface' in request).toBe(false)
})

const NOT_GRANTED: [AskAnswer['outcome'], string][] = [
  ['rejected', 'APPROVAL_REJECTED'],
  ['expired', 'APPROVAL_EXPIRED'],
  ['cancelled', 'APPROVAL_CANCELLED'],
  ['unavailable', 'APPROVAL_UNAVAILABLE'],
]
test.each(NOT_GRANTED)('P-44: %s settles %s', async (outcome, code) => {
  const { runtime, call, seen } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  approver(runtime, [{ outcome, by: { id: 'ann' }, reason: 'because' } as AskAnswer])
  runtime.hooks.preExecute.tap('asks', () => decisions.ask)
  expect(errorOf(await call('echo', {}, { callId: 'x' }))).toMatchObject({ code, details: { reason: 'because' } })
  expect(seen.recordOf('x')?.approval).toEqual({ outcome, by: { id: 'ann' }, reason: 'because' } satisfies ToolCallRecord['approval'])
  expect(tool.calls).toHaveLength(0)
})

test('P-44: unavailable with the surface’s code settles SURFACE_DENIED', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  approver(runtime, [{ outcome: 'unavailable', code: 'SURFACE_DENIED', reason: 'no user' }])
  runtime.hooks.preExecute.tap('asks', () => decisions.ask)
  expect(errorOf(await call('echo')).code).toBe('SURFACE_DENIED')
})

test('P-44: without a service the ask is APPROVAL_UNAVAILABLE', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  runtime.hooks.preExecute.tap('asks', () => decisions.ask)
  expect(errorOf(await call('echo')).code).toBe('APPROVAL_UNAVAILABLE')
  expect(tool.calls).toHaveLength(0)
})

test.each<[string, unknown]>([
  ['true', true],
  ['undefined', undefined],
  ['an empty object', {}],
  ['an unknown outcome', { outcome: 'sure' }],
  [
    'a throwing getter',
    {
      get outcome() {
        throw new Error('x')
      },
    },
  ],
  ['edited arguments that are not JSON', { outcome: 'approved', arguments: { a: () => 1 } }],
])('P-44: the rogue answer %s is no answer', async (_, answer) => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  approver(runtime, [() => answer as AskAnswer])
  runtime.hooks.preExecute.tap('asks', () => decisions.ask)
  expect(errorOf(await call('echo')).code).toBe('APPROVAL_UNAVAILABLE')
  expect(tool.calls).toHaveLength(0)
})

test('P-44: a service that throws or rejects is APPROVAL_UNAVAILABLE', async () => {
  for (const fail of [
    () => {
      throw new Error('sync')
    },
    () => Promise.reject(new Error('async')),
  ]) {
    const { runtime, call } = await harness()
    runtime.register(scriptedTool('echo'))
    approver(runtime, [fail])
    runtime.hooks.preExecute.tap('asks', () => decisions.ask)
    expect(errorOf(await call('echo')).code).toBe('APPROVAL_UNAVAILABLE')
  }
})

test('P-45: an approval covers exactly the arguments shown; edited ones are judged again', async () => {
  const { runtime, call, seen } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  const asked = approver(runtime, [{ outcome: 'approved', by: 'me', arguments: { path: 'b' } }])
  const judged: JsonValue[] = []
  const guarded: JsonValue[] = []
  runtime.hooks.preExecute.tap('asks', (_, { arguments: args }) => (judged.push(args), decisions.ask))
  runtime.guard(({ arguments: args }) => void guarded.push(args) as undefined)
  expect(valueOf(await call('echo', { path: 'a' }, { callId: 'x' }))).toEqual({ path: 'b' })
  expect(judged).toEqual([{ path: 'a' }, { path: 'b' }])
  expect(guarded).toEqual([{ path: 'a' }, { path: 'b' }])
  expect(asked).toHaveLength(1)
  expect(seen.recordOf('x')).toMatchObject({ originalArguments: { path: 'a' }, effectiveArguments: { path: 'b' } })
})

test('P-45: an edit into something denied stays denied; one that does not fit is invalid', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo', { input: text })
  runtime.register(tool)
  approver(runtime, [
    { outcome: 'approved', arguments: { text: 'forbidden' } },
    { outcome: 'approved', arguments: { text: 3 } },
  ])
  runtime.hooks.preExecute.tap('policy', (_, { arguments: args }) =>
    JSON.stringify(args).includes('forbidden') ? decisions.deny : decisions.ask,
  )
  expect(errorOf(await call('echo', { text: 'a' })).code).toBe('TOOL_DENIED')
  expect(errorOf(await call('echo', { text: 'a' })).code).toBe('INVALID_TOOL_INPUT')
  expect(tool.calls).toHaveLength(0)
})

test('P-45: other arguments than the edited ones are asked about anew, three asks at most', async () => {
  const { runtime, call } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  let edit = 0
  const asked = approver(runtime, [() => ({ outcome: 'approved', arguments: { edit: (edit += 1) } })])
  runtime.hooks.preExecute.tap('asks', () => decisions.ask)
  runtime.hooks.preExecute.tap('rewriter', (d, { arguments: args }) => {
    const given = args as { edit?: number; more?: number }
    return given.edit !== undefined && given.more === undefined ? { kind: 'allow', arguments: { ...given, more: 1 } } : d
  })
  expect(errorOf(await call('echo')).code).toBe('TOOL_DENIED')
  expect(asked).toHaveLength(3)
  expect(tool.calls).toHaveLength(0)
})

test('P-45: an edit equal to what was shown is no rewrite', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  approver(runtime, [{ outcome: 'approved', arguments: { b: 2, a: 1 } }])
  let rounds = 0
  runtime.hooks.preExecute.tap('asks', () => ((rounds += 1), decisions.ask))
  expect(valueOf(await call('echo', { a: 1, b: 2 }))).toEqual({ a: 1, b: 2 })
  expect(rounds).toBe(1)
})

test('P-46: an abort ends the waiting at once, and the late answer is only logged', async () => {
  const { runtime, call, logs } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  const answer = deferred<AskAnswer>()
  approver(runtime, [() => answer.promise])
  runtime.hooks.preExecute.tap('asks', () => decisions.ask)
  const controller = new AbortController()
  const pending = call('echo', {}, { signal: controller.signal })
  await settleMicrotasks()
  controller.abort(new Error('stop'))
  expect(errorOf(await pending)).toMatchObject({ code: 'TOOL_ABORTED_BEFORE_DISPATCH', details: { reason: 'stop' } })
  answer.resolve(APPROVED)
  await settleMicrotasks()
  expect(tool.calls).toHaveLength(0)
  expect(logs.some(({ message }) => message.includes('late answer'))).toBe(true)
})

test('P-88: the view is made once per execution, shared by policy and ask; the preview only when asked for', async () => {
  const { runtime, call } = await harness()
  const made: boolean[] = []
  runtime.register(
    scriptedTool('echo', {
      describeCall: async (_, { preview }) => {
        made.push(preview)
        return { title: 'Echo', kind: 'read', ...(preview ? { diff: 'd' } : {}) }
      },
    }),
  )
  approver(runtime, [APPROVED])
  runtime.hooks.preExecute.tapPromise('one', async (d, execution) =>
    (await runtime.describe(execution)).kind === 'read' ? d : decisions.deny,
  )
  runtime.hooks.preExecute.tapPromise('two', async (d, execution) => {
    expect(await runtime.describe(execution)).toBe(await runtime.describe(execution))
    expect(Object.isFrozen(await runtime.describe(execution))).toBe(true)
    return d
  })
  await call('echo')
  expect(made).toEqual([false])
  runtime.hooks.preExecute.tap('asks', () => decisions.ask)
  await call('echo')
  expect(made).toEqual([false, false, true])
})

test.each<[string, unknown]>([
  [
    'throws',
    () => {
      throw new Error('x')
    },
  ],
  ['rejects', () => Promise.reject(new Error('x'))],
  ['hangs', () => new Promise(() => undefined)],
  ['is malformed', () => ({ title: 3, kind: 'read' })],
  ['has an unknown kind', () => ({ title: 'a', kind: 'magic' })],
  ['has malformed paths', () => ({ title: 'a', kind: 'read', paths: [{ path: 1 }] })],
])('P-88: a describeCall that %s gives an incomplete view', async (_, describeCall) => {
  const { runtime } = await harness({ hookTimeoutMs: 20 })
  runtime.register(scriptedTool('echo', { describeCall: describeCall as never }))
  expect(await runtime.describe({ name: 'echo', arguments: {} })).toEqual({ title: 'echo', kind: 'other', incomplete: true })
})

test('P-88: no describeCall is the tool’s name; an unknown tool or a misfit is incomplete', async () => {
  const { runtime } = await harness()
  runtime.register(scriptedTool('echo', { input: text }))
  expect(await runtime.describe({ name: 'echo', arguments: { text: 'a' } })).toEqual({ title: 'echo', kind: 'other' })
  expect(await runtime.describe({ name: 'echo', arguments: { text: 1 } })).toMatchObject({ incomplete: true })
  expect(await runtime.describe({ name: 'nope', arguments: {} })).toMatchObject({ incomplete: true })
})

test('P-30: an unknown tool is seen by policy, may be denied, is never asked about, and cannot succeed', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('echo'))
  const asked = approver(runtime, [APPROVED])
  const off = runtime.hooks.preExecute.tap('asks', () => decisions.ask)
  runtime.hooks.execute.tap('wishful', () => async () => ({ isError: false, value: 1, content: [] }))
  const error = errorOf(await call('ehco', {}, { callId: 'x' }))
  expect(error.code).toBe('UNKNOWN_TOOL')
  expect(asked).toHaveLength(0)
  expect(seen.recordOf('x')?.decision?.kind).toBe('ask')
  off()
  runtime.hooks.preExecute.tap('denies', () => decisions.deny)
  expect(errorOf(await call('ehco')).code).toBe('TOOL_DENIED')
})

test('P-30: the nearest name is told', async () => {
  const { call, runtime } = await harness()
  runtime.register(scriptedTool('read_file'))
  expect(errorOf(await call('readfile')).message).toContain('"read_file"')
})

test('P-31: invalid input settles before policy, and no human is asked', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(defineTool({ name: 'echo', description: 'd', input: text, execute: () => 1 }))
  const asked = approver(runtime, [APPROVED])
  let policy = 0
  runtime.hooks.preExecute.tap('policy', () => ((policy += 1), decisions.ask))
  runtime.guard(() => void (policy += 1) as undefined)
  expect(errorOf(await call('echo', { text: 1, more: 2 }, { callId: 'x' }))).toMatchObject({
    code: 'INVALID_TOOL_INPUT',
    details: { issues: [{}, {}] },
  })
  expect(policy).toBe(0)
  expect(asked).toHaveLength(0)
  expect(seen.recordOf('x')?.decision).toBeUndefined()
})
