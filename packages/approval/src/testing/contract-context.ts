/**
 * What the parts of the contract of stores share: a store and another opening of it, fresh for each test, and short ways to use them.
 */
import { afterEach, beforeEach, expect } from 'vitest'
import { errorCode } from '@toolseam/core-tools'
import type { ApprovalRecord } from '../definition/record.ts'
import type { ApprovalStore, StoreChange } from '../definition/store.ts'
import { testDecision, testDraft, type DraftOptions } from './drafts.ts'

export interface StoreContractOptions {
  /** Another opening of the same truth, as another process would have it. Without it, one opening is used for both sides. */
  again?(store: ApprovalStore): Promise<ApprovalStore>
}

export interface Contract {
  readonly store: ApprovalStore
  readonly other: ApprovalStore
  ask(draft?: DraftOptions): Promise<ApprovalRecord>
  decide(record: ApprovalRecord, outcome?: 'approve' | 'reject', by?: ApprovalStore): Promise<ApprovalRecord>
  approved(): Promise<ApprovalRecord>
  claimed(leaseMs?: number): Promise<{ record: ApprovalRecord; fence: number }>
}

export function contractContext(open: () => Promise<ApprovalStore>, options: StoreContractOptions): Contract {
  const stores: ApprovalStore[] = []
  const at = (index: number): ApprovalStore => {
    const store = stores[index]
    if (store === undefined) throw new Error('no store is open')
    return store
  }
  beforeEach(async () => {
    const store = await open()
    stores.push(store, (await options.again?.(store)) ?? store)
  })
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.dispose()
  })

  const contract: Contract = {
    get store() {
      return at(0)
    },
    get other() {
      return at(1)
    },
    ask: async (draft = {}) => (await at(0).request(testDraft(draft))).record,
    decide: async (record, outcome = 'approve', by = at(0)) =>
      by.decide(record.id, { expectedRevision: record.revision, decision: await testDecision(record, { outcome }) }),
    approved: async () => contract.decide(await contract.ask()),
    async claimed(leaseMs = 60_000) {
      const claim = await at(0).claim((await contract.approved()).id, { worker: 'one', leaseMs })
      if (!claim.ok) throw new Error(claim.why)
      return claim
    },
  }
  return contract
}

export async function read(changes: AsyncIterable<StoreChange>, into: StoreChange[]): Promise<void> {
  for await (const change of changes) into.push(change)
}

/** Waits for a condition, looking every few ms; fails with the test's own time limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}

export async function expectCode(promise: Promise<unknown>, code: string): Promise<void> {
  const thrown: unknown = await promise.then(
    () => 'resolved',
    (error: unknown) => error,
  )
  expect(errorCode(thrown)).toBe(code)
}
