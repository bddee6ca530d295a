/**
 * The `scripted` Shell: the contract twin without processes. Commands are answered from a table, or by an in-process bash such as the optional
 * peer `just-bash`, which the caller makes and hands over.
 */
import type { AgentId } from '@toolseam/core-tools'
import { resolvePath } from '../../classify/paths.ts'
import { systemClock, type Clock } from '../../definition/clock.ts'
import { ShellError } from '../../definition/errors.ts'
import { DEFAULT_LIMITS, type ShellLimits } from '../../definition/limits.ts'
import type { Shell } from '../../definition/shell.ts'
import type { Directories } from '../../lifecycle/ports.ts'
import { resolveRequest } from '../../lifecycle/resolve.ts'
import { shellCore } from '../../lifecycle/shell-core.ts'
import { memorySubprocess, type MemoryIo, type MemoryProgram } from '../memory/subprocess.ts'

/** What happens, in order. `echoInput`: prints its input until its end. */
export type ScriptedEvent =
  | { out: string | Uint8Array }
  | { err: string | Uint8Array }
  | { wait: number }
  | { trap: 'SIGTERM' | 'SIGINT' }
  | { echoInput: true }
  | { leave: string; forMs: number }
  | { exit: number }
  | { killedBy: string }

/** In-process bash: `new Bash()` of `just-bash` fits. */
export interface ScriptedInterpreter {
  exec(
    command: string,
    options: { cwd: string; env: Record<string, string> },
  ): Promise<{ stdout: string; stderr: string; exitCode: number }>
}

export interface ScriptedShellOptions {
  table?: Readonly<Record<string, readonly ScriptedEvent[]>>
  /** Answers what is not in the table; without one such a command exits 127. */
  interpreter?: ScriptedInterpreter
  /** Commands start here and below; nothing has to exist. Default `/work`. */
  root?: string
  limits?: Partial<ShellLimits>
  survivors?: 'keep' | 'end'
  clock?: Clock
  env?: Readonly<Record<string, string>>
  lineage?(agent: AgentId): readonly AgentId[]
}

export function scriptedShell(options: ScriptedShellOptions = {}): Shell {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const places = imaginedDirectories(options.root ?? '/work')
  const clock = options.clock ?? systemClock
  const subprocess = memorySubprocess({ programs: { scripted: interpret(options) }, clock })
  const rules = { directories: places, limits, sandbox: 'off' as const, network: undefined, env: {}, hostEnv: () => options.env ?? {} }
  return shellCore({
    clock,
    limits,
    survivors: options.survivors ?? 'keep',
    lineage: options.lineage ?? ((agent) => [agent]),
    protect: [],
    report: () => {},
    matches: (pattern, text) =>
      typeof pattern === 'string' ? text.includes(pattern) : new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(text),
    home: (kept) => places.home(kept),
    resolve: (request, kept) => {
      const spec = resolveRequest(request, kept, rules)
      if (spec.input === 'terminal') throw new ShellError('SHELL_TERMINAL_UNAVAILABLE', { package: '@lydell/node-pty' })
      return spec
    },
    launch: async (spec, id) => ({
      child: await subprocess.spawn({
        file: 'scripted',
        args: [spec.command],
        cwd: spec.cwd,
        env: spec.env,
        input: spec.input,
        output: spec.split ? 'split' : 'merged',
        marker: id,
      }),
      openSpill: () => undefined,
      facts: async () => ({ notes: [] }),
    }),
    dispose: () => subprocess.dispose(),
  })
}

function interpret({ table, interpreter }: ScriptedShellOptions): MemoryProgram {
  return async ([, command = ''], io) => {
    const events = table !== undefined && Object.hasOwn(table, command) ? table[command] : undefined
    if (events !== undefined) return play(events, io)
    if (interpreter === undefined) {
      io.err(`scripted: not in the table: ${command}\n`)
      return 127
    }
    const { stdout, stderr, exitCode } = await interpreter.exec(command, { cwd: io.cwd, env: { ...io.env } })
    if (stdout !== '') io.out(stdout)
    if (stderr !== '') io.err(stderr)
    return exitCode
  }
}

async function play(events: readonly ScriptedEvent[], io: MemoryIo): ReturnType<typeof asExit> {
  for (const event of events) {
    if ('out' in event) io.out(event.out)
    else if ('err' in event) io.err(event.err)
    else if ('wait' in event) await io.sleep(event.wait)
    else if ('trap' in event) io.trap(event.trap, () => {})
    else if ('leave' in event) io.leave(event.leave, ({ sleep }) => sleep(event.forMs))
    else if ('echoInput' in event) for (let text = await io.read(); text !== undefined; text = await io.read()) io.out(text)
    else return asExit(event)
  }
  return 0
}

async function asExit(event: { exit: number } | { killedBy: string }): Promise<number | { exitCode: null; signal: string }> {
  return 'exit' in event ? event.exit : { exitCode: null, signal: event.killedBy }
}

/** Judged by text: inside the root, or not. */
function imaginedDirectories(root: string): Directories {
  const inside = (cwd: string): boolean => cwd === root || cwd.startsWith(root === '/' ? '/' : `${root}/`)
  return {
    root,
    check: (cwd, base) => {
      const absolute = resolvePath(base, cwd)
      if (!inside(absolute)) throw new ShellError('SHELL_CWD_OUTSIDE', { cwd: absolute, roots: [root] })
      return absolute
    },
    refusal: (cwd) => (inside(cwd) ? undefined : 'outside'),
    home: (kept) => (kept !== undefined && inside(kept) ? kept : root),
  }
}
