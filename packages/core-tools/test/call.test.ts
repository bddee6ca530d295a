import { expect, test } from 'vitest'
import { createToolRuntime, EXECUTION_TOKEN, type ToolExecutionInput } from '@toolseam/core-tools'
import { scriptedTool } from '@toolseam/core-tools/testing'
import { deferred, errorOf, harness, settleMicrotasks, valueOf } from './support.ts'

test('P-13: text is parsed; blank or absent arguments are an empty object', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  expect(valueOf(await call('echo', '{"a":[1,2]}'))).toEqual({ a: [1, 2] })
  expect(valueOf(await call('echo', ' \n\t'))).toEqual({})
  expect(valueOf(await runtime.execute({ callId: 'x', name: 'echo' }))).toEqual({})
})

const deep = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = [value]
  return { value }
}
const NOT_JSON: [string, unknown][] = [
  ['bad text', '{"a":'],
  ['trailing text', '{} {}'],
  [
    'a cycle',
    (() => {
      const a: { self?: unknown } = {}
      a.self = a
      return a
    })(),
  ],
  ['NaN', { a: NaN }],
  ['bigint', { a: 1n }],
  ['a class instance', { a: new Date() }],
  ['a hole', { a: Array(1).concat([1]) }],
  ['a symbol key', { [Symbol('s')]: 1 }],
  ['undefined in an array', [undefined]],
  ['a function', { a: () => 1 }],
  [
    'a throwing getter',
    {
      get a() {
        throw new Error('x')
      },
    },
  ],
  [
    'a throwing proxy',
    new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('x')
        },
      },
    ),
  ],
  ['100 000 levels', deep(100_000)],
  ['10 000 levels of text', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
]
test.each(NOT_JSON)('P-11, P-13: %s settles INVALID_TOOL_INPUT with a path, arguments are null', async (_, args) => {
  const { runtime, call, seen } = await harness()
  const tool = scriptedTool('echo', { input: {} })
  runtime.register(tool)
  const error = errorOf(await call('echo', args, { callId: 'x' }))
  expect(error.code).toBe('INVALID_TOOL_INPUT')
  expect((error.details as { issues: { path: string }[] }).issues[0]?.path).toBeTypeOf('string')
  expect(seen.recordOf('x')).toMatchObject({ originalArguments: null, effectiveArguments: null })
  expect(tool.calls).toHaveLength(0)
})

