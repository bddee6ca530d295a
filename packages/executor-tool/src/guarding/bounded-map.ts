/**
 * A memory of ids that forgets the oldest: everything that is kept per id is bounded by it. Their order stands in a queue of its own: a map
 * finds its oldest key only past all the places of keys that are gone.
 */
interface Entry<V> {
  readonly id: string
  readonly value: V
  /** False once it was replaced or deleted: its place in the queue is passed over. */
  kept: boolean
}

export class BoundedMap<V> {
  readonly #entries = new Map<string, Entry<V>>()
  readonly #limit: number
  #queue: Entry<V>[] = []
  #head = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get(id: string): V | undefined {
    return this.#entries.get(id)?.value
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  /** Sets as the newest. */
  set(id: string, value: V): void {
    const before = this.#entries.get(id)
    if (before !== undefined) before.kept = false
    const entry: Entry<V> = { id, value, kept: true }
    this.#entries.set(id, entry)
    this.#queue.push(entry)
    while (this.#entries.size > this.#limit) this.#forgetOldest()
    if (this.#queue.length > 2 * this.#entries.size + 64) this.#compact()
  }

  delete(id: string): boolean {
    const entry = this.#entries.get(id)
    if (entry === undefined) return false
    entry.kept = false
    return this.#entries.delete(id)
  }

  get size(): number {
    return this.#entries.size
  }

  #forgetOldest(): void {
    const oldest = this.#queue[this.#head]
    this.#head += 1
    if (oldest?.kept === true) this.#entries.delete(oldest.id)
  }

  #compact(): void {
    this.#queue = this.#queue.slice(this.#head).filter((entry) => entry.kept)
    this.#head = 0
  }
}
