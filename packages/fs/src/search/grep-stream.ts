/**
 * A stream of hits with its summary: the summary settles when the iteration is over, however it ended.
 */
import type { GrepHit, GrepStream, GrepSummary } from '../definition/search.ts'

export function grepStream(engine: string, run: (summary: GrepSummary) => AsyncGenerator<GrepHit>): GrepStream {
  const tally: GrepSummary = {
    files: 0,
    total: 0,
    truncated: false,
    engine,
    skipped: { ignored: false, binary: 0, unreadable: [] },
    warnings: [],
  }
  let settle: (outcome: { error: unknown } | undefined) => void = () => {}
  const summary = new Promise<GrepSummary>((resolve, reject) => {
    settle = (outcome) => (outcome === undefined ? resolve(tally) : reject(outcome.error))
  })
  // Whoever iterates meets the error there; the summary alone must not end the process.
  summary.catch(() => {})
  async function* iterate(): AsyncGenerator<GrepHit> {
    try {
      yield* run(tally)
    } catch (error) {
      settle({ error })
      throw error
    } finally {
      settle(undefined)
    }
  }
  const iterator = iterate()
  return { [Symbol.asyncIterator]: () => iterator, summary }
}
