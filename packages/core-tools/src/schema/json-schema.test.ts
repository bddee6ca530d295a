import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonIssue } from '../contracts/json.ts'
import { parseJsonText, snapshotJson } from '../json/snapshot.ts'
import { compileSchema } from './compile.ts'

async function issuesOf(schema: unknown, value: unknown): Promise<readonly JsonIssue[]> {
  const snapshot = snapshotJson(value)
  if (!snapshot.ok) throw new Error('not JSON')
  const validation = await compileSchema(schema).validate(snapshot.value)
  return validation.ok ? [] : validation.issues
}

function refusalOf(schema: unknown): string {
  try {
    compileSchema(schema, { field: 'input' })
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
  throw new Error('was not refused')
}

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

describe('violations', () => {
  test('P-15: every violation is listed with its pointer', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, list: { type: 'array', items: { type: 'number', minimum: 0 } }, 'a/b': { type: 'boolean' } },
      required: ['name', 'size'],
      additionalProperties: false,
    }
    const issues = await issuesOf(schema, { name: 5, list: [1, 'two', -3], 'a/b': 0, colour: 'red' })
    expect(issues.map(({ path }) => path).toSorted()).toEqual(['', '', '/a~1b', '/list/1', '/list/2', '/name'])
    const messages = issues.map(({ message }) => message).join('\n')
    expect(messages).toContain("'size'")
    expect(messages).toContain('"colour"')
  })

  test('P-15: unevaluated properties, enum and const name what they are about', async () => {
    const schema = { properties: { kind: { enum: ['a', 'b'] }, version: { const: 2 } }, unevaluatedProperties: false }
    const messages = (await issuesOf(schema, { kind: 'c', version: 1, extra: true })).map(({ message }) => message).join('\n')
    for (const named of ['"extra"', '"a", "b"', '2']) expect(messages).toContain(named)
  })

  test('P-14: nothing is coerced and no default is filled in', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' }, d: { type: 'number', default: 3 } } }
    expect(await issuesOf(schema, { n: '5' })).toHaveLength(1)
    const compiled = compileSchema(schema)
    const value = snapshotJson({ n: 5 })
    if (!value.ok) throw new Error('not JSON')
    const validation = compiled.validate(value.value)
    expect(validation).toEqual({ ok: true, value: { n: 5 }, changed: false })
  })

  test('P-85: a sync validator gives no promise', () => {
    expect(compileSchema({ type: 'string' }).validate('x')).toEqual({ ok: true, value: 'x', changed: false })
    expect(compileSchema({ type: 'string' }).validate(1)).toMatchObject({ ok: false })
  })

  test('P-14: constructor, toString and __proto__ are properties only where they are own', async () => {
    const parsed = parseJsonText(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__","constructor","toString"],"additionalProperties":false}',
    )
    if (!parsed.ok) throw new Error('not JSON')
    expect(await issuesOf(parsed.value, {})).toHaveLength(3)
    const wrong = await issuesOf(parsed.value, JSON.parse('{"__proto__":5,"constructor":"x","hasOwnProperty":1}'))
    expect(wrong.map(({ path }) => path).toSorted()).toEqual(['', '', '/__proto__', '/constructor'])
    const { required: _, ...optional } = parsed.value as { required: unknown }
    expect(await issuesOf(optional, JSON.parse('{"__proto__":"x","constructor":1}'))).toEqual([])
    expect(await issuesOf(optional, JSON.parse('{"__proto__":{"constructor":1}}'))).toHaveLength(1)
  })

  test('P-14: format is an annotation, an unknown one too', async () => {
    expect(await issuesOf({ type: 'string', format: 'email' }, 'no mail')).toEqual([])
    expect(await issuesOf({ type: 'string', format: 'never-heard-of' }, 'x')).toEqual([])
  })

  test('P-14: decimal multiples are what they are on paper', async () => {
    expect(await issuesOf({ multipleOf: 0.01 }, 19.99)).toEqual([])
    expect(await issuesOf({ multipleOf: 0.01 }, 19.995)).toHaveLength(1)
  })

  test('P-14: words that are no keywords of the dialect mean nothing', async () => {
    expect(await issuesOf({ type: 'string', nullable: true, id: 'x', $async: true, 'x-order': 3 }, null)).toHaveLength(1)
    expect(
      await issuesOf(
        { properties: { a: { nullable: true }, id: { type: 'string' }, nullable: { type: 'number' } } },
        { id: 'x', nullable: 1 },
      ),
    ).toEqual([])
  })
})

