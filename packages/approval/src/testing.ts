/**
 * Public test helpers: the contract suite of stores, drafts and decisions that fit, the store in memory.
 */
export { runStoreContract } from './testing/store-contract.ts'
export type { StoreContractOptions } from './testing/contract-context.ts'
export { testApprover, testDecision, testDraft, testGrant } from './testing/drafts.ts'
export type { DraftOptions } from './testing/drafts.ts'
export { memoryStore } from './providers/memory-store/memory-store.ts'
