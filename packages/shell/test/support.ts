/**
 * What the tests of this package share: a fresh folder, a shell on it, and looking at real processes.
 */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToolRuntime, type ToolExecutionInput, type ToolResult, type ToolRuntime } from '@toolseam/core-tools'
import { onTestFinished } from 'vitest'
import type { ShellRequest, ShellResult } from '../src/definition/command.ts'
import type { Shell } from '../src/definition/shell.ts'
import { shell as shellPlugin, type ShellOptions } from '../src/plugin.ts'
import { bashShell, type BashShellOptions } from '../src/providers/bash/shell.ts'
import { localSubprocess } from '../src/providers/local/subprocess.ts'

export function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shell-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface TestShell {
  root: string
  shell: Shell
  run(command: string, request?: Partial<ShellRequest>, signal?: AbortSignal): Promise<ShellResult>
}

export function freshShell(options: Partial<BashShellOptions> = {}): TestShell {
  const root = options.root ?? freshFolder()
  const shell = bashShell({ root, subprocess: localSubprocess(), ...options })
  onTestFinished(() => shell.dispose())
  return {
    root,
    shell,
    run: (command, request = {}, signal = new AbortController().signal) => shell.run(shell.resolve({ command, ...request }), { signal }),
  }
}

export interface TestTools {
  root: string
  runtime: ToolRuntime
  call(name: string, args: object, extra?: Partial<ToolExecutionInput>): Promise<ToolResult>
  /** Fails unless the call succeeded; gives its value and text. */
  ok(name: string, args: object, extra?: Partial<ToolExecutionInput>): Promise<{ value: Record<string, unknown>; text: string }>
}

export async function freshTools(options: Partial<ShellOptions> = {}): Promise<TestTools> {
  const root = options.root ?? freshFolder()
  const runtime = await createToolRuntime({ plugins: [shellPlugin({ root, ...options })] })
  onTestFinished(() => runtime.dispose())
  let calls = 0
  const call: TestTools['call'] = (name, args, extra = {}) =>
    runtime.execute({ callId: `c${(calls += 1)}`, name, arguments: args, ...extra })
  const ok: TestTools['ok'] = async (name, args, extra) => {
    const result = await call(name, args, extra)
    if (result.isError) throw new Error(`${result.error.code}: ${result.error.message}`)
    return { value: result.value as Record<string, unknown>, text: textOf(result) }
  }
  return { root, runtime, call, ok }
}

export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/** Ids of living processes whose command line holds this text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid)).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    } catch {
      return false
    }
  }).map(Number) // prettier-ignore
}

/** A number of seconds that no other test sleeps for: processes are found by it. */
let sleeps = 0
export function uniqueSleep(): string {
  return `${3_000 + (process.pid % 1_000)}.${(sleeps += 1)}${Math.floor(Math.random() * 1e6)}`
}

export async function until(condition: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('condition did not come true in time')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
