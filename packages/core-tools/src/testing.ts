/**
 * @toolseam/core-tools/testing: what tests of tools, plugins and hosts need. Vitest is an optional peer, for the suite alone.
 */

// invariants of the pipeline, as a plugin
export { createInvariantChecker, toolInvariants } from './testing/invariants.ts'
export type { InvariantChecker, InvariantOptions, InvariantRule, InvariantViolation } from './testing/invariants.ts'

// scripted tools, and a record of what the hooks saw
export { recorder, scriptedTool } from './testing/scripted.ts'
export type { RecordedEvent, Recorder, Script, ScriptedTool } from './testing/scripted.ts'

// contract suite of hooks
export { runHookContract } from './testing/hook-contract.ts'
export type { HookSubject } from './testing/hook-contract.ts'
