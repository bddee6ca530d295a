/**
 * Public test helpers: the conformance suite of the executor, a clock that stands still, a scripted runner, seeded interleavings.
 */
export { executorConformance, type DomainFactory } from './testing/conformance.ts'
export { interleave, type Interleaving } from './testing/interleave.ts'
export { scriptedRunner, type ReleaseCall, type ScriptedBody, type ScriptedRunner } from './testing/scripted-runner.ts'
export { drainReady, virtualClock, type VirtualClock } from './testing/virtual-clock.ts'
