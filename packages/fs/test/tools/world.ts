/**
 * A runtime with this package's plugin on a fresh folder.
 */
import { rmSync } from 'node:fs'
import { createToolRuntime, type ToolLogger, type ToolResult, type ToolRuntime } from '@toolseam/core-tools'
import { fs, type FsOptions } from '../../src/plugin.ts'
import { diskPaths, tempFolder } from '../worlds.ts'

export interface ToolWorld {
  root: string
  runtime: ToolRuntime
  logged: string[]
  call(name: string, args: object, more?: { agent?: string; turnId?: string }): Promise<ToolResult>
  paths(): string[]
  close(): Promise<void>
}

let calls = 0

export async function toolWorld(options: Partial<FsOptions> = {}): Promise<ToolWorld> {
  const root = tempFolder('tools')
  const logged: string[] = []
  const log = (message: string): void => void logged.push(message)
  const logger: ToolLogger = { debug: log, info: log, warn: log, error: log }
  const runtime = await createToolRuntime({ plugins: [fs({ root, ...options })], logger })
  return {
    root,
    runtime,
    logged,
    call(name, args, more = {}) {
      calls += 1
      return runtime.execute({ callId: `call-${calls}`, name, arguments: args, ...more })
    },
    paths: () => diskPaths(root),
    async close() {
      await runtime.dispose()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n')
}

export function valueOf(result: ToolResult): { [name: string]: unknown } {
  if (result.isError) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result.value as { [name: string]: unknown }
}

export function codeOf(result: ToolResult): string {
  return result.isError ? result.error.code : 'ok'
}
