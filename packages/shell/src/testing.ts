/**
 * @toolseam/shell/testing: what tests of shells and of their users need.
 */
export { virtualClock } from './providers/memory/virtual-clock.ts'
export type { VirtualClock } from './providers/memory/virtual-clock.ts'
