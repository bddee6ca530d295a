/**
 * `Shell` over any way to start a command: a provider brings `resolve` and `launch`, the rest is the same for all (S-5).
 */
import type { AgentId } from '@toolseam/core-tools'
import { classify } from '../classify/classify.ts'
import type { Clock } from '../definition/clock.ts'
import type { OutputEvent, ShellExit, ShellNote, ShellRequest, ShellResult, ShellSpec } from '../definition/command.ts'
import { ShellError } from '../definition/errors.ts'
import type { ShellLimits } from '../definition/limits.ts'
import type { Shell, ShellCommand } from '../definition/shell.ts'
import { commandBook } from './command-book.ts'
import { LiveCommand } from './live-command.ts'
import type { CommandParts, ShellDiagnostic } from './ports.ts'
import { resultOf, runningResult } from './result.ts'

export interface ShellBackend {
  readonly clock: Clock
  readonly limits: ShellLimits
  readonly survivors: 'keep' | 'end'
  /** The scope chain of an agent, root first. */
  lineage(agent: AgentId): readonly AgentId[]
  resolve(request: ShellRequest, kept: string | undefined): ShellSpec
  /** The directory of the next command, and whether the kept one still holds. */
  home(kept: string | undefined): string
  launch(spec: ShellSpec, id: string): Promise<Pick<CommandParts, 'child' | 'openSpill' | 'facts'>>
  matches(pattern: RegExp | string, text: string): boolean
  readonly protect: readonly string[]
  report(diagnostic: ShellDiagnostic): void
  dispose(): Promise<void>
}

export function shellCore(backend: ShellBackend): Shell {
  const { clock, limits } = backend
  const book = commandBook({ limits })
  const keptCwd = new Map<AgentId | undefined, string>()
  const toldWithheld = new Set<AgentId | undefined>()

  const start = async (spec: ShellSpec): Promise<LiveCommand> => {
    const admission = await book.admit(spec)
    const command = await admission.begin(async () => {
      const launched = await backend.launch(spec, admission.id)
      const { matches, survivors, report } = backend
      return new LiveCommand({
        ...launched,
        id: admission.id,
        spec,
        clock,
        limits,
        survivors,
        lineage: lineageOf(spec.agent),
        matches,
        report,
      })
    })
    if (spec.persistCwd) void command.exit.then((exit) => keptCwd.set(spec.agent, exit.cwd))
    return command
  }
  const lineageOf = (agent: AgentId | undefined): readonly AgentId[] => (agent === undefined ? [] : backend.lineage(agent))

  const finished = async (command: LiveCommand, exit: ShellExit): Promise<ShellResult> =>
    resultOf(command, exit, withheldNote(command.spec, exit))
  /** Names are told once per agent, when something failed that may have missed them (S-18). */
  const withheldNote = (spec: ShellSpec, exit: ShellExit): ShellNote[] => {
    if (spec.withheld.length === 0 || exit.exitCode === 0 || exit.cause !== undefined || toldWithheld.has(spec.agent)) return []
    toldWithheld.add(spec.agent)
    return [{ kind: 'env-withheld', names: spec.withheld }]
  }
  const outcome = async (command: LiveCommand): Promise<ShellResult> => {
    const leftTurn = command.spec.owner.kind === 'turn' ? command.detached.then(() => undefined) : undefined
    const exit = await (leftTurn === undefined ? command.exit : Promise.race([command.exit, leftTurn]))
    return exit === undefined ? runningResult(command, clock.now()) : finished(command, exit)
  }
  const run = async (spec: ShellSpec, options: { signal: AbortSignal; onOutput?(event: OutputEvent): void }): Promise<ShellResult> => {
    const { signal, onOutput } = options
    signal.throwIfAborted()
    const command = await start(spec)
    if (onOutput !== undefined) command.forward(onOutput)
    // What was moved to the background is no longer ended by its call.
    const onAbort = (): void => {
      if (command.owner.kind === spec.owner.kind) void command.terminate('abort')
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await outcome(command)
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
  const own = (command: ShellCommand): LiveCommand => {
    const found = book.get(command.id)
    if (found !== command) throw new ShellError('SHELL_JOB_UNKNOWN', { job: command.id })
    return found
  }

  return {
    resolve: (request) => backend.resolve(request, keptCwd.get(request.agent)),
    start,
    run,
    result: async (command) => outcome(own(command)),
    get: (id, agent) => book.get(id, agent),
    list: (filter) => book.list(filter),
    cwdOf: (agent) => backend.home(keptCwd.get(agent)),
    cancelForeground: (order) => book.cancel(order),
    classify: (command, options = {}) => classify(command, { ...options, protect: backend.protect }),
    dispose: async () => {
      await book.close()
      await backend.dispose()
    },
  }
}
