/**
 * Deadlines of waiting taps. All of one length stand in one list, oldest first, under one timer: a wait that ends in time
 * costs no timer of its own.
 */

/** Something that waits; its neighbours in the list are kept on it. */
export interface Waiting {
  due: number
  earlier: Waiting | undefined
  later: Waiting | undefined
  expire(): void
}

interface Holdable {
  ref?(): void
  unref?(): void
}

export class DeadlineList {
  readonly #ms: number
  #first: Waiting | undefined
  #last: Waiting | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ms: number) {
    this.#ms = ms
  }

  add(waiting: Waiting): void {
    waiting.due = performance.now() + this.#ms
    waiting.earlier = this.#last
    if (this.#last === undefined) {
      this.#first = waiting
      if (this.#timer === undefined) this.#arm(this.#ms)
      else hold(this.#timer, true)
    } else {
      this.#last.later = waiting
    }
    this.#last = waiting
  }

  remove(waiting: Waiting): void {
    const { earlier, later } = waiting
    if (earlier === undefined) this.#first = later
    else earlier.later = later
    if (later === undefined) this.#last = earlier
    else later.earlier = earlier
    waiting.earlier = undefined
    waiting.later = undefined
    // The timer stays for the next one, but holds no process open meanwhile.
    if (this.#first === undefined && this.#timer !== undefined) hold(this.#timer, false)
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.#sweep(), ms)
  }

  #sweep(): void {
    this.#timer = undefined
    const now = performance.now()
    const due: Waiting[] = []
    for (let waiting = this.#first; waiting !== undefined && waiting.due <= now; waiting = waiting.later) due.push(waiting)
    for (const waiting of due) this.remove(waiting)
    if (this.#first !== undefined) this.#arm(Math.max(1, Math.ceil(this.#first.due - now)))
    for (const waiting of due) waiting.expire()
  }
}

function hold(timer: ReturnType<typeof setTimeout>, open: boolean): void {
  // Hosts other than Node give a number, which holds nothing open.
  if (typeof timer !== 'object') return
  const holdable: Holdable = timer
  if (open) holdable.ref?.()
  else holdable.unref?.()
}

const lists = new Map<number, DeadlineList>()

/** The list of one length. Lengths are options of taps and runtimes: few. */
export function deadlinesOf(ms: number): DeadlineList {
  let list = lists.get(ms)
  if (list === undefined) {
    list = new DeadlineList(ms)
    lists.set(ms, list)
  }
  return list
}
