/**
 * An order that the domain itself makes. It is the reason of every signal that it aborts (E-13), and whoever reports such a reason reads its
 * `message`.
 */
import type { HaltOrder, HaltReason } from '../../definition/vocabulary.ts'

class MintedOrder implements HaltOrder {
  readonly haltId: string
  readonly reason: HaltReason

  constructor(haltId: string, reason: HaltReason) {
    this.haltId = haltId
    this.reason = reason
  }

  get message(): string {
    return this.reason
  }
}

export function mintOrder(haltId: string, reason: HaltReason): HaltOrder {
  return new MintedOrder(haltId, reason)
}
