/**
 * Test helpers: the contract suite of `FileSystem`, to be run on every provider, and the provider in memory.
 */
export { runFileSystemContract, type ContractWorld } from './testing/file-system-contract.ts'
export {
  createMemoryFileSystem,
  type Fault,
  type FaultPoint,
  type MemoryFileSystem,
  type MemoryHands,
  type MemoryOptions,
} from './providers/memory/index.ts'
