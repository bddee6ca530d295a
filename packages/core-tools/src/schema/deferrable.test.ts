import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../contracts/json.ts'
import { compileSchema } from './compile.ts'
import { isDeferrable } from './deferrable.ts'
import { createAjv } from './dialect.ts'
import { normaliseSchema } from './normalise.ts'

const { schema } = fc.letrec<{ schema: JsonObject; value: JsonValue }>((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, fc.string(), fc.integer(), fc.boolean(), fc.constant(null)) as fc.Arbitrary<JsonValue>,
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constant({}),
    fc.record(
      {
        type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object'),
        description: fc.string(),
        enum: fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
        const: tie('value'),
        minimum: fc.integer(),
        maxLength: fc.nat(),
        pattern: fc.constantFrom('^a+$', '[\\-x]', '\\p{L}', '\\d{2}'),
        format: fc.string(),
        required: fc.uniqueArray(fc.constantFrom('a', 'b', '__proto__', 'constructor'), { maxLength: 3 }),
        properties: fc.dictionary(fc.constantFrom('a', 'b', '$ref', 'constructor'), tie('schema'), { maxKeys: 3 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        items: tie('schema'),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        not: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ) as fc.Arbitrary<JsonObject>,
}))

test('P-14: what is deferred always compiles, and judges as what is compiled at once (property)', () => {
  fc.assert(
    fc.property(schema, fc.array(fc.jsonValue(), { maxLength: 5 }), (document, values) => {
      if (!isDeferrable(document)) return
      const check = createAjv('2020-12').compile(normaliseSchema(document, '2020-12'))
      const { validate } = compileSchema(document)
      for (const value of values as JsonValue[]) expect((validate(value) as { ok: boolean }).ok).toBe(check(value))
    }),
    { numRuns: 300, seed: 14 },
  )
})

test.each<[string, JsonObject]>([
  ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }],
  ['an id', { $id: 'https://x.invalid/a' }],
  ['a bad pattern', { pattern: '(' }],
  ['an empty enum', { enum: [] }],
  ['a keyword it does not know', { nullable: true }],
  ['a reference deep inside', { properties: { a: { items: { anyOf: [{ $ref: '#' }] } } } }],
])('P-14: %s is compiled at registration', (_, document) => {
  expect(isDeferrable(document)).toBe(false)
})

test('P-14: a property of any name is not a keyword', () => {
  expect(isDeferrable({ type: 'object', properties: { $ref: { type: 'string' }, pattern: { type: 'string' } } })).toBe(true)
})