describe('dialects and references', () => {
  test('P-14: 2020-12 without a $schema, draft-07 where it says so', async () => {
    expect(await issuesOf({ prefixItems: [{ type: 'string' }], items: false }, ['a', 'b'])).toHaveLength(1)
    expect(
      await issuesOf({ $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] }, [1]),
    ).toHaveLength(1)
    expect(await issuesOf({ $schema: DRAFT_07, items: [{ type: 'string' }], additionalItems: false }, ['a', 'b'])).toHaveLength(1)
    expect(refusalOf({ items: [{ type: 'string' }] })).toContain('/items')
  })

  test.each([
    ['http://json-schema.org/draft-04/schema#'],
    ['https://json-schema.org/draft/2019-09/schema'],
    ['https://example.com/mine'],
    [7],
    [''],
  ])('P-14: the dialect %j is refused', ($schema) => {
    expect(refusalOf({ $schema })).toContain('$schema')
  })

  test('P-14: a part in another dialect is refused', () => {
    expect(refusalOf({ properties: { a: { $schema: DRAFT_07 } } })).toContain('mixes dialects')
  })

  test('P-14: references resolve inside the document: pointer, anchor, relative $id', async () => {
    expect(await issuesOf({ $ref: '#/$defs/word', $defs: { word: { type: 'string' } } }, 1)).toHaveLength(1)
    expect(await issuesOf({ $ref: '#word', $defs: { word: { $anchor: 'word', type: 'string' } } }, 1)).toHaveLength(1)
    const relative = { $id: 'https://example.com/root', $ref: 'word', $defs: { word: { $id: 'word', type: 'string' } } }
    expect(await issuesOf(relative, 1)).toHaveLength(1)
    const tree = { type: 'object', properties: { child: { $ref: '#' } }, additionalProperties: false }
    expect(await issuesOf(tree, { child: { child: { leaf: 1 } } })).toMatchObject([{ path: '/child/child' }])
  })

  test.each([
    ['https://example.com/other.json'],
    ['other.json'],
    ['#/$defs/nowhere'],
    ['#nowhere'],
    ['http://json-schema.org/draft-07/schema#'],
    ['https://json-schema.org/draft/2020-12/schema'],
  ])('P-14: the reference %s that leads out of the document is refused', ($ref) => {
    expect(refusalOf({ $ref })).toContain('$ref')
    expect(refusalOf({ properties: { deep: { items: { $ref } } } })).toContain('$ref')
    expect(refusalOf({ type: 'object', $defs: { unused: { $ref } } })).toContain('$ref')
  })

  test('P-14: equal $id in two tools do not clash, and one does not see the parts of the other', async () => {
    const $id = 'https://example.com/shared'
    expect(await issuesOf({ $id, type: 'string', $defs: { part: { $id: 'part', type: 'number' } } }, 'x')).toEqual([])
    expect(await issuesOf({ $id, type: 'number' }, 1)).toEqual([])
    expect(refusalOf({ $ref: 'https://example.com/part' })).toContain('$ref')
  })
})

describe('refusals at registration', () => {
  test.each<[string, unknown, string]>([
    ['an unknown type', { type: 'strin' }, '/type'],
    ['an unknown type deep inside', { properties: { a: { items: { type: 'int' } } } }, '/properties/a/items/type'],
    ['properties that are no object', { properties: 5 }, '/properties'],
    ['required that is no list', { required: 'name' }, '/required'],
    ['a minimum that is no number', { minimum: '5' }, '/minimum'],
    ['a negative length', { minLength: -1 }, '/minLength'],
    ['a pattern that is no regular expression', { pattern: '[' }, 'regular expression'],
    ['a bad pattern in a definition nobody uses', { $defs: { a: { pattern: '(' } } }, 'regular expression'],
    ['an enum that is no list', { enum: 'a' }, '/enum'],
    ['a schema that refers to itself only', { $ref: '#' }, 'without end'],
    ['a circle of references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 'without end'],
    ['true', true, 'JSON Schema object'],
    ['a list', [], 'JSON Schema object'],
    ['a string', 'string', 'JSON Schema object'],
    ['null', null, 'JSON Schema object'],
    ['undefined', undefined, 'not JSON'],
    ['a function', () => true, 'not JSON'],
    ['a Date', new Date(0), 'Date'],
    ['a bigint inside', { const: 1n }, '/const'],
  ])('P-14: %s is refused', (_, schema, named) => {
    const message = refusalOf(schema)
    expect(message).toMatch(/^input /)
    expect(message).toContain(named)
  })

  test('P-14: a cyclic object, 10 000 levels and a throwing getter are refused, not an overflow', () => {
    const cyclic: { [key: string]: unknown } = {}
    cyclic['not'] = cyclic
    expect(refusalOf(cyclic)).toContain('refers back')
    let deep: object = {}
    for (let level = 0; level < 10_000; level++) deep = { properties: { a: deep } }
    expect(refusalOf(deep)).toContain('deeper than')
    const hostile = {
      get type(): never {
        throw new Error('no entry')
      },
    }
    expect(refusalOf(hostile)).toContain('no entry')
  })

  test('P-14: a schema of hundreds of levels and a recursive one hold against deep values', async () => {
    let deep: object = { type: 'string' }
    for (let level = 0; level < 200; level++) deep = { properties: { a: deep } }
    expect(await issuesOf(deep, {})).toEqual([])
    let value: object = { leaf: 1 }
    for (let level = 0; level < 500; level++) value = { child: value }
    const tree = { properties: { child: { $ref: '#' } }, additionalProperties: false }
    expect(await issuesOf(tree, value)).toHaveLength(1)
  })

  test('P-14: unknown keywords and marks of schema libraries are tolerated', async () => {
    expect(await issuesOf({ [Symbol('kind')]: 'String', type: 'string', 'x-hint': 1 }, 'x')).toEqual([])
    expect(await issuesOf({ type: 'string', pattern: '^[\\w-.]+$' }, 'a-b.c')).toEqual([])
  })

  test('P-4: the JSON Schema that is kept is a frozen copy', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const { jsonSchema, kept } = compileSchema(schema)
    schema.properties.a.type = 'number'
    expect(jsonSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
    expect(Object.isFrozen(jsonSchema['properties'])).toBe(true)
    expect(kept).toBe(jsonSchema)
  })

  test('P-14: any JSON object is compiled or refused with a message (property)', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      '$ref',
      'required',
      'enum',
      'pattern',
      '$id',
      'allOf',
      'minimum',
      '$schema',
      '$defs',
    )
    const schema = fc.dictionary(
      keyword,
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom<unknown>('string', '#', {}, [{}], ['object'])),
      { maxKeys: 4 },
    )
    fc.assert(
      fc.property(schema, (given) => {
        try {
          compileSchema(given, { field: 'input' })
        } catch (thrown) {
          expect(String(thrown)).toMatch(/^Error: input /)
        }
      }),
      { numRuns: 150, seed: 20_26 },
    )
  })
})
