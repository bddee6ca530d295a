/**
 * @toolseam/shell/testing: the contract suites of `Subprocess` and `Shell` (vitest is an optional peer), and providers without processes.
 */
export { memorySubprocess } from './providers/memory/subprocess.ts'
export type { MemoryIo, MemoryProgram } from './providers/memory/subprocess.ts'
export { virtualClock } from './providers/memory/virtual-clock.ts'
export type { VirtualClock } from './providers/memory/virtual-clock.ts'
export { scriptedShell } from './providers/scripted/shell.ts'
export type { ScriptedEvent, ScriptedInterpreter, ScriptedShellOptions } from './providers/scripted/shell.ts'
export { CONTRACT_PROGRAMS, subprocessContract } from './contract/subprocess-contract.ts'
export { CONTRACT_SCRIPT, shellContract } from './contract/shell-contract.ts'
