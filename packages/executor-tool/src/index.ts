/**
 * @toolseam/executor-tool: the tool execution domain. Commands in, events out, halt as a drain barrier.
 */

// vocabulary and events
export type * from './definition/vocabulary.ts'
export type * from './definition/events.ts'
export * from './definition/errors.ts'
export * from './definition/surface.ts'

// the domain
export type * from './definition/domain.ts'
export { createToolExecutionDomain } from './providers/domain/index.ts'

// admissions and the runner
export type { AdmissionOptions, AdmissionStore, AdmittedBlock } from './definition/admissions.ts'
export { createAdmissions } from './admission/admissions.ts'
export { createToolDomainRunner, type ToolDomainRunnerOptions } from './admission/runner.ts'
export { ownedToolResources, type OwnedResourcesOptions, type ResourceReport, type RevertMode } from './admission/owned-resources.ts'

// turns: reducer, kernel, driver
export type * from './definition/turn.ts'
export { initialToolTurnState, reduceTools } from './consumer/turn/reducer.ts'
export type { Kernel, KernelOptions } from './definition/kernel.ts'
export { createKernel } from './consumer/kernel/kernel.ts'
export { replay, type JournalRecords, type ReplayOptions } from './consumer/kernel/replay.ts'
export { recoverTools } from './consumer/kernel/recover.ts'
export type { Recovery } from './definition/recovery.ts'
export type { ResumeRequest, TurnDriver, TurnDriverOptions, TurnOutcome, TurnRequest } from './definition/driver.ts'
export { createTurnDriver } from './consumer/turn/driver.ts'

// the service and its plugin
export type { ChangePort, JournalPort, JournalRecord, RevertReport } from './definition/ports.ts'
export { ToolExecutor } from './definition/executor.ts'
export type { Subagent } from './definition/executor.ts'
export { toolExecutor, type ToolExecutorOptions } from './plugin.ts'
