/**
 * Named types for `$ref`s. TypeScript takes a type that refers to itself only from inside an object or an array, so the references that
 * stand bare are kept as a graph and one that would close a circle is not made.
 */

export class Aliases {
  readonly #names = new Set<string>()
  readonly #byTarget = new Map<string, string>()
  readonly #bare = new Map<string, Set<string>>()
  readonly #bodies = new Map<string, string>()

  /** The name for a target, and whether it is new. */
  claim(target: string, wish: string): { name: string; fresh: boolean } {
    const known = this.#byTarget.get(target)
    if (known !== undefined) return { name: known, fresh: false }
    let name = wish
    for (let number = 2; this.#names.has(name); number += 1) name = `${wish}${number}`
    this.#names.add(name)
    this.#byTarget.set(target, name)
    return { name, fresh: true }
  }

  define(name: string, body: string): void {
    this.#bodies.set(name, body)
  }

  /** False if `from` may not refer to `to` bare. */
  referBare(from: string | undefined, to: string): boolean {
    if (from === undefined) return true
    if (from === to || this.#reaches(to, from)) return false
    const edges = this.#bare.get(from) ?? new Set()
    this.#bare.set(from, edges.add(to))
    return true
  }

  /** `type` lines in the order in which they were met. */
  lines(): string[] {
    return [...this.#names].map((name) => `type ${name} = ${this.#bodies.get(name) ?? 'unknown'}`)
  }

  #reaches(from: string, to: string): boolean {
    const open = [from]
    const seen = new Set<string>()
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at === to) return true
      if (seen.has(at)) continue
      seen.add(at)
      open.push(...(this.#bare.get(at) ?? []))
    }
    return false
  }
}
