/**
 * The wiring: picks the providers, provides `Subprocess`, `Shell` and `OwnedWork`, registers the four tools and the sandbox tap.
 */
import { OwnedWork, type ToolPlugin, type ToolRuntime } from '@toolseam/core-tools'
import { bashInputTool, bashKillTool, bashOutputTool } from './consumer/job-tools.ts'
import { bashTool } from './consumer/bash.ts'
import { tapEscalation } from './consumer/escalation.ts'
import { ownedWork } from './consumer/owned-work.ts'
import { jobReader } from './consumer/reader.ts'
import type { ShellLimits } from './definition/limits.ts'
import type { NetworkMode, SandboxMode, SandboxRunner } from './definition/sandbox.ts'
import { Shell } from './definition/shell.ts'
import { Subprocess } from './definition/subprocess.ts'
import type { ScrubOptions } from './environment/scrub.ts'
import { bashShell } from './providers/bash/shell.ts'
import { localSubprocess } from './providers/local/subprocess.ts'

export interface SandboxOptions {
  mode: SandboxMode
  /** In the order in which they are tried. */
  runners?: readonly SandboxRunner[]
  /** Further folders that may be written. */
  writable?: readonly string[]
  /** Further paths that are never read-only to write. */
  protect?: readonly string[]
  /** Shown empty inside. */
  hide?: readonly string[]
}

export interface ShellOptions {
  /** Commands start here, and nowhere outside it and `roots`. */
  root: string
  roots?: readonly string[]
  /** Where commands start by default; the root where absent. */
  cwd?: string
  /** How processes are started. `auto` (default) is `local` here. */
  process?: 'auto' | 'local'
  /** Default `off`. Any other mode is refused with `SHELL_SANDBOX_UNAVAILABLE` as long as no runner is to be had. */
  sandbox?: SandboxMode | SandboxOptions
  network?: NetworkMode
  /** Names of host variables to let through, or to drop besides the rules (S-18). */
  env?: ScrubOptions
  /** Processes that outlive their command become a job (`keep`, default) or are ended. */
  survivors?: 'keep' | 'end'
  limits?: Partial<ShellLimits>
  /** Default `.toolseam` under the root. */
  stateDir?: string
}

/** Brings the tools `bash`, `bash_output`, `bash_input` and `bash_kill`. */
export function shell(options: ShellOptions): ToolPlugin {
  return {
    name: 'shell',
    provides: [Subprocess, Shell, OwnedWork],
    apply: (runtime) => {
      const sandbox = typeof options.sandbox === 'object' ? options.sandbox : { mode: options.sandbox ?? 'off' }
      const network = options.network ?? (sandbox.mode === 'off' ? 'full' : 'none')
      const subprocess = localSubprocess()
      const service = makeShell(runtime, { options, sandbox, network, subprocess })
      runtime.services.provide(Subprocess, subprocess)
      runtime.services.provide(Shell, service)
      runtime.services.provide(OwnedWork, ownedWork(service))
      tapEscalation(runtime, { sandbox: sandbox.mode, network })
      registerTools(runtime)
      return () => service.dispose()
    },
  }
}

function makeShell(
  runtime: ToolRuntime,
  parts: { options: ShellOptions; sandbox: SandboxOptions; network: NetworkMode; subprocess: Subprocess },
): Shell {
  const { options, sandbox, network, subprocess } = parts
  const { roots, cwd, env, survivors, limits, stateDir } = options
  return bashShell({
    root: options.root,
    ...(roots === undefined ? {} : { roots }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(survivors === undefined ? {} : { survivors }),
    ...(limits === undefined ? {} : { limits }),
    ...(stateDir === undefined ? {} : { stateDir }),
    ...(sandbox.protect === undefined ? {} : { protect: sandbox.protect }),
    sandbox: sandbox.mode,
    network,
    subprocess,
    lineage: (agent) => runtime.view(agent).agents,
    diagnostics: ({ code, details }) => runtime.logger.warn(code, details),
  })
}

function registerTools(runtime: ToolRuntime): void {
  const service = (): Shell => runtime.services.require(Shell)
  const reader = jobReader(service)
  runtime.register(bashTool({ shell: service, reader }))
  runtime.register(bashOutputTool({ reader }))
  runtime.register(bashInputTool({ reader }))
  runtime.register(bashKillTool({ reader }))
}
