/**
 * The wiring: domain, admissions, runner and driver of one runtime, under the token `ToolExecutor`.
 */
import {
  deniedSurface,
  OwnedWork,
  type ToolDomainSurface,
  type ToolExecution,
  type ToolPlugin,
  type ToolResult,
  type ToolRuntime,
} from '@toolseam/core-tools'
import { createAdmissions } from './admission/admissions.ts'
import { createToolDomainRunner } from './admission/runner.ts'
import { ownedToolResources, type ResourceReport, type RevertMode } from './admission/owned-resources.ts'
import { createTurnDriver } from './consumer/turn/driver.ts'
import type { ToolDomainOptions, ToolExecutionDomain } from './definition/domain.ts'
import type { TurnDriver } from './definition/driver.ts'
import { type Subagent, ToolExecutor } from './definition/executor.ts'
import { ChangeJournalToken, type JournalPort, JournalToken } from './definition/ports.ts'
import type { HaltOrder, OwnedToolResources, TurnMode } from './definition/vocabulary.ts'
import { createToolExecutionDomain } from './providers/domain/index.ts'

type DomainSettings = Pick<
  ToolDomainOptions<ToolResult>,
  'haltBudgetMs' | 'interruptMs' | 'retain' | 'onHaltFailure' | 'fallbackRelease' | 'diagnostics' | 'idPrefix'
>

export interface ToolExecutorOptions extends DomainSettings {
  /** The way to a user. Default: denied, `no_domain`. */
  surface?: ToolDomainSurface
  /** What a stop releases. Default: processes by `OwnedWork`, changes by `ChangeJournal`, where the runtime has them. */
  resources?: OwnedToolResources
  /** What a stop undoes, with the default resources. Default `unapplied`. */
  revert?: RevertMode
  /** Default: the service `toolseam/journal`, where there is one; `false` records nothing. */
  journal?: JournalPort | false
  /** Default parallel. */
  mode?: TurnMode
  /** Default 10. */
  maxParallel?: number
  /** What nested calls are given. Default: denied. */
  nestedSurface?(execution: ToolExecution): ToolDomainSurface
  /** What was released and undone, with the default resources. Default: conflicts go to the runtime's logger. */
  onReleased?(report: ResourceReport): void
  /** A resource that failed to be released. Default: the runtime's logger. */
  onReleaseError?(error: unknown, order: HaltOrder, which: keyof OwnedToolResources): void
}

export function toolExecutor(options: ToolExecutorOptions = {}): ToolPlugin {
  return {
    name: 'toolseam/tool-executor',
    provides: [ToolExecutor],
    apply(runtime) {
      const parts = assemble(runtime, options)
      runtime.services.provide(ToolExecutor, {
        domain: parts.domain,
        driver: parts.driver,
        halt: (reason) => parts.driver.halt(reason),
        openSubagent: ({ surface, name } = {}) => openSubagent(runtime, parts, { options, surface, name }),
      })
      return async () => {
        await parts.domain.dispose()
        await parts.driver.close()
      }
    },
  }
}

interface Assembled {
  readonly domain: ToolExecutionDomain<ToolResult>
  readonly driver: TurnDriver
  readonly resourcesOf: (driver: () => TurnDriver) => OwnedToolResources
  readonly reportRelease: NonNullable<ToolExecutorOptions['onReleaseError']>
  readonly journal: () => JournalPort | undefined
  subagents: number
}

function assemble(runtime: ToolRuntime, options: ToolExecutorOptions): Assembled {
  const { surface = deniedSurface('no_domain') } = options
  const reportRelease =
    options.onReleaseError ??
    ((error, order, which): void =>
      runtime.logger.warn(`the release of '${order.haltId}' failed in ${which}`, { haltId: order.haltId, which, error }))
  const resourcesOf = (driver: () => TurnDriver): OwnedToolResources => options.resources ?? turnResources(runtime, { options, driver })
  const admissions = createAdmissions<ToolResult>(options.retain === undefined ? {} : { retain: options.retain })
  const runner = createToolDomainRunner({ resources: resourcesOf(() => driver), admissions, onReleaseError: reportRelease })
  const domain = createToolExecutionDomain<ToolResult>({ ...domainSettings(options), runner, surface })
  const journal = (): JournalPort | undefined =>
    options.journal === false ? undefined : (options.journal ?? runtime.services.get(JournalToken))
  const driver: TurnDriver = createTurnDriver({ runtime, domain, admissions, journal, ...driverSettings(options) })
  return { domain, driver, resourcesOf, reportRelease, journal, subagents: 0 }
}

/** Ports are looked up when first used, so that the order of plugins does not matter. */
function turnResources(
  runtime: ToolRuntime,
  { options, driver }: { options: ToolExecutorOptions; driver: () => TurnDriver },
): OwnedToolResources {
  const { revert, onReleased } = options
  return ownedToolResources({
    processes: () => runtime.services.get(OwnedWork),
    changes: () => runtime.services.get(ChangeJournalToken),
    openTurn() {
      const { phase, turnId, told } = driver().state
      return (phase === 'running' || phase === 'stopping') && told === undefined ? turnId : undefined
    },
    report: onReleased ?? ((report) => warnOfConflicts(runtime, report)),
    ...(revert === undefined ? {} : { revert }),
  })
}

/** What could not be undone is never silent. */
function warnOfConflicts(runtime: ToolRuntime, report: ResourceReport): void {
  if (report.kind !== 'changes') return
  const conflicts = (report.report.files ?? []).flatMap(({ path, conflict }) => (conflict === undefined ? [] : [{ path, conflict }]))
  if (conflicts.length === 0) return
  runtime.logger.warn(`${conflicts.length} change(s) of turn '${report.turnId}' could not be undone`, { turnId: report.turnId, conflicts })
}

function domainSettings(options: ToolExecutorOptions): DomainSettings {
  const { haltBudgetMs, interruptMs, retain, onHaltFailure, fallbackRelease, diagnostics, idPrefix } = options
  const settings = { haltBudgetMs, interruptMs, retain, onHaltFailure, fallbackRelease, diagnostics, idPrefix }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

function driverSettings({
  mode,
  maxParallel,
  nestedSurface,
}: ToolExecutorOptions): Pick<ToolExecutorOptions, 'mode' | 'maxParallel' | 'nestedSurface'> {
  return Object.fromEntries(Object.entries({ mode, maxParallel, nestedSurface }).filter(([, value]) => value !== undefined))
}

/** A subagent's turns run in a child domain: the parent's stop reaches them, their own stop leaves the parent alone. */
function openSubagent(
  runtime: ToolRuntime,
  parts: Assembled,
  { options, surface, name }: { options: ToolExecutorOptions; surface: ToolDomainSurface | undefined; name: string | undefined },
): Subagent {
  parts.subagents += 1
  const lane = name ?? `subagent-${parts.subagents}`
  const admissions = createAdmissions<ToolResult>()
  const { resourcesOf, reportRelease, journal } = parts
  const domain = parts.domain.openChild<ToolResult>({
    surface: surface ?? deniedSurface('subagent_execution'),
    runner: createToolDomainRunner({ resources: resourcesOf(() => driver), admissions, onReleaseError: reportRelease }),
    idPrefix: lane,
  })
  const driver: TurnDriver = createTurnDriver({ runtime, domain, admissions, journal, lane, ...driverSettings(options) })
  return {
    domain,
    driver,
    async dispose() {
      await domain.dispose()
      await driver.close()
    },
  }
}
