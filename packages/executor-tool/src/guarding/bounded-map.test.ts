import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

/** What it promises, said the slow way. */
class Plain {
  readonly map = new Map<string, number>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  set(id: string, value: number): void {
    this.map.delete(id)
    this.map.set(id, value)
    const [oldest] = this.map.keys()
    if (this.map.size > this.#limit && oldest !== undefined) this.map.delete(oldest)
  }
}

test('E-50: it holds the newest ids, however they come and go', () => {
  const step = fc.record({ remove: fc.boolean(), id: fc.integer({ min: 0, max: 9 }).map(String), value: fc.integer() })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 }), fc.array(step, { maxLength: 300 }), (limit, steps) => {
      const bounded = new BoundedMap<number>(limit)
      const plain = new Plain(limit)
      for (const { remove, id, value } of steps) {
        if (remove) expect(bounded.delete(id)).toBe(plain.map.delete(id))
        else {
          bounded.set(id, value)
          plain.set(id, value)
        }
        expect(bounded.size).toBe(plain.map.size)
        for (let n = 0; n < 10; n += 1) expect(bounded.get(String(n))).toBe(plain.map.get(String(n)))
      }
    }),
    { numRuns: 100 },
  )
})
