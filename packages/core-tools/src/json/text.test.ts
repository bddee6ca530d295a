import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonEquals, MAX_DEPTH, parseJsonText, pointer } from './snapshot.ts'

// The same cases in every run; another number explores others.
const SEED = 20_26

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  expect(Object.isFrozen(value)).toBe(true)
  for (const part of Object.values(value)) expectFrozen(part)
}

test('P-13: text is parsed, blank text is an empty object', () => {
  expect(parseJsonText('{"a":[1,null]}')).toEqual({ ok: true, value: { a: [1, null] } })
  for (const blank of ['', '  \n\t']) expect(parseJsonText(blank)).toEqual({ ok: true, value: {} })
  const parsed = parseJsonText('{"__proto__":{"x":1},"n":-0}')
  expect(parsed.ok && JSON.stringify(parsed.value)).toBe('{"__proto__":{"x":1},"n":0}')
  if (parsed.ok) expectFrozen(parsed.value)
})

test('P-13: text that is not JSON is one issue that names the place', () => {
  expect(parseJsonText('{"a": }')).toEqual({
    ok: false,
    issues: [{ path: '', message: 'not JSON: expected a JSON value at line 1, column 7, found "}"' }],
  })
  expect(parseJsonText('[1e999]')).toEqual({ ok: false, issues: [{ path: '/0', message: 'Infinity is not a JSON number' }] })
})

test('P-11: the limit of depth holds for text, 100 000 levels settle', () => {
  expect(parseJsonText('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH)).ok).toBe(true)
  expect(parseJsonText('['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1)).ok).toBe(false)
  expect(parseJsonText('['.repeat(100_000) + ']'.repeat(100_000)).ok).toBe(false)
  expect(parseJsonText('['.repeat(100_000)).ok).toBe(false)
})

test('P-35: equality is of values: order of keys does not matter, __proto__ is a key', () => {
  const json = (text: string) => {
    const parsed = parseJsonText(text)
    if (!parsed.ok) throw new Error(text)
    return parsed.value
  }
  expect(jsonEquals(json('{"a":1,"b":[{"c":null}]}'), json('{"b":[{"c":null}],"a":1}'))).toBe(true)
  for (const [left, right] of [
    ['[1,2]', '[2,1]'],
    ['[1]', '[1,2]'],
    ['{}', '[]'],
    ['{"a":1}', '{"b":1}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"__proto__":{}}', '{"constructor":{}}'],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['null', '{}'],
    ['{"toString":1}', '{"a":1}'],
  ] as const) {
    expect(jsonEquals(json(left), json(right)), `${left} and ${right}`).toBe(false)
  }
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      expect(jsonEquals(json(JSON.stringify(given)), json(JSON.stringify(given)))).toBe(true)
    }),
    { seed: SEED },
  )
})

test('P-15: a pointer escapes what RFC 6901 says', () => {
  expect(pointer([])).toBe('')
  expect(pointer(['a/b', 0, 'm~n', ''])).toBe('/a~1b/0/m~0n/')
})
