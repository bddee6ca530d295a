import { expect, test } from 'vitest'
import { createToolRuntime, EXECUTION_TOKEN, type ToolCallRecord, type ToolExecution, type ToolResult } from '@toolseam/core-tools'
import {
  createInvariantChecker,
  scriptedTool,
  toolInvariants,
  type InvariantChecker,
  type InvariantViolation,
} from '@toolseam/core-tools/testing'

function checking(): { checker: InvariantChecker; rules(): string[] } {
  const found: InvariantViolation[] = []
  return { checker: createInvariantChecker({ report: (violation) => found.push(violation) }), rules: () => found.map(({ rule }) => rule) }
}

function execution(callId: string, more: Partial<ToolExecution> & { root?: string; parentSettled?: boolean } = {}): ToolExecution {
  const { root = callId, parentSettled = false, ...rest } = more
  const facts = { callId, rootCallId: root, name: 't', depth: 0, settled: parentSettled, signal: new AbortController().signal }
  return Object.freeze({
    token: Object.freeze({ [EXECUTION_TOKEN]: facts }),
    callId,
    rootCallId: root,
    name: 't',
    arguments: null,
    input: undefined,
    caller: 'agent',
    signal: facts.signal,
    ...rest,
  }) as ToolExecution
}
const result: ToolResult = Object.freeze({ isError: false, value: null, content: Object.freeze([]) as never })
const record = (more: Partial<ToolCallRecord> = {}): ToolCallRecord =>
  Object.freeze({ bodyStarted: true, trail: Object.freeze([]) as never, ...more }) as ToolCallRecord

test('P-84: a clean run reports nothing', async () => {
  const found: InvariantViolation[] = []
  const runtime = await createToolRuntime({ plugins: [toolInvariants({ report: (violation) => found.push(violation) })] })
  runtime.register(scriptedTool('inner', { concurrency: 'parallel' }))
  runtime.register(
    scriptedTool('outer', { script: { run: async (_, { call }) => (await Promise.all([call('inner', {}), call('nope', {})])).length } }),
  )
  await runtime.executeAll([
    { callId: 'a', name: 'outer' },
    { callId: 'b', name: 'nope' },
    { callId: 'c', name: 'inner', arguments: '{' },
  ])
  await runtime.dispose()
  expect(found).toEqual([])
})

test('P-84: a stage out of order, or twice', () => {
  const { checker, rules } = checking()
  const first = execution('a')
  checker.dispatch(first)
  checker.preExecute(first)
  const second = execution('b')
  checker.postExecute(second, result)
  checker.postExecute(second, result)
  expect(rules()).toEqual(['stage-order', 'stage-twice'])
})

test('P-84: a second and a missing result', () => {
  const { checker, rules } = checking()
  const first = execution('a')
  checker.result(first, result, record())
  checker.result(first, result, record())
  checker.preExecute(execution('b'))
  checker.close()
  expect(rules()).toEqual(['second-result', 'missing-result'])
})

test('P-84: anything unfrozen', () => {
  const { checker, rules } = checking()
  checker.preExecute({ ...execution('a') } as ToolExecution)
  checker.result(execution('b'), { isError: false, value: { a: 1 }, content: [] }, record())
  expect(new Set(rules())).toEqual(new Set(['unfrozen']))
  expect(rules()).toHaveLength(2)
})

test('P-84: a body run after a denial', () => {
  const { checker, rules } = checking()
  checker.result(execution('a'), result, record({ decision: Object.freeze({ kind: 'deny', by: 'x' }) }))
  expect(rules()).toEqual(['body-after-denial'])
})

test('P-84: a parent outside its root, and a nested result after the root’s', () => {
  const { checker, rules } = checking()
  const parent = execution('p', { root: 'other' })
  checker.preExecute(execution('a', { root: 'mine', parent: parent.token }))
  const over = execution('q', { root: 'q', parentSettled: true })
  const nested = execution('q:1', { root: 'q', parent: over.token })
  checker.result(nested, result, record())
  expect(rules()).toEqual(['parent-outside-root', 'nested-outside-root', 'nested-outside-root'])
})
