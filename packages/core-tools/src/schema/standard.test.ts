import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { JsonValue } from '../contracts/json.ts'
import { snapshotJson } from '../json/snapshot.ts'
import { compileSchema, type CompileOptions } from './compile.ts'

function json(value: unknown): JsonValue {
  const snapshot = snapshotJson(value)
  if (!snapshot.ok) throw new Error('not JSON')
  return snapshot.value
}

function scripted(validate: (value: unknown) => unknown, extra: object = {}): { schema: object; jsonSchema: object } {
  return { schema: { '~standard': { version: 1, vendor: 'scripted', validate, ...extra } }, jsonSchema: { type: 'object' } }
}

function refusalOf(schema: unknown, options: CompileOptions = {}): string {
  try {
    compileSchema(schema, { field: 'input', ...options })
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
  throw new Error('was not refused')
}

describe('libraries', () => {
  test('P-14: zod gives its output as typed input and its JSON Schema in both directions', () => {
    const schema = z.object({ when: z.string().transform((text) => new Date(text)), n: z.number().default(3) })
    const input = compileSchema(schema)
    expect(input.validate(json({ when: '2026-01-01' }))).toEqual({ ok: true, value: { when: new Date('2026-01-01'), n: 3 }, changed: true })
    expect(input.jsonSchema).toMatchObject({ required: ['when'] })
    expect(Object.isFrozen(input.jsonSchema)).toBe(true)
    expect(input.kept).toBe(schema)
    const output = compileSchema(z.object({ n: z.number().default(3) }), { direction: 'output' })
    expect(output.jsonSchema).toMatchObject({ required: ['n'] })
  })

  test('P-15: issues of zod and valibot become pointers', () => {
    const compiled = compileSchema(z.object({ list: z.array(z.object({ 'a/b': z.string() })), n: z.number() }))
    const validation = compiled.validate(json({ list: [{ 'a/b': 1 }] }))
    expect(validation).toMatchObject({ ok: false, issues: [{ path: '/list/0/a~1b' }, { path: '/n' }] })
    const schema = v.object({ list: v.array(v.number()) })
    const paired = compileSchema({ schema, jsonSchema: { type: 'object' } })
    expect(paired.validate(json({ list: [1, 'x'] }))).toMatchObject({ ok: false, issues: [{ path: '/list/1' }] })
    expect(paired.kept).toEqual({ schema, jsonSchema: { type: 'object' } })
    expect(Object.isFrozen(paired.kept)).toBe(true)
  })

  test('P-14: arktype, whose schemas are functions and write into what they parse, gets a copy of its own', () => {
    const compiled = compileSchema(type({ a: 'string', n: 'string.numeric.parse', d: 'number = 5' }))
    const given = json({ a: 'x', n: '5' })
    for (let round = 0; round < 2; round++) {
      expect(compiled.validate(given)).toEqual({ ok: true, value: { a: 'x', n: 5, d: 5 }, changed: true })
    }
    expect(given).toEqual({ a: 'x', n: '5' })
    expect(compiled.validate(json({ a: 1, n: 'x' }))).toMatchObject({ ok: false, issues: [{ path: '/a' }, { path: '/n' }] })
  })

  test('P-14: an unchanged value is told as such', () => {
    const given = json({ a: 'x' })
    expect(compileSchema(type({ a: 'string' })).validate(given)).toEqual({ ok: true, value: given, changed: false })
  })

  test('P-14: an async schema gives a promise, resolved or not', async () => {
    const compiled = compileSchema({
      schema: z.string().refine(async (text) => text === 'yes'),
      jsonSchema: { type: 'string' },
    })
    expect(await compiled.validate('yes')).toEqual({ ok: true, value: 'yes', changed: false })
    expect(await compiled.validate('no')).toMatchObject({ ok: false, issues: [{ path: '' }] })
    const rejecting = compileSchema(scripted(() => Promise.reject(new Error('offline'))))
    expect(await rejecting.validate({})).toMatchObject({ ok: false, issues: [{ message: 'the validator threw: offline' }] })
  })
})

describe('what may go wrong', () => {
  test('P-14: a validator that throws counts as a violation, whatever it throws', () => {
    for (const thrown of [new Error('broken'), new TypeError('broken'), 'broken', null, Object.create(null)]) {
      const compiled = compileSchema(
        scripted(() => {
          throw thrown
        }),
      )
      expect(compiled.validate(json({ a: 1 }))).toMatchObject({ ok: false, issues: [{ path: '' }] })
    }
  })

  test('P-14: an answer that is no result is a violation; a failure without issues is one', () => {
    for (const answer of [undefined, null, { issues: true }, { issues: [] }, { issues: [null] }]) {
      expect(compileSchema(scripted(() => answer)).validate({})).toMatchObject({ ok: false, issues: [{ path: '' }] })
    }
  })

  test('P-15: path segments may be objects with a key', () => {
    const answer = { issues: [{ message: 'bad', path: [{ key: 'a' }, 0, { key: Symbol('s') }] }] }
    expect(compileSchema(scripted(() => answer)).validate({})).toMatchObject({
      ok: false,
      issues: [{ path: '/a/0/Symbol(s)', message: 'bad' }],
    })
  })

  test('P-14: a Standard Schema without JSON Schema is refused and the way out named', () => {
    for (const schema of [v.object({}), z.object({ d: z.date() })]) expect(refusalOf(schema)).toContain('{ schema, jsonSchema }')
    expect(refusalOf(z.string().transform(Number), { direction: 'output' })).toContain('of its output')
  })

  test('P-14: what only looks like a Standard Schema is refused', () => {
    expect(refusalOf({ '~standard': 5 })).toContain('~standard')
    expect(refusalOf({ '~standard': { version: 2 } })).toContain('version 2')
    expect(refusalOf({ '~standard': { version: 1 } })).toContain('validate')
    const hostile = {
      get '~standard'(): never {
        throw new Error('no entry')
      },
    }
    expect(refusalOf(hostile)).toContain('no entry')
  })

  test('P-14: the JSON Schema beside a Standard Schema is checked like any other', () => {
    expect(refusalOf({ schema: v.string(), jsonSchema: { type: 'strin' } })).toContain('/type')
    expect(refusalOf({ schema: v.string(), jsonSchema: { $ref: 'https://example.com/x' } })).toContain('$ref')
  })

  test('P-14: a library that knows draft-07 only is asked for that', () => {
    const jsonSchema = {
      input({ target }: { target: string }): object {
        if (target !== 'draft-07') throw new Error('unknown target')
        return { $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' }
      },
    }
    const { schema } = scripted((value) => ({ value }), { jsonSchema })
    expect(compileSchema(schema).jsonSchema).toMatchObject({ type: 'string' })
  })
})
