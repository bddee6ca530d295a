/**
 * The mailbox of a kernel: urgent letters first, each kind in the order it came.
 */
export interface Letter<Event> {
  readonly event: Event
  readonly urgent: boolean
  resolve(answer: { refused?: { code: string } }): void
  reject(error: unknown): void
}

export interface Mailbox<Event> {
  put(event: Event, urgent: boolean): Promise<{ refused?: { code: string } }>
  /** The next letters: one urgent one alone, else up to `limit` ordinary ones. */
  take(limit: number): readonly Letter<Event>[]
  rejectOrdinary(error: unknown): void
  /** Ordinary letters that wait. */
  readonly ordinary: number
}

export function createMailbox<Event>(): Mailbox<Event> {
  const urgentLetters: Letter<Event>[] = []
  let letters: Letter<Event>[] = []
  // Taken letters are dropped in bulk: shifting one by one costs the square of a long queue.
  let taken = 0

  function takeOrdinary(limit: number): readonly Letter<Event>[] {
    const batch = letters.slice(taken, taken + limit)
    taken += batch.length
    if (taken === letters.length) {
      letters = []
      taken = 0
    }
    return batch
  }

  return {
    put(event, urgent) {
      const answer: Promise<{ refused?: { code: string } }> = new Promise((resolve, rejectAnswer) => {
        const reject = (error: unknown): void => {
          // A sender may have dropped it.
          handled(answer)
          rejectAnswer(error)
        }
        const letter: Letter<Event> = { event, urgent, resolve, reject }
        if (urgent) urgentLetters.push(letter)
        else letters.push(letter)
      })
      return answer
    },
    take(limit) {
      const urgent = urgentLetters.shift()
      return urgent === undefined ? takeOrdinary(limit) : [urgent]
    },
    rejectOrdinary(error) {
      for (const letter of takeOrdinary(Number.POSITIVE_INFINITY)) letter.reject(error)
    },
    get ordinary() {
      return letters.length - taken
    },
  }
}

function handled(answer: Promise<unknown>): void {
  answer.then(undefined, () => {})
}
