/**
 * A domain over a scripted runner and a clock that stands still.
 */
import { deniedSurface, type UserFacingSurface } from '@toolseam/core-tools'
import {
  createToolExecutionDomain,
  type DomainDiagnostic,
  type ToolDomainEvent,
  type ToolDomainOptions,
  type ToolExecutionDomain,
  type ToolRunCommand,
} from '@toolseam/executor-tool'
import { type ScriptedRunner, scriptedRunner, type VirtualClock, virtualClock } from '@toolseam/executor-tool/testing'

export interface DomainBench {
  readonly domain: ToolExecutionDomain<unknown>
  readonly runner: ScriptedRunner<unknown>
  readonly clock: VirtualClock
  readonly events: ToolDomainEvent<unknown>[]
  readonly diagnostics: DomainDiagnostic[]
  kinds(): string[]
  /** Kinds of the diagnostics. */
  told(): string[]
}

export function domainBench(options: Partial<ToolDomainOptions<unknown>> = {}): DomainBench {
  const runner = scriptedRunner<unknown>()
  const clock = virtualClock()
  const events: ToolDomainEvent<unknown>[] = []
  const diagnostics: DomainDiagnostic[] = []
  const domain = createToolExecutionDomain<unknown>({
    runner,
    clock,
    surface: deniedSurface('no_domain'),
    diagnostics: (diagnostic) => void diagnostics.push(diagnostic),
    ...options,
  })
  domain.subscribe((event) => events.push(event))
  return {
    domain,
    runner,
    clock,
    events,
    diagnostics,
    kinds: () => events.map((event) => event.kind),
    told: () => diagnostics.map((diagnostic) => diagnostic.kind),
  }
}

export const cmd = (id: string, more: Partial<ToolRunCommand> = {}): ToolRunCommand => ({ commandId: id, dlineTid: `${id}#0`, ...more })

export interface SpySurface extends UserFacingSurface {
  readonly calls: string[]
  readonly signals: AbortSignal[]
  /** Answers the newest pending prompt. */
  answer(value: unknown): void
}

export function spySurface(): SpySurface {
  const calls: string[] = []
  const signals: AbortSignal[] = []
  const pending: ((value: unknown) => void)[] = []
  const prompt = (name: string, signal: AbortSignal | undefined): Promise<unknown> => {
    calls.push(name)
    if (signal !== undefined) signals.push(signal)
    return new Promise((resolve) => void pending.push(resolve))
  }
  return {
    kind: 'user_facing',
    calls,
    signals,
    answer: (value) => pending.pop()?.(value),
    ask: (_question, options) => prompt('ask', options?.signal),
    say: async () => void calls.push('say'),
    openInteraction: (_request, options) => prompt('openInteraction', options?.signal),
    diff: { show: async () => void calls.push('diff.show'), close: async () => void calls.push('diff.close') },
  }
}
