/**
 * A memory of ids that forgets the oldest: everything that is kept per id is bounded by it.
 */
export class BoundedMap<V> {
  readonly #entries = new Map<string, V>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get(id: string): V | undefined {
    return this.#entries.get(id)
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  /** Sets as the newest. */
  set(id: string, value: V): void {
    this.#entries.delete(id)
    this.#entries.set(id, value)
    if (this.#entries.size <= this.#limit) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(id: string): boolean {
    return this.#entries.delete(id)
  }

  get size(): number {
    return this.#entries.size
  }
}
