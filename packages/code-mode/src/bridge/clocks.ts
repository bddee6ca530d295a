/**
 * The host's two clocks of a run: wall time, which stands still while a person is asked, and the watchdog over a guest that computes.
 */

/** Calls `expire` once after `limitMs` of time not held. */
export class WallClock {
  readonly #expire: () => void
  #leftMs: number
  #since = 0
  #holds = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(limitMs: number, expire: () => void) {
    this.#leftMs = limitMs
    this.#expire = expire
    this.#go()
  }

  hold(): void {
    this.#holds += 1
    if (this.#holds > 1 || this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs -= performance.now() - this.#since
  }

  release(): void {
    this.#holds -= 1
    if (this.#holds === 0) this.#go()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#holds = Number.POSITIVE_INFINITY
  }

  #go(): void {
    this.#since = performance.now()
    this.#timer = setTimeout(this.#expire, Math.max(0, this.#leftMs))
  }
}

// The guest ends itself at its busy limit; this much later the host no longer believes that it will (C-14).
const GRACE_MS = 1000

/** Armed by each message to the guest, disarmed when the guest says that it has dealt with all of them. */
export class Watchdog {
  readonly #limitMs: number
  readonly #fire: () => void
  #posted = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(limitMs: number, fire: () => void) {
    this.#limitMs = limitMs
    this.#fire = fire
  }

  /** The guest has something to do. */
  get armed(): boolean {
    return this.#timer !== undefined
  }

  posted(): void {
    this.#posted += 1
    this.#timer ??= setTimeout(this.#fire, this.#limitMs + GRACE_MS)
  }

  idle(heard: number): void {
    clearTimeout(this.#timer)
    // Still at work on a later message: it gets its time anew.
    this.#timer = heard < this.#posted ? setTimeout(this.#fire, this.#limitMs + GRACE_MS) : undefined
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
