/**
 * `resolve`: the one place in which a request gets its defaults. Below it nothing is optional.
 */
import type { ShellNote, ShellRequest, ShellSpec } from '../definition/command.ts'
import { ShellError } from '../definition/errors.ts'
import { MAX_COMMAND_BYTES, type ShellLimits } from '../definition/limits.ts'
import type { NetworkMode, SandboxMode } from '../definition/sandbox.ts'
import { MARKER_NAME, QUIET_ENVIRONMENT, scrubEnvironment, type ScrubOptions } from '../environment/scrub.ts'
import type { Directories } from './ports.ts'

export interface ResolveRules {
  directories: Directories
  limits: ShellLimits
  sandbox: SandboxMode
  network: NetworkMode | undefined
  env: ScrubOptions
  hostEnv(): Readonly<Record<string, string | undefined>>
}

export function resolveRequest(request: ShellRequest, kept: string | undefined, rules: ResolveRules): ShellSpec {
  checkCommand(request.command)
  const background = request.background ?? false
  const input = request.input ?? 'none'
  if (input !== 'none' && !background) throw new ShellError('SHELL_BAD_REQUEST', { field: 'input', reason: 'background-only' })
  const confinement = confine(request, rules)
  const { env, withheld } = environment(request.env ?? {}, rules)
  const { cwd, notes: cwdNotes } = startDirectory(request.cwd, kept, rules.directories)
  const { timeoutMs, notes: timeNotes } = deadline(request, { background, limits: rules.limits })
  const owner = request.owner ?? (background ? { kind: 'explicit' } : { kind: 'turn' })
  return {
    command: request.command,
    cwd,
    timeoutMs,
    idleTimeoutMs: background || rules.limits.idleTimeoutMs === 0 ? null : rules.limits.idleTimeoutMs,
    env,
    withheld,
    persistCwd: request.persistCwd ?? false,
    background,
    input,
    split: request.split ?? false,
    ...confinement,
    owner,
    turnId: request.turnId ?? (owner.kind === 'turn' ? owner.turnId : undefined),
    agent: request.agent,
    callId: request.callId,
    rootCallId: request.rootCallId ?? request.callId,
    notes: [...cwdNotes, ...timeNotes],
  }
}

export function checkCommand(command: string): void {
  if (command.includes('\0')) throw new ShellError('SHELL_BAD_REQUEST', { field: 'command', reason: 'nul' })
  const bytes = Buffer.byteLength(command)
  if (bytes > MAX_COMMAND_BYTES) throw new ShellError('SHELL_COMMAND_TOO_LARGE', { bytes, limit: MAX_COMMAND_BYTES })
}

/** Never unconfined instead: what cannot be confined is refused. */
function confine(request: ShellRequest, rules: ResolveRules): { sandbox: SandboxMode; network: NetworkMode } {
  const sandbox = request.sandbox ?? rules.sandbox
  const network = request.network ?? rules.network ?? (sandbox === 'off' ? 'full' : 'none')
  if (sandbox === 'off' && network === 'full') return { sandbox, network }
  throw new ShellError('SHELL_SANDBOX_UNAVAILABLE', { mode: sandbox, network, reason: 'no-runner', tried: [] })
}

function environment(asked: Record<string, string>, rules: ResolveRules): { env: Record<string, string>; withheld: string[] } {
  for (const [name, value] of Object.entries(asked)) {
    if (!/^[^=\0]+$/.test(name) || value.includes('\0'))
      throw new ShellError('SHELL_BAD_REQUEST', { field: 'env', name: name.slice(0, 80) })
  }
  const { env: kept, removed } = scrubEnvironment(rules.hostEnv(), rules.env)
  const env = { ...kept, ...QUIET_ENVIRONMENT, ...asked }
  // Stale facts about the host's own directory, and names that only we may set.
  for (const name of ['PWD', 'OLDPWD', '_', 'SHLVL', MARKER_NAME]) if (name === MARKER_NAME || !(name in asked)) delete env[name]
  return { env, withheld: removed.filter((name) => !(name in asked)) }
}

function startDirectory(cwd: string | undefined, kept: string | undefined, directories: Directories): { cwd: string; notes: ShellNote[] } {
  const home = directories.home(kept)
  const gone: ShellNote[] = kept !== undefined && home !== kept ? [{ kind: 'cwd-gone', cwd: kept }] : []
  return { cwd: directories.check(cwd ?? home, kept === undefined ? directories.root : home), notes: gone }
}

function deadline(
  request: ShellRequest,
  { background, limits }: { background: boolean; limits: ShellLimits },
): { timeoutMs: number | null; notes: ShellNote[] } {
  if (background) return { timeoutMs: null, notes: [] }
  const askedMs = request.timeoutMs ?? limits.timeoutMs
  if (!Number.isFinite(askedMs) || askedMs <= 0) throw new ShellError('SHELL_BAD_REQUEST', { field: 'timeoutMs', reason: 'positive' })
  const timeoutMs = Math.min(Math.ceil(askedMs), limits.maxTimeoutMs)
  return { timeoutMs, notes: timeoutMs < askedMs ? [{ kind: 'timeout-clamped', askedMs, timeoutMs }] : [] }
}
