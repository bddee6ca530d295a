/** Modes and collapse, the plugin's own refusals, approvals and policy inside a run, and what is passed on. */
import { createToolRuntime, type ToolDefinition } from '@toolseam/core-tools'
import { expect, test } from 'vitest'
import { CodeCatalogue, codeMode, CodeRuntime } from '../src/index.ts'
import { createInlineRuntime } from '../src/testing.ts'
import { failure, returned, textOf, world } from './support.ts'

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const inline = (): CodeRuntime => createInlineRuntime({ trustedCodeOnly: true })

test('C-1: native shows all tools, code the two entries, both everything', async () => {
  await using native = await world({ mode: 'native' })
  expect(native.runtime.view('agent').presented).not.toContain('run_code')
  expect(native.runtime.view('agent').presented).toContain('add')
  await using code = await world({ mode: 'code' })
  expect(code.runtime.schemas('agent').map(({ name }) => name)).toEqual(['run_code', 'search_tools'])
  await using both = await world({ mode: 'both' })
  expect(both.runtime.view('agent').presented).toEqual(expect.arrayContaining(['add', 'run_code', 'search_tools']))
})

test('C-1: a mode is presented per scope, inherited, nearest wins, one at a time', async () => {
  await using here = await world({ mode: 'native' })
  const parent = here.runtime.scope('parent')
  const lift = parent.present('code')
  here.runtime.scope('child', { extends: 'parent' })
  expect(here.runtime.view('child').presented).toEqual(['run_code', 'search_tools'])
  expect(() => parent.present('both')).toThrowError()
  here.runtime.scope('child').present('native')
  expect(here.runtime.view('child').presented).not.toContain('run_code')
  lift()
  expect(here.runtime.view('parent').mode).toBe('native')
})

test('C-2: a collapsed call never reaches policy, and points to a program', async () => {
  await using here = await world({ mode: 'code' })
  const result = await here.runtime.execute({ callId: 'd', name: 'add', arguments: { a: 1, b: 2 }, agent: 'agent' })
  expect(result).toMatchObject({ isError: true, error: { code: 'UNKNOWN_TOOL', message: expect.stringContaining('run_code') } })
  expect(here.events.lines()).toEqual(['result d'])
  const aborted = await here.runtime.execute({ callId: 'e', name: 'add', arguments: {}, agent: 'agent', signal: AbortSignal.abort() })
  expect(aborted).toMatchObject({ isError: true, error: { code: 'TOOL_ABORTED_BEFORE_DISPATCH' } })
  expect(returned(await here.run('return tools.add({ a: 1, b: 2 })'))).toBe(3)
})

test('C-3: code entries cannot be shadowed, restricted or called from a program', async () => {
  await using here = await world()
  const again: ToolDefinition = { name: 'run_code', description: 'mine', input: {}, execute: () => null }
  expect(() => here.runtime.scope('agent').register(again)).toThrowError()
  expect(() => here.runtime.scope('agent').restrict({ deny: ['run_code'] })).toThrowError()
  const codes = await here.run(
    'const of = (p) => p.catch((e) => e.code); return [await of(tools.run_code({ code: "1" })), await of(tools.search_tools({}))]',
  )
  expect(returned(codes)).toEqual(['UNKNOWN_TOOL', 'UNKNOWN_TOOL'])
})

test('C-3: without an engine, or with one of another language, the plugin fails loudly', async () => {
  await expect(createToolRuntime({ plugins: [codeMode({ runtime: 'service' })], logger: quiet })).rejects.toThrowError(
    /CodeRuntime|@toolseam\/code-mode/,
  )
  const python = { ...inline(), language: 'python' } as unknown as CodeRuntime
  await expect(createToolRuntime({ plugins: [codeMode({ runtime: python })], logger: quiet })).rejects.toThrowError(/python/)
  expect(() => codeMode({ limits: { busyMs: 0 } })).toThrowError(/busyMs/)
  expect(() => codeMode({ limits: { nonsense: 1 } as object })).toThrowError(/nonsense/)
  expect(() => createInlineRuntime({} as { trustedCodeOnly: true })).toThrowError(/trustedCodeOnly/)
})

test('C-3: the engine may come from another plugin', async () => {
  const engine = inline()
  const brings = {
    name: 'brings',
    provides: [CodeRuntime],
    apply: ({ services }: { services: { provide: unknown } }) =>
      void (services as { provide(token: unknown, it: unknown): void }).provide(CodeRuntime, engine),
  }
  await using runtime = await createToolRuntime({ plugins: [brings, codeMode({ runtime: 'service' })], mode: 'code', logger: quiet })
  expect(await runtime.execute({ callId: 'c', name: 'run_code', arguments: { code: '1 + 1' } })).toMatchObject({ value: { value: 2 } })
})