test('P-11: __proto__ and constructor are data, and nothing is polluted', async () => {
  const { runtime, call } = await harness()
  runtime.register(scriptedTool('echo'))
  const value = valueOf(await call('echo', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'))
  expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

test('P-12: the snapshot shares nothing with the caller', async () => {
  const { runtime, call } = await harness()
  const gate = deferred()
  runtime.register(scriptedTool('echo'))
  runtime.hooks.preExecute.tapPromise('waits', async (d) => (await gate.promise, d))
  const args = { list: [1] }
  const pending = call('echo', args)
  args.list.push(2)
  gate.resolve()
  expect(valueOf(await pending)).toEqual({ list: [1] })
})

test('P-27: every input field is read once, the tool before the arguments', async () => {
  const { runtime } = await harness()
  runtime.register(scriptedTool('echo'))
  const reads: string[] = []
  const fields: Record<string, unknown> = {
    callId: 'c',
    name: 'echo',
    agent: undefined,
    caller: 'mcp',
    rootCallId: 'r',
    parent: undefined,
    turnId: 't',
    signal: undefined,
    arguments: { a: 1 },
  }
  const input = {}
  for (const [key, value] of Object.entries(fields)) Object.defineProperty(input, key, { get: () => (reads.push(key), value) })
  await runtime.execute(input as ToolExecutionInput)
  expect([...reads].sort()).toEqual(Object.keys(fields).sort())
  expect(reads.at(-1)).toBe('arguments')
})

test.each<[string, unknown]>([
  ['no object', null],
  ['no callId', { name: 'echo' }],
  ['an empty callId', { callId: '', name: 'echo' }],
  ['a name that is no string', { callId: 'c', name: 3 }],
  ['a parent that is no token', { callId: 'c', name: 'echo', parent: {} }],
  ['a signal that is none', { callId: 'c', name: 'echo', signal: {} }],
])('P-26: %s is no call: execute rejects', async (_, input) => {
  const { runtime, seen } = await harness()
  runtime.register(scriptedTool('echo'))
  await expect(runtime.execute(input as ToolExecutionInput)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  expect(seen.events).toEqual([])
})

test('P-28: the execution is frozen, the token comes first and is opaque, no tap changes what runs', async () => {
  const { runtime } = await harness()
  const tool = scriptedTool('echo')
  runtime.register(tool)
  runtime.hooks.preExecute.tap('vandal', (d, execution) => {
    expect(Object.isFrozen(execution)).toBe(true)
    expect(Object.isFrozen(execution.token)).toBe(true)
    for (const key of ['name', 'arguments', 'agent', 'signal', 'callId']) expect(Reflect.set(execution, key, 'other')).toBe(false)
    expect(() => ((execution.arguments as { a: number }).a = 2)).toThrow(TypeError)
    return d
  })
  expect(valueOf(await runtime.execute({ callId: 'c', name: 'echo', arguments: { a: 1 } }))).toEqual({ a: 1 })
})

test('P-27: caller is agent by default, subagent where the scope has a parent', async () => {
  const { runtime, call } = await harness()
  const callers: string[] = []
  runtime.register(scriptedTool('who', { script: { run: (_, { execution }) => (callers.push(execution.caller), 1) } }))
  runtime.scope('root')
  runtime.scope('child', { extends: 'root' })
  await call('who')
  await call('who', {}, { agent: 'root' })
  await call('who', {}, { agent: 'child' })
  await call('who', {}, { agent: 'child', caller: 'mcp' })
  expect(callers).toEqual(['agent', 'agent', 'subagent', 'mcp'])
})

test('P-29: in code mode a direct call settles UNKNOWN_TOOL before validation and policy, with the route', async () => {
  const { runtime, call } = await harness({
    mode: 'code',
    plugins: [
      {
        name: 'code',
        apply: (r) => r.register(scriptedTool('run_code', { script: { run: (_, { call: nested }) => nested('echo', { a: 1 }) } })),
      },
    ],
  })
  let policy = 0
  runtime.hooks.preExecute.tap('policy', (d, { name }) => (name === 'echo' && (policy += 1), d))
  runtime.register(scriptedTool('echo'))
  const error = errorOf(await call('echo', { a: 1 }))
  expect(error.code).toBe('UNKNOWN_TOOL')
  expect(error.message).toContain('run_code')
  expect(policy).toBe(0)
  expect(errorOf(await call('echo', {}, { signal: AbortSignal.abort() })).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(errorOf(await call('echo', '{')).code).toBe('INVALID_TOOL_INPUT')
  // A program's own call is not collapsed.
  expect(valueOf(await call('run_code'))).toMatchObject({ isError: false, value: { a: 1 } })
  expect(policy).toBe(1)
})

test('P-29: a nested call by another agent collapses; a code entry from inside a program does too', async () => {
  const { runtime, call } = await harness({
    mode: 'code',
    plugins: [
      {
        name: 'code',
        apply: (r) => r.register(scriptedTool('run_code', { script: { run: (_, { call: nested }) => nested('run_code', {}) } })),
      },
    ],
  })
  runtime.register(scriptedTool('echo'))
  expect(valueOf(await call('run_code'))).toMatchObject({ isError: true, error: { code: 'UNKNOWN_TOOL' } })
  const token = await new Promise<never>(
    (resolve) =>
      runtime.hooks.preExecute.tap('steal', (d, execution) => (resolve(execution.token as never), d)) &&
      void call('run_code', {}, { agent: 'a' }),
  )
  expect(errorOf(await call('echo', {}, { agent: 'b', parent: token })).code).toBe('UNKNOWN_TOOL')
})

test('P-14: a deep input schema and a huge argument are no crash', async () => {
  const { runtime, call } = await harness()
  runtime.register(
    scriptedTool('echo', {
      input: { type: 'object', properties: { text: { type: 'string' } } },
      script: { run: (input) => (input as { text: string }).text.length },
    }),
  )
  expect(valueOf(await call('echo', { text: 'x'.repeat(50_000_000) }))).toBe(50_000_000)
  expect(valueOf(await call('echo', JSON.stringify({ text: 'y'.repeat(50_000_000) })))).toBe(50_000_000)
})

test('P-26, P-82: a closed runtime settles TOOL_ABORTED_BEFORE_DISPATCH, with its result event', async () => {
  const { runtime, call, seen } = await harness()
  runtime.register(scriptedTool('echo'))
  await runtime.dispose()
  expect(errorOf(await call('echo', {}, { callId: 'late' })).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  expect(seen.events).toEqual([])
})

test('P-82: dispose refuses new calls, aborts and drains running ones, then disposes plugins last to first', async () => {
  const order: string[] = []
  const plugin = (name: string) => ({ name, apply: () => () => void order.push(name) })
  const runtime = await createToolRuntime({ plugins: [plugin('first'), plugin('second')], abortGraceMs: 20 })
  runtime.register(scriptedTool('waits', { script: { hangs: 'until-aborted' } }))
  runtime.hooks.result.tap('watch', (_, result) => order.push(result.isError ? result.error.code : 'ok'))
  const pending = runtime.execute({ callId: 'c', name: 'waits' })
  await settleMicrotasks()
  const disposing = runtime.dispose()
  expect(runtime.dispose()).toBe(disposing)
  expect(errorOf(await runtime.execute({ callId: 'd', name: 'waits' })).code).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
  await disposing
  expect(errorOf(await pending).code).toBe('TOOL_ABORTED')
  expect(order.filter((entry) => !entry.startsWith('TOOL'))).toEqual(['second', 'first'])
  expect(order.indexOf('TOOL_ABORTED')).toBeLessThan(order.indexOf('second'))
})

test('P-82: all disposers run even if some throw; failures come as one aggregate', async () => {
  const order: string[] = []
  const runtime = await createToolRuntime({
    plugins: [
      { name: 'a', apply: () => () => void order.push('a') },
      {
        name: 'b',
        apply: () => () => {
          order.push('b')
          throw new Error('b fails')
        },
      },
      {
        name: 'c',
        apply: () => async () => {
          order.push('c')
          throw new Error('c fails')
        },
      },
    ],
  })
  const failure = await runtime.dispose().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(AggregateError)
  expect((failure as AggregateError).errors).toHaveLength(2)
  expect(order).toEqual(['c', 'b', 'a'])
})

test.each([
  [{ maxParallel: 0 }, /maxParallel/],
  [{ maxParallel: 1.5 }, /maxParallel/],
  [{ mode: 'x' as never }, /mode/],
  [{ hookTimeoutMs: -1 }, /hookTimeoutMs/],
  [{ logger: {} as never }, /logger/],
  [{ plugins: {} as never }, /plugins/],
])('P-73: bad options %j are refused by name', async (options, message) => {
  await expect(createToolRuntime(options)).rejects.toThrowError(message)
})

test('P-9: a mode without run_code is refused, naming the package', async () => {
  await expect(createToolRuntime({ mode: 'code' })).rejects.toMatchObject({
    code: 'SERVICE_MISSING',
    message: expect.stringContaining('@toolseam/code-mode'),
  })
})

test('P-81: a plugin that fails while loading leaves nothing behind and is named', async () => {
  const { runtime } = await harness()
  const tool = scriptedTool('half')
  await expect(
    runtime.use({
      name: 'broken',
      apply(r) {
        r.register(tool)
        r.hooks.preExecute.tap('half', (d) => d)
        r.scope('s').register(scriptedTool('scoped'))
        throw new Error('while loading')
      },
    }),
  ).rejects.toThrowError(/"broken"/)
  expect(runtime.view().names).toEqual([])
  expect(runtime.view('s').names).toEqual([])
})

test('P-28: token facts are what nested calls inherit from', async () => {
  const { runtime } = await harness()
  const facts: unknown[] = []
  runtime.register(
    scriptedTool('echo', {
      script: {
        run: (_, { execution }) => (facts.push(execution.token[EXECUTION_TOKEN].rootCallId, execution.token[EXECUTION_TOKEN].depth), 1),
      },
    }),
  )
  await runtime.execute({ callId: 'c', rootCallId: 'root', name: 'echo' })
  expect(facts).toEqual(['root', 0])
})

test('P-26: what is no call is refused by describe and validate too, and a monstrous name is cut where it is shown', async () => {
  const { runtime, call } = await harness()
  for (const bad of [null, undefined, {}, { name: 3 }, 'echo']) {
    await expect(runtime.describe(bad as never)).rejects.toMatchObject({ code: 'INVALID_CALL' })
    await expect(runtime.validate(bad as never)).rejects.toMatchObject({ code: 'INVALID_CALL' })
  }
  expect(errorOf(await call('x'.repeat(1_000_000))).message.length).toBeLessThan(200)
  expect(errorOf(await call('a\u001b[2J"b')).message).not.toContain('\u001b')
})
