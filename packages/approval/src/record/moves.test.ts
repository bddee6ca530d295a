import { describe, expect, test } from 'vitest'
import { APPROVAL_STATES, type ApprovalRecord, type ApprovalState } from '../definition/record.ts'
import { testDraft } from '../testing/drafts.ts'
import { claimMove, closeMove, decideMove, expireMove, isSuccessor, isTerminal, markMove, type Move } from './moves.ts'

const now = Date.now()
const decision = {
  outcome: 'approve' as const,
  by: { kind: 'cli' as const, id: 'a', verified: true },
  at: new Date(now).toISOString(),
  mac: 'm',
}

function recordIn(state: ApprovalState, change: Partial<ApprovalRecord> = {}): ApprovalRecord {
  const claim = { worker: 'w', fence: 3, leaseUntil: new Date(now + 1000).toISOString() }
  const hasClaim = state === 'claimed' || state === 'consumed' || state === 'interrupted'
  return { ...testDraft(), revision: 4, state, ...(state === 'pending' ? {} : { decision }), ...(hasClaim ? { claim } : {}), ...change }
}

/** Where the moves of the store lead from a state: every move that does not throw. */
function reachable(record: ApprovalRecord, at: number): ApprovalState[] {
  const moves: (Move<unknown> | undefined)[] = [
    decideMove(record, at, { expectedRevision: 4, decision }),
    decideMove(record, at, { expectedRevision: 4, decision: { ...decision, outcome: 'reject' } }),
    ...(['expired', 'cancelled', 'unavailable'] as const).map((state) => closeMove(record, { expectedRevision: 4, state })),
    claimMove(record, at, { worker: 'other', leaseMs: 10 }),
    ...(['renewed', 'dispatched', 'consumed'] as const).map((mark) => markMove(record, at, { fence: 3, at: mark })),
    expireMove(record, at),
  ]
  return [...new Set(moves.flatMap((move) => (move?.next ?? []).map((next) => next.state)))].toSorted()
}

describe('A-20: legal moves', () => {
  const table: [ApprovalState, ApprovalState[]][] = [
    ['pending', ['approved', 'cancelled', 'expired', 'rejected', 'unavailable']],
    ['approved', ['claimed', 'expired']],
    ['claimed', ['claimed', 'consumed']],
    ['rejected', []],
    ['expired', []],
    ['cancelled', []],
    ['unavailable', []],
    ['consumed', []],
    ['interrupted', []],
  ]
  test.each(table)('A-20: from %s the store leads to %j and nowhere else', (state, following) => {
    expect(reachable(recordIn(state), now)).toEqual(following)
    expect(isTerminal(state)).toBe(following.length === 0)
  })

  test('A-20: when time is over a pending ask only expires, an approval too', () => {
    const late = now + 100_000_000
    expect(decideMove(recordIn('pending'), late, { expectedRevision: 4, decision }).next.map(({ state }) => state)).toEqual(['expired'])
    expect(claimMove(recordIn('approved'), late, { worker: 'o', leaseMs: 1 }).next.map(({ state }) => state)).toEqual(['expired'])
    expect(expireMove(recordIn('pending'), late)?.next.map(({ state }) => state)).toEqual(['expired'])
  })

  test('A-20, A-21: lease over: not dispatched it is released and claimed, dispatched it is interrupted', () => {
    const late = now + 5000
    const released = claimMove(recordIn('claimed'), late, { worker: 'o', leaseMs: 1 })
    expect(released.next.map(({ state, claim }) => [state, claim?.fence])).toEqual([
      ['approved', 3],
      ['claimed', 4],
    ])
    const claim = { worker: 'w', fence: 3, leaseUntil: new Date(now).toISOString(), dispatchedAt: new Date(now).toISOString() }
    expect(claimMove(recordIn('claimed', { claim }), late, { worker: 'o', leaseMs: 1 }).next.map(({ state }) => state)).toEqual([
      'interrupted',
    ])
  })

  test('A-20: what a reader takes for a successor is what the moves make, and nothing else', () => {
    for (const from of APPROVAL_STATES) {
      for (const to of APPROVAL_STATES) {
        const before = recordIn(from)
        const after = { ...recordIn(to), ...fixed(before), revision: 5 }
        if (to === 'claimed' && from === 'approved') after.claim = { worker: 'w', fence: 1, leaseUntil: new Date(now).toISOString() }
        if (to === 'approved' && from === 'claimed' && before.claim !== undefined) after.claim = before.claim
        const legal =
          (table.find(([state]) => state === from)?.[1] ?? []).includes(to) ||
          (from === 'claimed' && (to === 'approved' || to === 'interrupted'))
        expect([from, to, isSuccessor(before, after)]).toEqual([from, to, legal])
      }
    }
  })

  test('A-20, A-21: a successor changes no call, no arguments, no decision, and no fence but by a claim', () => {
    const before = recordIn('approved')
    const next = claimMove(before, now, { worker: 'o', leaseMs: 10 }).next[0]
    if (next === undefined) throw new Error('no move')
    expect(isSuccessor(before, next)).toBe(true)
    expect(isSuccessor(before, { ...next, args: { other: true } })).toBe(false)
    expect(isSuccessor(before, { ...next, decision: { ...decision, mac: 'other' } })).toBe(false)
    expect(isSuccessor(before, { ...next, expiresAt: '2999-01-01T00:00:00.000Z' })).toBe(false)
    expect(isSuccessor(before, { ...next, claim: { worker: 'o', fence: 7, leaseUntil: new Date(now).toISOString() } })).toBe(false)
    expect(isSuccessor(before, { ...next, revision: 6 })).toBe(false)
  })
})

function fixed({
  revision,
  state,
  decision: said,
  claim,
  settled,
  ...rest
}: ApprovalRecord): Omit<ApprovalRecord, 'revision' | 'state' | 'decision' | 'claim' | 'settled'> {
  return rest
}
