/**
 * The real `Shell`: bash, over any `Subprocess`. The text reaches it byte for byte (S-12); what the shell tells at its end is checked like any
 * other input (S-13, S-15).
 */
import { randomBytes } from 'node:crypto'
import { unlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AgentId } from '@toolseam/core-tools'
import { systemClock, type Clock } from '../../definition/clock.ts'
import type { ShellNote, ShellSpec } from '../../definition/command.ts'
import { isShellError, ShellError } from '../../definition/errors.ts'
import { DEFAULT_LIMITS, INLINE_COMMAND_BYTES, type ShellLimits } from '../../definition/limits.ts'
import type { NetworkMode, SandboxMode } from '../../definition/sandbox.ts'
import type { Shell } from '../../definition/shell.ts'
import type { ChildExit, ChildHandle, SpawnSpec, Subprocess } from '../../definition/subprocess.ts'
import type { ScrubOptions } from '../../environment/scrub.ts'
import type { Directories, EndFacts, ShellDiagnostic } from '../../lifecycle/ports.ts'
import { resolveRequest } from '../../lifecycle/resolve.ts'
import { shellCore, type ShellBackend } from '../../lifecycle/shell-core.ts'
import { makePrivateDir, type PrivateDir } from '../private-dir.ts'
import { directories } from './directories.ts'
import { findBash } from './find-bash.ts'
import { matchesWithin } from './match.ts'
import { stagesOf, writePrelude, type Prelude } from './prelude.ts'
import { spillFolder } from './spill.ts'

export interface BashShellOptions {
  root: string
  /** Further folders in which commands may start. */
  roots?: readonly string[]
  /** Where commands start; default the root. */
  cwd?: string
  subprocess: Subprocess
  env?: ScrubOptions
  /** Default: this process's, read for every command. */
  hostEnv?: () => Readonly<Record<string, string | undefined>>
  sandbox?: SandboxMode
  network?: NetworkMode
  survivors?: 'keep' | 'end'
  limits?: Partial<ShellLimits>
  /** Default `.toolseam` under the root. */
  stateDir?: string
  /** Further paths that are never read-only to write (S-65). */
  protect?: readonly string[]
  /** The scope chain of an agent, root first. Default: the agent alone. */
  lineage?(agent: AgentId): readonly AgentId[]
  /** Told what goes wrong beside results (S-23). */
  diagnostics?(diagnostic: ShellDiagnostic): void
  clock?: Clock
  /** Default: found on PATH. */
  bash?: string
}

export function bashShell(options: BashShellOptions): Shell {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const places = directories({
    root: options.root,
    ...(options.roots === undefined ? {} : { roots: options.roots }),
    ...(options.cwd === undefined ? {} : { start: options.cwd }),
  })
  const spills = spillFolder({ root: places.root, stateDir: resolve(places.root, options.stateDir ?? '.toolseam'), limits })
  const workshop = lazyWorkshop()
  const bash = findBash(options.bash === undefined ? {} : { named: options.bash })
  const rules = {
    directories: places,
    limits,
    sandbox: options.sandbox ?? 'off',
    network: options.network,
    env: options.env ?? {},
    hostEnv: options.hostEnv ?? (() => process.env),
  }

  const backend: ShellBackend = {
    clock: options.clock ?? systemClock,
    limits,
    survivors: options.survivors ?? 'keep',
    lineage: options.lineage ?? ((agent) => [agent]),
    protect: options.protect ?? [],
    matches: matchesWithin,
    report: (diagnostic) => options.diagnostics?.(diagnostic),
    home: (kept) => places.home(kept),
    resolve: (request, kept) => {
      if (bash.path === undefined) throw new ShellError('SHELL_UNAVAILABLE', { platform: process.platform, reason: bash.reason })
      return resolveRequest(request, kept, rules)
    },
    launch: async (spec, id) => {
      const { dir, prelude } = workshop.open()
      const marker = randomBytes(12).toString('hex')
      const script = Buffer.byteLength(spec.command) > INLINE_COMMAND_BYTES ? writeScript(dir, { marker, text: spec.command }) : undefined
      const child = await spawn(options.subprocess, places, spawnSpec(spec, { bash: bash.path ?? 'bash', marker, prelude, script }))
      const spillId = `${id}-${marker.slice(0, 8)}`
      return {
        child,
        openSpill: (stream) => spills.open(stream === 'stderr' ? `${spillId}-stderr` : spillId),
        facts: async (exit) => {
          if (script !== undefined) unlinkQuietly(script)
          return factsOf(exit, { spec, told: prelude.take(marker), places })
        },
      }
    },
    dispose: async () => {
      await options.subprocess.dispose()
      workshop.close()
    },
  }
  return shellCore(backend)
}

/** The private folder is made with the first command: an idle shell leaves nothing behind. */
function lazyWorkshop(): { open(): { dir: PrivateDir; prelude: Prelude }; close(): void } {
  let made: { dir: PrivateDir; prelude: Prelude } | undefined
  const close = (): void => {
    made?.dir.remove()
    made = undefined
    process.removeListener('exit', close)
  }
  return {
    open: () => {
      if (made === undefined) {
        const dir = makePrivateDir()
        made = { dir, prelude: writePrelude(dir.path) }
        process.once('exit', close)
      }
      return made
    },
    close,
  }
}

function spawnSpec(
  spec: ShellSpec,
  { bash, marker, prelude, script }: { bash: string; marker: string; prelude: Prelude; script: string | undefined },
): SpawnSpec {
  // A BASH_ENV that was asked for is honoured; then the shell tells nothing at its end.
  const env = 'BASH_ENV' in spec.env ? spec.env : { ...spec.env, BASH_ENV: prelude.path }
  // `--`: a text may begin with a dash.
  const text = script === undefined ? ['-c', '--', spec.command, 'bash'] : [script]
  return {
    file: bash,
    args: ['--noprofile', '--norc', ...text],
    cwd: spec.cwd,
    env,
    input: spec.input,
    output: spec.split ? 'split' : 'merged',
    marker,
  }
}

function writeScript(dir: PrivateDir, { marker, text }: { marker: string; text: string }): string {
  const path = join(dir.path, `${marker}.sh`)
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  return path
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // The command may have removed it.
  }
}

async function spawn(subprocess: Subprocess, places: Directories, spec: SpawnSpec): Promise<ChildHandle> {
  try {
    return await subprocess.spawn(spec)
  } catch (error) {
    // The system names neither the program nor the directory.
    const gone = isShellError(error) && error.code === 'SHELL_START_FAILED' && places.refusal(spec.cwd) === 'missing'
    throw gone ? new ShellError('SHELL_CWD_MISSING', { cwd: spec.cwd }, error) : error
  }
}

function factsOf(
  exit: ChildExit,
  { spec, told, places }: { spec: ShellSpec; told: ReturnType<Prelude['take']>; places: Directories },
): EndFacts {
  // Another exit code than the observed one: whatever wrote the file, it was not the end of this shell.
  const trusted = told !== undefined && told.exitCode === exit.exitCode ? told : undefined
  const stages = trusted === undefined ? undefined : stagesOf(trusted)
  const facts = stages === undefined ? {} : { stages }
  if (!spec.persistCwd) return { ...facts, notes: [] }
  if (trusted === undefined) return { ...facts, notes: [{ kind: 'cwd-unknown' }] }
  const refused = places.refusal(trusted.cwd) !== undefined
  const note: ShellNote = { kind: 'cwd-refused', cwd: trusted.cwd }
  return refused ? { ...facts, notes: [note] } : { ...facts, cwd: trusted.cwd, notes: [] }
}
