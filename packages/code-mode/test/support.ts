/** The fixture tools of the cases, a runtime with code mode, and a scripted approval service. */
import {
  Approval,
  type AskAnswer,
  type AskRequest,
  createToolRuntime,
  type ToolDefinition,
  type ToolPlugin,
  type ToolResult,
  type ToolRuntime,
} from '@toolseam/core-tools'
import { recorder, toolInvariants, type InvariantViolation, type Recorder } from '@toolseam/core-tools/testing'
import { codeMode, type CodeModeOptions, type CodeRuntime, createQuickjsProcessRuntime, createQuickjsRuntime } from '../src/index.ts'
import { createInlineRuntime } from '../src/testing.ts'

export const PROVIDERS: readonly [string, () => CodeRuntime][] = [
  ['inline', () => createInlineRuntime({ trustedCodeOnly: true })],
  ['quickjs', () => createQuickjsRuntime({ workers: 2 })],
  ['quickjs-process', () => createQuickjsProcessRuntime({ processes: 2 })],
]

export interface World {
  readonly runtime: ToolRuntime
  readonly events: Recorder
  readonly violations: InvariantViolation[]
  readonly asked: AskRequest[]
  /** Calls of `sleep`: how many at once at most, and the ids that were aborted. */
  readonly sleeping: { now: number; peak: number; aborted: unknown[] }
  readonly written: Map<string, string>
  run(code: string, options?: { signal?: AbortSignal; agent?: string }): Promise<ToolResult>
  [Symbol.asyncDispose](): Promise<void>
}

export interface WorldOptions extends CodeModeOptions {
  mode?: 'native' | 'code' | 'both'
  /** Answers asks; without it, approvals are given at once. */
  answer?(request: AskRequest): Promise<AskAnswer>
  /** The engine of this world alone, disposed with it. */
  engine?: CodeRuntime
  sleepConcurrency?: 'parallel' | 'exclusive'
  tools?: readonly ToolDefinition[]
}

export async function world({
  mode = 'both',
  answer,
  engine,
  sleepConcurrency = 'parallel',
  tools = [],
  ...options
}: WorldOptions = {}): Promise<World> {
  const own = engine ?? createInlineRuntime({ trustedCodeOnly: true })
  const events = recorder()
  const violations: InvariantViolation[] = []
  const asked: AskRequest[] = []
  const sleeping = { now: 0, peak: 0, aborted: [] as unknown[] }
  const written = new Map<string, string>()
  const approvals: ToolPlugin = {
    name: 'test/approval',
    provides: [Approval],
    apply: ({ services }) =>
      void services.provide(Approval, {
        ask: (request) => {
          asked.push(request)
          return answer === undefined ? Promise.resolve({ outcome: 'approved' as const }) : answer(request)
        },
      }),
  }
  const fixtures: ToolPlugin = {
    name: 'test/fixtures',
    apply: (runtime) => {
      for (const tool of fixtureTools({ sleeping, written, sleepConcurrency })) runtime.register(tool)
      for (const tool of tools) runtime.register(tool)
      runtime.hooks.preExecute.tap('asks', (decision, { name }) =>
        name === 'write_file' ? { kind: 'ask', reason: 'it writes' } : decision,
      )
      runtime.scope('agent').restrict({ deny: ['secret'] })
    },
  }
  const runtime = await createToolRuntime({
    plugins: [
      approvals,
      fixtures,
      codeMode({ runtime: own, ...options }),
      events,
      toolInvariants({ report: (found) => void violations.push(found) }),
    ],
    mode,
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  })
  let count = 0
  return {
    runtime,
    events,
    violations,
    asked,
    sleeping,
    written,
    run: (code, { signal, agent = 'agent' } = {}) =>
      runtime.execute({
        callId: `c${(count += 1)}`,
        name: 'run_code',
        arguments: { code },
        agent,
        ...(signal === undefined ? {} : { signal }),
      }),
    async [Symbol.asyncDispose]() {
      await runtime.dispose()
      await own.dispose()
    },
  }
}

function fixtureTools({
  sleeping,
  written,
  sleepConcurrency,
}: Pick<World, 'sleeping' | 'written'> & { sleepConcurrency: 'parallel' | 'exclusive' }): ToolDefinition[] {
  const tool = <Input>(
    name: string,
    execute: ToolDefinition<Input>['execute'],
    more: Partial<ToolDefinition<Input>> = {},
  ): ToolDefinition => ({ name, description: `Fixture ${name}.`, input: {}, concurrency: 'parallel', execute, ...more }) as ToolDefinition
  return [
    tool<{ a: number; b: number }>('add', ({ a, b }) => a + b, {
      input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      output: { type: 'number' },
    }),
    tool<null>('echo', (x) => x),
    tool<{ message: string }>('fail', ({ message }) => {
      throw new Error(message)
    }),
    tool<{ ms: number; id: number }>(
      'sleep',
      async ({ ms, id }, { signal }) => {
        sleeping.now += 1
        sleeping.peak = Math.max(sleeping.peak, sleeping.now)
        try {
          await new Promise<void>((resolve, reject) => {
            const timer = setTimeout(resolve, ms)
            signal.addEventListener('abort', () => {
              clearTimeout(timer)
              sleeping.aborted.push(id)
              reject(signal.reason)
            })
          })
        } finally {
          sleeping.now -= 1
        }
        return { id, ms }
      },
      { concurrency: sleepConcurrency },
    ),
    tool<{ page: number }>('list_users', ({ page }) => ({
      users: Array.from({ length: 20 }, (_, at) => (page - 1) * 20 + at + 1).map((id) => ({
        id,
        name: `user-${id}`,
        active: id % 3 === 0,
      })),
      next: page < 5 ? page + 1 : null,
    })),
    tool<{ path: string }>('read_file', ({ path }) => (path === 'a.txt' ? 'alpha' : 'beta'), { annotations: { readOnlyHint: true } }),
    tool<{ path: string; content: string }>(
      'write_file',
      ({ path, content }) => {
        written.set(path, content)
        return { bytes: content.length }
      },
      { concurrency: 'exclusive' },
    ),
    tool<{ city: string }>('get-weather', ({ city }) => ({ city, tempC: 18 }), { annotations: { readOnlyHint: true } }),
    tool<{ bytes: number }>('huge', ({ bytes }) => 'x'.repeat(bytes)),
    tool<object>('secret', () => 'the secret'),
  ]
}

/** The value that the program returned. */
export function returned(result: ToolResult): unknown {
  if (result.isError) throw new Error(`${result.error.code}: ${result.error.message}`)
  return (result.value as { value: unknown }).value
}

export function failure(result: ToolResult): { code: string; message: string; details: Record<string, unknown> } {
  if (!result.isError) throw new Error(`it succeeded: ${JSON.stringify(result.value)}`)
  return { ...result.error, details: result.error.details as Record<string, unknown> }
}

export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}
