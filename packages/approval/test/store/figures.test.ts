/**
 * Figures of the files store and of a whole asked call; run with TOOLSEAM_FIGURES=1, as they say something only on a quiet machine.
 */
import { expect, test } from 'vitest'
import { openStore, scripted, storeFolder, type Decision } from '../../src/index.ts'
import { testDecision, testDraft } from '../../src/testing.ts'
import { codeOf, onCleanup, rig, scratch } from '../support.ts'

const ROUNDS = 500

test.skipIf(process.env['TOOLSEAM_FIGURES'] === undefined)(
  'A-29: approvals per second on files',
  async () => {
    const { root } = await scratch()
    const store = await openStore({ kind: 'files', path: storeFolder(root) })
    onCleanup(async () => store.dispose())
    const times: number[] = []
    const began = performance.now()
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now()
      const { record } = await store.request(testDraft())
      await store.decide(record.id, { expectedRevision: 1, decision: await testDecision(record) })
      expect((await store.claim(record.id, { worker: 'w', leaseMs: 60_000 })).ok).toBe(true)
      await store.get(record.id)
      times.push(performance.now() - start)
    }
    report('request + decide + claim + read', began, times)

    const cold = await openStore({ kind: 'files', path: storeFolder(root) })
    onCleanup(async () => cold.dispose())
    const listing = performance.now()
    expect(await cold.list()).toHaveLength(ROUNDS)
    console.log(`list of ${ROUNDS} approved and claimed asks, cold: ${(performance.now() - listing).toFixed(0)} ms`)

    const yes: Decision[] = Array.from({ length: ROUNDS }, () => ({ outcome: 'approve' }))
    const other = await rig({
      root: `${root}-whole`,
      store: { kind: 'files', path: storeFolder(`${root}-whole`) },
      answerers: [scripted(yes)],
    })
    const calls: number[] = []
    const whole = performance.now()
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now()
      expect(codeOf(await other.call(`c${round}`))).toBe('ok')
      calls.push(performance.now() - start)
    }
    report('whole calls that ask', whole, calls)
  },
  300_000,
)

function report(what: string, began: number, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0
  console.log(`${what}: ${Math.round((times.length * 1000) / (performance.now() - began))}/s, p99 ${p99.toFixed(1)} ms`)
}
