import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import * as v from 'valibot'
import {
  createToolRuntime,
  defineService,
  defineTool,
  surfaceFor,
  deniedSurface,
  type JsonValue,
  type PostToolDecision,
  type PreToolDecision,
  type ToolDefinition,
  type ToolDispatch,
  type ToolExecution,
  type ToolResult,
  type ToolRunContext,
  type ToolRuntime,
  type UserFacingSurface,
} from '@toolseam/core-tools'

test('defineTool infers input and output from the schemas', () => {
  const tool = defineTool({
    name: 'a',
    description: 'd',
    input: z.object({ n: z.string().transform(Number) }),
    output: z.object({ sum: z.number() }),
    execute: (input, context) => {
      expectTypeOf(input).toEqualTypeOf<{ n: number }>()
      expectTypeOf(context).toEqualTypeOf<ToolRunContext>()
      return { sum: input.n }
    },
    render: (output, input) => {
      expectTypeOf(output.sum).toBeNumber()
      expectTypeOf(input.n).toBeNumber()
      return []
    },
    concurrency: (input) => (input.n > 1 ? 'parallel' : 'exclusive'),
  })
  expectTypeOf(tool).toEqualTypeOf<ToolDefinition<{ n: number }, { sum: number }>>()
  defineTool({ name: 'b', description: 'd', input: v.object({ s: v.string() }), execute: ({ s }) => s.length })
  // With a JSON Schema the annotation of the parameter says what comes in.
  const plain = defineTool({ name: 'c', description: 'd', input: { type: 'object' }, execute: (input: { a: 1 }) => input.a })
  expectTypeOf(plain).toExtend<ToolDefinition<{ a: 1 }, number>>()
})

test('tools of any input fit one runtime', () => {
  const use = (runtime: ToolRuntime): void => {
    runtime.register(defineTool({ name: 'a', description: 'd', input: z.object({ n: z.number() }), execute: ({ n }) => n }))
    interface Named {
      text: string
    }
    runtime
      .scope('x')
      .register(defineTool({ name: 'b', description: 'd', input: { type: 'object' }, execute: (): Named => ({ text: 'a' }) }))
  }
  expectTypeOf(use).toBeFunction()
})

test('a result is a success or a failure, never both', () => {
  const use = (result: ToolResult): JsonValue => {
    // @ts-expect-error a value is there only on a success
    void result.value
    if (result.isError) {
      expectTypeOf(result.error.code).toBeString()
      return result.error.message
    }
    return result.value
  }
  expectTypeOf(use).returns.toEqualTypeOf<JsonValue>()
})

test('a tap must return a decision', () => {
  const use = (runtime: ToolRuntime): void => {
    runtime.hooks.preExecute.tap('a', (decision, execution) => {
      expectTypeOf(decision).toEqualTypeOf<PreToolDecision>()
      expectTypeOf(execution).toEqualTypeOf<ToolExecution>()
      return decision
    })
    // @ts-expect-error nothing is no decision
    runtime.hooks.preExecute.tap('a', () => undefined)
    // @ts-expect-error a deny needs a reason
    runtime.hooks.preExecute.tap('a', () => ({ kind: 'deny' }))
    // @ts-expect-error tap is synchronous
    runtime.hooks.preExecute.tap('a', async (decision) => decision)
    runtime.hooks.preExecute.tapPromise('a', async (decision) => decision)
    // @ts-expect-error wrappers have no tapPromise
    runtime.hooks.execute.tapPromise('a', async (dispatch: ToolDispatch) => dispatch)
    runtime.hooks.postExecute.tap('a', (decision, _, result) => {
      expectTypeOf(decision).toEqualTypeOf<PostToolDecision>()
      return result.isError ? { kind: 'block', feedback: [] } : decision
    })
  }
  expectTypeOf(use).toBeFunction()
})

test('an execution cannot be written to', () => {
  const use = (execution: ToolExecution): void => {
    // @ts-expect-error frozen
    execution.name = 'other'
  }
  expectTypeOf(use).toBeFunction()
})

test('services are typed by their token, surfaces by their capability', () => {
  const token = defineService<{ now(): number }>('x/clock')
  const use = (runtime: ToolRuntime): number => runtime.services.require(token).now()
  expectTypeOf(use).returns.toBeNumber()
  expectTypeOf(surfaceFor(deniedSurface('x')).optional('ask')).toEqualTypeOf<UserFacingSurface['ask'] | undefined>()
  expectTypeOf(createToolRuntime).returns.resolves.toEqualTypeOf<ToolRuntime>()
})