test('C-4: nested calls carry parent, root, order and the agent’s own view', async () => {
  await using here = await world()
  expect(
    returned(await here.run('await tools.add({ a: 1, b: 1 }); await tools.echo(1); return await tools.secret({}).catch((e) => e.code)')),
  ).toBe('UNKNOWN_TOOL')
  expect(here.events.lines().filter((line) => line.startsWith('result'))).toEqual([
    'result c1:code:1',
    'result c1:code:2',
    'result c1:code:3',
    'result c1',
  ])
  expect(here.events.recordOf('c1:code:1')).toMatchObject({ rootCallId: 'c1', name: 'add', agent: 'agent' })
  expect(here.violations).toEqual([])
})

test('C-4: the view is read anew at each call', async () => {
  const late: ToolDefinition = { name: 'late', description: 'Comes later.', input: {}, execute: () => 'here' }
  const opens: ToolDefinition = { name: 'opens', description: 'Registers one.', input: {}, execute: () => (open(), null) }
  let open = (): void => undefined
  await using here = await world({ tools: [opens] })
  open = () => void here.runtime.register(late)
  expect(
    returned(
      await here.run(
        'const before = await tools.late({}).catch((e) => e.code); await tools.opens({}); return [before, await tools.late({})]',
      ),
    ),
  ).toEqual(['UNKNOWN_TOOL', 'here'])
})

test('C-4: a denied call is a rejection that can be caught, with no way around', async () => {
  await using here = await world()
  here.runtime.hooks.preExecute.tap('no-add', (decision, { name }) => (name === 'add' ? { kind: 'deny', reason: 'not today' } : decision))
  const result = await here.run(
    'try { return await tools.add({ a: 1, b: 1 }) } catch (e) { return [e.code, e.message.includes("not today")] }',
  )
  expect(returned(result)).toEqual(['TOOL_DENIED', true])
  const uncaught = failure(await here.run('await tools.echo(1)\nawait tools.add({ a: 1, b: 1 })'))
  expect(uncaught).toMatchObject({
    code: 'CODE_TOOL_ERROR',
    details: { line: 2, tool: 'add', toolCode: 'TOOL_DENIED', completed: [{ seq: 1, name: 'echo' }] },
  })
  expect(uncaught.message).toContain('Calls that had succeeded, and are not undone: echo.')
})

test('C-16: edited arguments are what runs; a refusal and an expiry refuse that call only', async () => {
  const answers = [
    { outcome: 'approved' as const, arguments: { path: 'b.txt', content: 'edited' } },
    { outcome: 'rejected' as const, reason: 'no' },
    { outcome: 'expired' as const },
  ]
  await using here = await world({ answer: async () => answers.shift() ?? { outcome: 'unavailable' } })
  const code =
    'const w = (path) => tools.write_file({ path, content: "x" }).catch((e) => e.code); return [await w("1"), await w("2"), await w("3"), await tools.add({ a: 1, b: 1 })]'
  expect(returned(await here.run(code))).toEqual([{ bytes: 6 }, 'APPROVAL_REJECTED', 'APPROVAL_EXPIRED', 2])
  expect([...here.written]).toEqual([['b.txt', 'edited']])
})

test('C-4: an open approval does not stop independent calls', async () => {
  let release = (): void => undefined
  const gate = new Promise<void>((resolve) => (release = resolve))
  const asking: ToolDefinition = { name: 'ask_me', description: 'Asks.', input: {}, concurrency: 'parallel', execute: () => 'asked' }
  const opener: ToolDefinition = {
    name: 'opener',
    description: 'Opens the gate.',
    input: {},
    concurrency: 'parallel',
    execute: () => (release(), 'open'),
  }
  await using here = await world({ tools: [asking, opener], answer: () => gate.then(() => ({ outcome: 'approved' as const })) })
  here.runtime.hooks.preExecute.tap('asks-too', (decision, { name }) => (name === 'ask_me' ? { kind: 'ask' } : decision))
  expect(returned(await here.run('return await Promise.all([tools.ask_me({}), tools.opener({})])'))).toEqual(['asked', 'open'])
})

test('C-9: a syntax error runs no tool and asks nothing', async () => {
  await using here = await world()
  const result = failure(await here.run('await tools.write_file({ path: "a", content: "b" })\nconst = 1'))
  expect(result).toMatchObject({ code: 'CODE_SYNTAX', details: { kind: 'syntax', line: 2, source: 'const = 1' } })
  expect(here.asked).toEqual([])
  expect(failure(await here.run(`return ${' '.repeat(300_000)}1`)).message).toContain('larger than')
})

test('C-10: an unknown name is told with its nearest, a missing global with those there are', async () => {
  await using here = await world()
  expect(failure(await here.run('await tools.readfile({ path: "a.txt" })')).message).toContain('read_file')
  expect(failure(await here.run('return missing')).message).toContain('The globals are `tools`')
})

