import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'

describe('A-18: canonical JSON', () => {
  test('A-18: keys in the order of UTF-16 units, numbers as ECMAScript writes them (RFC 8785, 3.2)', () => {
    // The example of RFC 8785, section 3.2.2 and 3.2.3.
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    }
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
    expect(canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 })).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    )
    expect(canonicalJson(-0)).toBe('0')
  })

  test('A-18: the same value has one text, whatever the order of its keys', () => {
    const shuffle = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffle)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, member]) => [key, shuffle(member)]),
      )
    }
    const json = fc.jsonValue().filter((value) => !/\\ud[89a-f]/i.test(JSON.stringify(value)))
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(shuffle(value))).toBe(text)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  const cycle: { self?: unknown } = {}
  cycle.self = { cycle }
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['undefined in an object', { a: undefined }],
    ['undefined in an array', [undefined]],
    // oxlint-disable-next-line no-sparse-arrays -- the hole is the case
    ['a hole', [1, , 2]],
    ['NaN', { a: [Number.NaN] }],
    ['infinity', -Infinity],
    ['a lone surrogate', ['ok', '\uD800']],
    ['a lone surrogate in a key', { '\uDC00x': 1 }],
    ['a cycle', cycle],
    ['a function', () => 1],
    ['a symbol', { a: Symbol('a') }],
    ['a symbol key', { [Symbol('a')]: 1 }],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
  ])('A-18: %s is refused, not normalised', (_, value) => {
    expect(() => canonicalJson(value)).toThrowError(expect.objectContaining({ code: 'APPROVAL_NOT_CANONICAL' }))
  })

  test('A-18: a value that is there twice is no cycle; one that is too deep ends no process', () => {
    const twice = { a: 1 }
    expect(canonicalJson([twice, twice])).toBe('[{"a":1},{"a":1}]')
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(() => canonicalJson(deep)).toThrowError(expect.objectContaining({ code: 'APPROVAL_NOT_CANONICAL' }))
  })

  test('A-18: `__proto__`, `toJSON` and the like are data', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"toJSON":"text","constructor":null}') as object
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":1},"constructor":null,"toJSON":"text"}')
  })
})
