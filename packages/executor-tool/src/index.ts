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
