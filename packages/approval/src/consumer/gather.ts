/**
 * Batches: asks of one turn, or of one `askAll`, that are open together share a batch; where the answerer can, those that come within
 * 50 ms are offered together. Each is decided alone.
 */
import type { Answer, Answerer, AskView } from '../definition/answerer.ts'

export const GATHER_MS = 50

export interface Gatherer {
  /** The batch of an ask, open until `leave` was called by each of its asks. Undefined: the ask belongs to no turn. */
  join(turn: string | undefined): { batch: string | undefined; leave(): void }
  /** Puts an ask to an answerer: alone, or with what else comes of its batch. */
  offer(answerer: Answerer, ask: AskView, signal: AbortSignal): Promise<Answer | undefined>
}

interface Waiting {
  ask: AskView
  signal: AbortSignal
  resolve(answer: Promise<Answer | undefined>): void
}

export function createGatherer(newId: () => string): Gatherer {
  const open = new Map<string, { batch: string; asks: number }>()
  const gathering = new Map<Answerer, Map<string, Waiting[]>>()

  return {
    join(turn) {
      if (turn === undefined) return { batch: undefined, leave: () => undefined }
      const entry = open.get(turn) ?? { batch: `bat_${newId()}`, asks: 0 }
      open.set(turn, entry)
      entry.asks++
      return {
        batch: entry.batch,
        leave() {
          entry.asks--
          if (entry.asks === 0 && open.get(turn) === entry) open.delete(turn)
        },
      }
    },
    async offer(answerer, ask, signal) {
      if (answerer.answerBatch === undefined || ask.batch === undefined) return answerer.answer(ask, { signal })
      return new Promise((resolve) => gather(answerer, ask.batch ?? '', { ask, signal, resolve }))
    },
  }

  function gather(answerer: Answerer, batch: string, waiting: Waiting): void {
    const ofAnswerer = gathering.get(answerer) ?? new Map<string, Waiting[]>()
    gathering.set(answerer, ofAnswerer)
    const there = ofAnswerer.get(batch)
    if (there !== undefined) {
      there.push(waiting)
      return
    }
    const group = [waiting]
    ofAnswerer.set(batch, group)
    setTimeout(() => {
      ofAnswerer.delete(batch)
      if (ofAnswerer.size === 0) gathering.delete(answerer)
      for (const { signal: over, resolve } of group) if (over.aborted) resolve(Promise.resolve(undefined))
      offerTogether(
        answerer,
        group.filter(({ signal: over }) => !over.aborted),
      )
    }, GATHER_MS)
  }
}

function offerTogether(answerer: Answerer, group: readonly Waiting[]): void {
  const [first] = group
  if (first === undefined) return
  if (group.length === 1 || answerer.answerBatch === undefined) {
    for (const { ask, signal, resolve } of group) resolve(called(async () => answerer.answer(ask, { signal })))
    return
  }
  const together = answerer.answerBatch.bind(answerer)
  const signal = whenAllAborted(group.map((waiting) => waiting.signal))
  const answers = called(async () =>
    together(
      group.map(({ ask }) => ask),
      { signal },
    ),
  )
  for (const { ask, resolve } of group) resolve(answers.then((map) => map.get(ask.id)))
}

/** A throw is a rejection. */
async function called<T>(run: () => Promise<T>): Promise<T> {
  return run()
}

/** The batch is over when each of its asks is; one that ends leaves the others. */
function whenAllAborted(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController()
  let open = signals.length
  for (const signal of signals) {
    signal.addEventListener('abort', () => (--open === 0 ? all.abort(signal.reason) : undefined), { once: true })
  }
  return all.signal
}