test('C-11: media, contexts and the wish to conclude pass on, and only from a program that succeeds', async () => {
  const camera: ToolDefinition = {
    name: 'camera',
    description: 'Takes a picture.',
    input: {},
    execute: (_, context) => {
      context.deferContext([{ type: 'text', text: 'by the way' }])
      context.concludeTurn()
      return 'a picture'
    },
    render: () => [
      { type: 'text', text: 'a picture' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    ],
  }
  await using here = await world({ tools: [camera] })
  const good = await here.run('await tools.camera({}); return 1')
  expect(good).toMatchObject({ isError: false, concludesTurn: true, additionalContexts: [[{ type: 'text', text: 'by the way' }]] })
  expect(good.content).toEqual([
    { type: 'text', text: '1' },
    { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  ])
  const bad = await here.run('await tools.camera({}); throw new Error("late")')
  expect(bad.isError).toBe(true)
  expect(bad.additionalContexts ?? []).toEqual([])
  expect(bad.content.some(({ type }) => type === 'image')).toBe(false)
})

test('C-12: an abort is TOOL_ABORTED with what had been done', async () => {
  await using here = await world()
  const controller = new AbortController()
  const running = here.run('await tools.echo(1); await tools.sleep({ ms: 60000, id: 7 })', { signal: controller.signal })
  await expect.poll(() => here.sleeping.now).toBe(1)
  controller.abort()
  expect(failure(await running)).toMatchObject({ code: 'TOOL_ABORTED', details: { kind: 'abort', completed: [{ name: 'echo' }] } })
  expect(here.sleeping.aborted).toEqual([7])
})

test('C-12: a large result is cut visibly at the top', async () => {
  await using here = await world()
  const text = textOf(await here.run('return await tools.huge({ bytes: 600000 })'))
  expect(text.slice(0, 80)).toContain('[Cut: the first 24000 of 600002 characters. Return less.]')
  expect(text.length).toBeLessThan(24_200)
})

test('C-21: search and describe are answered on the host; a tool of that name keeps it', async () => {
  await using here = await world()
  const found = returned(
    await here.run(
      'return [await tools.search("weather"), await tools.describe("add"), await tools.$describe("nope").catch((e) => e.code)]',
    ),
  )
  expect(found).toEqual([
    { total: 1, offset: 0, results: [{ name: 'get-weather', namespace: 'local', description: 'Fixture get-weather.' }] },
    expect.stringContaining('add(input: { a: number; b: number }): Promise<number>'),
    'UNKNOWN_TOOL',
  ])
  expect(here.asked).toEqual([])
  const own: ToolDefinition = {
    name: 'search',
    description: 'Searches the web.',
    input: {},
    execute: (input) => ({ mine: input as string }),
  }
  here.runtime.register(own)
  expect(returned(await here.run('return [await tools.search({ q: 1 }), (await tools.$search("users")).total]'))).toEqual([
    { mine: { q: 1 } },
    1,
  ])
  const direct = await here.runtime.execute({ callId: 'd', name: 'search_tools', arguments: { query: 'files write' }, agent: 'agent' })
  expect(direct).toMatchObject({ value: { total: 2, results: [{ name: 'write_file' }, { name: 'read_file' }] } })
  expect(await here.runtime.execute({ callId: 'f', name: 'search_tools', arguments: { name: 'add' }, agent: 'agent' })).toMatchObject({
    value: expect.stringContaining('add('),
  })
})

test('C-21: tools of a server have a path of their own, and a namespace', async () => {
  const imported: ToolDefinition = {
    name: 'github__create_issue',
    description: 'Creates an issue.',
    input: {},
    execute: () => 'made',
    source: { server: 'github', tool: 'create_issue' },
  }
  await using here = await world({ tools: [imported] })
  expect(
    returned(
      await here.run(
        'return [await tools.github.create_issue({}), await tools.github__create_issue({}), (await tools.$search("", { namespace: "github" })).total]',
      ),
    ),
  ).toEqual(['made', 'made', 1])
})

test('C-21: a large catalogue is told by namespaces, with pinned tools in full', async () => {
  const many = Array.from({ length: 40 }, (_, at): ToolDefinition => ({
    name: `tool_${at}`,
    description: `Does thing ${at}.`,
    input: {},
    execute: () => at,
    source: { server: `s${at % 3}`, tool: `t${at}` },
  }))
  await using here = await world({ tools: many, pinned: ['tool_7'], mode: 'code' })
  const text = here.runtime.services.require(CodeCatalogue).text('agent')
  expect(text).toMatchSnapshot()
  expect(text).not.toContain('tool_8')
})

test('C-19, C-20: the text of a view, in code mode, is pinned and stable', async () => {
  await using here = await world({ mode: 'code' })
  const catalogue = here.runtime.services.require(CodeCatalogue)
  expect(catalogue.text('agent')).toMatchSnapshot()
  expect(catalogue.text('agent')).toBe(catalogue.text('agent'))
  expect(catalogue.text('agent')).not.toContain('secret')
  expect(here.runtime.schemas('agent')).toMatchSnapshot()
})
