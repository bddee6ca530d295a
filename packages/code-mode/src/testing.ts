/**
 * @toolseam/code-mode/testing: the contract suite of code runtimes, hostile programs, and the runtime without a sandbox. Vitest is an
 * optional peer, for the suite alone.
 */

// contract suite
export { runCodeRuntimeConformance } from './testing/conformance.ts'
export type { ConformanceOptions } from './testing/conformance.ts'

// hostile programs
export { LOOPS, MEMORY_BOMBS } from './testing/bombs.ts'
export type { Bomb } from './testing/bombs.ts'
export { escapePrograms } from './testing/escapes.ts'
export type { EscapeProgram } from './testing/escapes.ts'

// the in-memory provider: for programs of your own tests only
export { createInlineRuntime } from './providers/inline/inline.ts'
export type { InlineOptions } from './providers/inline/inline.ts'
