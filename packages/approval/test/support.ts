/**
 * What the tests of asking share: a runtime with one tool that asks, a scratch folder, and ways to wait.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import {
  createToolRuntime,
  defineTool,
  type ToolDefinition,
  type ToolLogger,
  type ToolPlugin,
  type ToolResult,
  type ToolRuntime,
} from '@toolseam/core-tools'
import { approval, Approval, ApprovalStore, type ApprovalOptions, type Approver, type Decision } from '../src/index.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

export function onCleanup(run: () => unknown): void {
  cleanups.push(run)
}

/** A folder of its own, gone after the test; the user's configuration folder of this process lies beside it. */
export async function scratch(): Promise<{ root: string; config: string }> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'toolseam-approval-')))
  const before = process.env['TOOLSEAM_CONFIG_DIR']
  const config = join(base, 'config')
  process.env['TOOLSEAM_CONFIG_DIR'] = config
  onCleanup(async () => {
    if (before === undefined) delete process.env['TOOLSEAM_CONFIG_DIR']
    else process.env['TOOLSEAM_CONFIG_DIR'] = before
    await rm(base, { recursive: true, force: true })
  })
  return { root: join(base, 'root'), config }
}

export const quiet: ToolLogger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

export interface Rig {
  runtime: ToolRuntime
  approval: Approval
  store: ApprovalStore
  /** Arguments of every run of the body of `demo`. */
  ran: unknown[]
  logged: string[]
  call(callId: string, args?: unknown, more?: object): Promise<ToolResult>
}

export interface RigOptions extends Partial<ApprovalOptions> {
  plugins?: ToolPlugin[]
  tool?: Partial<ToolDefinition<{ text?: string; secret?: string; path?: string }>>
  tools?: ToolDefinition[]
}

/** A runtime whose tool `demo` asks under the preset `workspace-write`; the store is in memory unless said otherwise. */
export async function rig(options: RigOptions = {}): Promise<Rig> {
  const { plugins = [], tool = {}, tools = [], ...rest } = options
  const root = rest.root ?? (await scratch()).root
  const ran: unknown[] = []
  const logged: string[] = []
  const note = (message: string): void => void logged.push(message)
  const runtime = await createToolRuntime({
    plugins: [approval({ store: { kind: 'memory' }, secret: 'a secret for tests', ...rest, root }), ...plugins],
    logger: { ...quiet, warn: note, error: note },
  })
  onCleanup(async () => runtime.dispose())
  runtime.register(
    defineTool<{ text?: string; secret?: string; path?: string }, string>({
      name: 'demo',
      description: 'A tool that asks.',
      input: {
        type: 'object',
        properties: { text: { type: 'string' }, secret: { type: 'string' }, path: { type: 'string' } },
        additionalProperties: false,
      },
      execute: (input) => {
        ran.push(input)
        return `ran ${input.text ?? ''}`
      },
      ...tool,
    } as ToolDefinition<{ text?: string; secret?: string; path?: string }, string>),
  )
  for (const other of tools) runtime.register(other)
  return {
    runtime,
    approval: runtime.services.require(Approval),
    store: runtime.services.require(ApprovalStore),
    ran,
    logged,
    call: async (callId, args = { text: 'hello' }, more = {}) => runtime.execute({ callId, name: 'demo', arguments: args, ...more }),
  }
}

export const human: Approver = { kind: 'cli', id: 'human', verified: true }
export const yes: Decision = { outcome: 'approve' }
export const no = (reason?: string): Decision => (reason === undefined ? { outcome: 'reject' } : { outcome: 'reject', reason })

export function codeOf(result: ToolResult): string {
  return result.isError ? result.error.code : 'ok'
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}

export async function expectCode(promise: Promise<unknown>, code: string): Promise<void> {
  const thrown: unknown = await promise.then(
    () => 'resolved',
    (error: unknown) => error,
  )
  expect((thrown as { code?: unknown }).code).toBe(code)
}

/** A promise and its ends. */
export function gate<T = void>(): { promise: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => undefined
  const promise = new Promise<T>((resolve) => (open = resolve))
  return { promise, open }
}
