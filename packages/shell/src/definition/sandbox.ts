/**
 * The sandbox seam: a runner is a pure transform of a spawn, so that it composes with every `Subprocess`. This package has no runner yet: a
 * mode other than `off` is refused with `SHELL_SANDBOX_UNAVAILABLE`, never run unconfined.
 */
import type { SpawnSpec, WrappedSpawn } from './subprocess.ts'

export type SandboxMode = 'off' | 'read-only' | 'workspace-write'
export type NetworkMode = 'none' | 'full'

export interface SandboxPolicy {
  mode: Exclude<SandboxMode, 'off'>
  network: NetworkMode
  /** Absolute folders that may be written. */
  writable: readonly string[]
  /** Bound read-only even inside a writable folder. */
  protect: readonly string[]
  /** Shown empty. */
  hide: readonly string[]
}

export type Probe =
  | { usable: true; enforcement: 'full' | 'partial' }
  | { usable: false; step: string; exitCode: number | null; stderr: string; hint?: string }

export interface SandboxRunner {
  readonly name: string
  /** Functional: a real confined command. Once, then cached. */
  probe(): Promise<Probe>
  /** Pure: no I/O. */
  wrap(spec: SpawnSpec, policy: SandboxPolicy): WrappedSpawn
}

/** How strict a mode is: a higher number is tighter. */
const SANDBOX_RANK: Readonly<Record<SandboxMode, number>> = { off: 0, 'workspace-write': 1, 'read-only': 2 }
const NETWORK_RANK: Readonly<Record<NetworkMode, number>> = { full: 0, none: 1 }

/** Whether `asked` would loosen what is `configured`. */
export function loosens(
  configured: { sandbox: SandboxMode; network: NetworkMode },
  asked: { sandbox?: SandboxMode; network?: NetworkMode },
): boolean {
  const sandbox = asked.sandbox ?? configured.sandbox
  const network = asked.network ?? configured.network
  return SANDBOX_RANK[sandbox] < SANDBOX_RANK[configured.sandbox] || NETWORK_RANK[network] < NETWORK_RANK[configured.network]
}
