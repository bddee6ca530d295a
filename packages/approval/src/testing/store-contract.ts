/**
 * The contract suite of `ApprovalStore`: every provider runs it. Durable providers run it over two openings of one truth.
 */
import type { ApprovalStore } from '../definition/store.ts'
import { contractOfAsks } from './contract-asks.ts'
import { contractOfClaims } from './contract-claims.ts'
import { contractContext, type StoreContractOptions } from './contract-context.ts'
import { contractOfGrants } from './contract-grants.ts'
import { contractOfLooking } from './contract-looking.ts'

/** `open`: a fresh, empty store, opened without a secret. */
export function runStoreContract(open: () => Promise<ApprovalStore>, options: StoreContractOptions = {}): void {
  const contract = contractContext(open, options)
  contractOfAsks(contract)
  contractOfClaims(contract)
  contractOfLooking(contract)
  contractOfGrants(contract)
}
