/**
 * What every command shares: the common options, the streams, and a runtime composed from them that is disposed whatever happens.
 */
import type { PolicyPreset } from '@toolseam/approval'
import { ToolSeamError, type ToolLogger, type ToolPlugin, type ToolRuntime } from '@toolseam/core-tools'
import { asking, type ApproveMode } from '../calls/answerers.ts'
import { createToolseam } from '../compose.ts'
import { readConfig, type ToolseamConfig } from '../config/file.ts'
import { canRecord } from '../config/folders.ts'
import { foundConfigNotice } from '../config/found.ts'
import { loadPlugins } from '../config/plugins.ts'
import { existingFolder, given, type SandboxMode, type ToolseamOptions } from '../options.ts'
import { type Interruption, interruptible } from '../terminal/interrupt.ts'
import type { Streams } from '../terminal/streams.ts'

/** Options that every command takes. */
export interface CommonOptions {
  root?: string
  config?: string
  preset?: PolicyPreset
  sandbox?: SandboxMode
  json?: boolean
}

export interface CommandContext {
  streams: Streams
  options: CommonOptions
}

export interface RuntimeWork {
  /** Of the command, over those of the configuration file. */
  overrides?: Pick<ToolseamOptions, 'mode' | 'policy' | 'executor' | 'code'>
  /** Presets the answer to asks. Default: the terminal, where there is one. */
  approve?: ApproveMode
  plugins?: readonly ToolPlugin[]
  run(runtime: ToolRuntime, interruption: Interruption): Promise<number>
}

/** Composes, runs, disposes. Resolves to the exit status: that of the signal where one came, else what `run` gave. */
export async function withRuntime(context: CommandContext, work: RuntimeWork): Promise<number> {
  return interruptible(async (interruption) => {
    const runtime = await compose(context, work, interruption)
    try {
      const status = await work.run(runtime, interruption)
      return interruption.status ?? status
    } finally {
      await runtime.dispose()
    }
  })
}

async function compose(
  { streams, options }: CommandContext,
  { overrides = {}, plugins = [], approve }: RuntimeWork,
  interruption: Interruption,
): Promise<ToolRuntime> {
  const root = rootOf(options)
  const config = configOf(options)
  const notice = foundConfigNotice(root, options.config)
  if (notice !== undefined) await streams.err(`toolseam: ${notice}\n`)
  const configured = config === undefined ? [] : await loadPlugins(config)
  const records = canRecord(root) ? {} : { journal: false as const }
  if ('journal' in records) await streams.err('toolseam: nothing can be written in the root: calls are not recorded\n')
  const { answerers, plugin: onBreak } = asking(approve, () => interruption.interrupt())
  const composition = {
    answerers,
    ...records,
    ...fromConfig(config),
    ...given({ preset: options.preset, sandbox: options.sandbox }),
    ...overrides,
  }
  return createToolseam({ ...composition, root, plugins: [...configured, ...plugins, onBreak], logger: stderrLogger(streams) }).catch(
    (error: unknown) => {
      throw compositionError(error)
    },
  )
}

/** The folder that a command is about. Throws `TOOLSEAM_ROOT_INVALID`. */
export function rootOf({ root }: CommonOptions): string {
  return existingFolder(root ?? process.cwd())
}

export function configOf({ config }: CommonOptions): ToolseamConfig | undefined {
  return config === undefined ? undefined : readConfig(config)
}

function fromConfig(config: ToolseamConfig | undefined): ToolseamOptions {
  if (config === undefined) return {}
  const { file: _file, plugins: _plugins, ...rest } = config
  return rest
}

/** With all its causes: the plugin's own words are what its user needs. */
function compositionError(error: unknown): ToolSeamError {
  const reasons: string[] = []
  for (let at: unknown = error; at instanceof Error && reasons.length < 5; at = at.cause) {
    if (!reasons.some((reason) => reason.includes(at.message))) reasons.push(at.message)
  }
  const code = (error as { code?: unknown } | null)?.code
  const prefix = typeof code === 'string' && !code.startsWith('TOOLSEAM_') ? `${code}: ` : ''
  return new ToolSeamError('TOOLSEAM_COMPOSITION_FAILED', `${prefix}${reasons.join(': ') || String(error)}`, { cause: error })
}

function stderrLogger({ err }: Streams): ToolLogger {
  const line = (message: string): void => void err(`toolseam: ${message}\n`)
  return { debug() {}, info: line, warn: line, error: line }
}
