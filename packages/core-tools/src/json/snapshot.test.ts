import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_DEPTH, snapshotJson } from './snapshot.ts'

// The same cases in every run; another number explores others.
const SEED = 20_26

function valueOf(given: unknown): unknown {
  const snapshot = snapshotJson(given)
  if (!snapshot.ok) throw new Error(JSON.stringify(snapshot.issues))
  return snapshot.value
}

function issuesOf(given: unknown): readonly { path: string; message: string }[] {
  const snapshot = snapshotJson(given)
  return snapshot.ok ? [] : snapshot.issues
}

function pathsOf(given: unknown): string[] {
  return issuesOf(given).map(({ path }) => path)
}

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  expect(Object.isFrozen(value)).toBe(true)
  for (const part of Object.values(value)) expectFrozen(part)
}

function nested(levels: number): unknown {
  let value: unknown = 'core'
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value }
  return value
}

describe('what is JSON', () => {
  test('P-11: scalars, arrays and plain objects are taken as they are', () => {
    const given = { text: 'é\u0000', yes: true, no: false, none: null, list: [1, [2.5, -3e300]], empty: {}, bare: [] }
    expect(valueOf(given)).toStrictEqual(given)
    for (const scalar of [null, true, 'text', 0, 1.5]) expect(valueOf(scalar)).toBe(scalar)
  })

  test('P-11: -0 becomes 0 wherever it stands', () => {
    expect(Object.is(valueOf(-0), 0)).toBe(true)
    expect(valueOf({ a: [-0] })).toStrictEqual({ a: [0] })
  })

  test('P-11: plain objects and arrays of another realm and of no prototype are plain', () => {
    const foreign: unknown = runInNewContext('({ list: [1, { deep: true }], bare: Object.create(null) })')
    expect(valueOf(foreign)).toStrictEqual({ list: [1, { deep: true }], bare: {} })
    expect(valueOf(Object.assign(Object.create(null), { a: 1 }))).toStrictEqual({ a: 1 })
  })

  test('P-11: an undefined property is left out, undefined in an array or as root is not JSON', () => {
    expect(valueOf({ a: undefined, b: 1 })).toStrictEqual({ b: 1 })
    expect(pathsOf([1, undefined])).toEqual(['/1'])
    expect(pathsOf(undefined)).toEqual([''])
  })

  test('P-11: __proto__ and constructor are data, and nothing is polluted', () => {
    const given: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}')
    const taken = valueOf(given) as object
    expect(JSON.stringify(taken)).toBe(JSON.stringify(given))
    expect(Object.getPrototypeOf(taken)).toBe(Object.prototype)
    expect(Object.hasOwn(taken, '__proto__')).toBe(true)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('P-11: each property is read once, accessors too', () => {
    const reads: string[] = []
    const given = {
      get kind() {
        reads.push('kind')
        return reads.length === 1 ? 'first' : 'second'
      },
      list: new Proxy(['x'], {
        get(target, key) {
          if (key === '0') reads.push('element')
          return Reflect.get(target, key)
        },
      }),
    }
    expect(valueOf(given)).toStrictEqual({ kind: 'first', list: ['x'] })
    expect(reads).toEqual(['kind', 'element'])
  })

  test('P-11: properties that are not enumerable are no JSON properties and are left out', () => {
    expect(valueOf(Object.defineProperty({ a: 1 }, 'hidden', { value: 2 }))).toStrictEqual({ a: 1 })
  })
})

describe('what is not JSON', () => {
  class Point {
    x = 1
  }
  class Fancy extends Array<number> {}
  const symbol = Symbol('mark')

  test.each<[string, unknown]>([
    ['a function', () => 1],
    ['a symbol', symbol],
    ['a bigint', 1n],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['a class instance', new Point()],
    ['an inheriting object', Object.create({ inherited: 1 })],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a Set', new Set()],
    ['a RegExp', /x/],
    ['an Error', new Error('x')],
    ['a typed array', new Uint8Array(2)],
    ['a boxed string', Object('x')],
    ['a promise', Promise.resolve()],
    ['an array subclass', Fancy.from([1])],
  ])('P-11: %s is reported with its path, never thrown', (_, value) => {
    expect(pathsOf(value)).toEqual([''])
    expect(pathsOf({ list: [0, { 'a/b~c': value }] })).toEqual(['/list/1/a~1b~0c'])
  })

  test('P-11: a symbol as key is reported on objects and arrays', () => {
    expect(pathsOf({ a: { [symbol]: 1 } })).toEqual(['/a'])
    expect(pathsOf({ a: Object.assign([1], { [symbol]: 1 }) })).toEqual(['/a'])
    expect(snapshotJson({ [symbol]: 1, a: 1 }, { ignoreSymbols: true })).toEqual({ ok: true, value: { a: 1 } })
  })

  test('P-11: a hole and a named property of an array are told by their place', () => {
    // oxlint-disable-next-line no-sparse-arrays
    expect(issuesOf({ list: [0, , 2] })).toEqual([{ path: '/list/1', message: 'is a hole in an array' }])
    expect(pathsOf(Object.assign([], { length: 1_000_000_000 }))).toEqual(['/0'])
    expect(pathsOf(Object.assign([1, 2], { extra: 3 }))).toEqual(['/extra'])
    // oxlint-disable-next-line no-sparse-arrays
    expect(pathsOf(Object.assign([1, ,], { extra: 3 }))).toEqual(['/1'])
  })

  test('P-11: a cycle is reported where it closes; the same object twice is no cycle', () => {
    const loop: { [key: string]: unknown } = { a: { b: [] } }
    loop['self'] = loop
    ;(loop['a'] as { b: unknown[] }).b.push(loop['a'])
    expect(pathsOf(loop)).toEqual(['/a/b/0', '/self'])
    const shared = { n: 1 }
    expect(valueOf([shared, shared])).toStrictEqual([{ n: 1 }, { n: 1 }])
  })

  test('P-11: a graph in which everything refers to everything ends', () => {
    const nodes: unknown[][] = Array.from({ length: 14 }, () => [])
    for (const node of nodes) node.push(...nodes)
    expect(issuesOf(nodes).length).toBeGreaterThan(0)
  })

  test('P-11: a throwing getter is reported at its property, hostile throws too', () => {
    const hostile = {
      fine: 1,
      get bad(): never {
        throw new Error('no entry')
      },
    }
    expect(issuesOf({ a: hostile, b: 1n })).toEqual([
      { path: '/a/bad', message: 'cannot be read: no entry' },
      { path: '/b', message: 'a bigint is not JSON' },
    ])
    const worse = {
      get bad(): never {
        throw Object.defineProperty(new Error('x'), 'message', {
          get() {
            throw new Error('again')
          },
        })
      },
    }
    expect(pathsOf(worse)).toEqual(['/bad'])
  })

  test('P-11: a throwing trap and a revoked proxy are reported', () => {
    const trap = (): never => {
      throw new Error('trapped')
    }
    expect(pathsOf({ a: new Proxy({}, { getPrototypeOf: trap }) })).toEqual(['/a'])
    expect(pathsOf({ a: new Proxy({}, { ownKeys: trap }) })).toEqual(['/a'])
    expect(pathsOf({ a: new Proxy({ b: 1 }, { get: trap }) })).toEqual(['/a/b'])
    for (const target of [{}, []]) {
      const { proxy, revoke } = Proxy.revocable(target, {})
      revoke()
      expect(pathsOf({ a: proxy })).toEqual(['/a'])
    }
  })

  test('P-11: a lying proxy of an array cannot make it endless', () => {
    const endless = new Proxy([], { get: (target, key) => (key === 'length' ? 2 ** 52 : Reflect.get(target, key)) })
    expect(pathsOf(endless)).toEqual(['/0'])
  })

  test('P-11: several issues are listed', () => {
    expect(pathsOf({ a: 1n, b: [Number.NaN, 1, () => 1], c: 'fine' })).toEqual(['/a', '/b/0', '/b/2'])
  })

  test('P-11: 512 levels are JSON, one more is not, 100 000 settle without overflow', () => {
    expect(snapshotJson(nested(MAX_DEPTH)).ok).toBe(true)
    const tooDeep = issuesOf(nested(MAX_DEPTH + 1))
    expect(tooDeep).toHaveLength(1)
    expect(tooDeep[0]?.message).toContain('512')
    expect(issuesOf(nested(100_000))).toHaveLength(1)
  })
})

describe('what a snapshot is', () => {
  test('P-12: frozen through and through, sharing nothing with the caller', () => {
    const given = { list: [{ n: 1 }], deep: { text: 'x' } }
    const taken = valueOf(given)
    expectFrozen(taken)
    given.list.push({ n: 2 })
    given.deep.text = 'changed'
    expect(taken).toStrictEqual({ list: [{ n: 1 }], deep: { text: 'x' } })
  })

  test('P-12: a snapshot of JSON is what a round trip through JSON text gives (property)', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (given) => {
        const taken = valueOf(given)
        expectFrozen(taken)
        expect(taken).toStrictEqual(JSON.parse(JSON.stringify(given)))
      }),
      { numRuns: 300, seed: SEED },
    )
  })

  test('P-11: anything at all is either JSON or has issues, and nothing is thrown (property)', () => {
    const odd = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withNullPrototype: true,
    })
    fc.assert(
      fc.property(odd, (given) => {
        const snapshot = snapshotJson(given)
        if (snapshot.ok) expect(JSON.parse(JSON.stringify(snapshot.value))).toStrictEqual(snapshot.value)
        else expect(snapshot.issues.length).toBeGreaterThan(0)
      }),
      { numRuns: 500, seed: SEED },
    )
  })

  test('P-11: a big value of tens of megabytes is taken', () => {
    const big = Array.from({ length: 40_000 }, (_, id) => ({ id, text: 'x'.repeat(1000) }))
    const snapshot = snapshotJson(big)
    expect(snapshot.ok && Array.isArray(snapshot.value) && snapshot.value.length).toBe(40_000)
  })
})
