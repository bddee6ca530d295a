import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readDefinition } from './read-definition.ts'

const services = { has: () => true }
const base = { name: 'tool_1', description: 'does it', input: { type: 'object' }, execute: () => null }

function refusal(definition: unknown): { code: string; message: string; details: { field?: string } } {
  try {
    readDefinition(definition, services)
  } catch (thrown) {
    return thrown as { code: string; message: string; details: { field?: string } }
  }
  throw new Error('was not refused')
}

describe('what is refused', () => {
  test.each([
    [''],
    ['with space'],
    ['ünïcode'],
    ['a.b'],
    ['a/b'],
    ['x'.repeat(65)],
    ['line\n'],
    [5],
    [null],
    [undefined],
    [{ toString: () => 'x' }],
  ])('P-2: the name %j', (name) => {
    const { code, details } = refusal({ ...base, name })
    expect([code, details.field]).toEqual(['INVALID_REGISTRATION', 'name'])
  })

  test.each<[string, object]>([
    ['description', { description: '' }],
    ['description', { description: '  \n' }],
    ['description', { description: undefined }],
    ['title', { title: 5 }],
    ['execute', { execute: 'run' }],
    ['execute', { execute: undefined }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: 1.5 }],
    ['timeoutMs', { timeoutMs: 2_147_483_648 }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: '100' }],
    ['timeoutMs', { timeoutMs: null }],
    ['input', { input: undefined }],
    ['input', { input: { type: 'strin' } }],
    ['input', { input: z.object({ when: z.date() }) }],
    ['output', { output: { $ref: 'https://example.com/x' } }],
    ['output', { output: null }],
    ['render', { render: 'text' }],
    ['meta', { meta: {} }],
    ['describeCall', { describeCall: {} }],
    ['finalizeContent', { finalizeContent: [] }],
    ['annotations', { annotations: { readOnlyHint: 'false' } }],
    ['annotations', { annotations: [] }],
    ['annotations', { annotations: { extra: () => 1 } }],
    ['source', { source: { server: 'x' } }],
    ['source', { source: { server: 'x', tool: 'y', trusted: 'yes' } }],
    ['requires', { requires: 'acme/x' }],
    ['requires', { requires: [{}] }],
  ])('P-2: %s in %j', (field, part) => {
    const { code, details, message } = refusal({ ...base, ...part })
    expect([code, details.field]).toEqual(['INVALID_REGISTRATION', field])
    expect(message).toContain('tool_1')
    expect(message).toContain(field)
  })

  test('P-2: what is no object, and a getter or trap that throws', () => {
    for (const definition of [null, undefined, 'tool', () => base]) expect(refusal(definition).code).toBe('INVALID_REGISTRATION')
    const hostile = {
      ...base,
      get timeoutMs(): never {
        throw new Error('no entry')
      },
    }
    expect(refusal(hostile)).toMatchObject({
      code: 'INVALID_REGISTRATION',
      details: { field: 'timeoutMs' },
      cause: { message: 'no entry' },
    })
    const { proxy, revoke } = Proxy.revocable(base, {})
    revoke()
    expect(refusal(proxy).code).toBe('INVALID_REGISTRATION')
  })

  test('P-2: the whole range of timeouts is taken, and odd concurrency is left for the call to judge', () => {
    for (const timeoutMs of [1, 2_147_483_647])
      expect(readDefinition({ ...base, timeoutMs }, services).definition.timeoutMs).toBe(timeoutMs)
    expect(() => readDefinition({ ...base, concurrency: 'sometimes' }, services)).not.toThrow()
    expect(() => readDefinition({ ...base, name: 'x'.repeat(64) }, services)).not.toThrow()
  })
})

describe('what is kept', () => {
  test('P-4: a frozen copy; changing the object later changes nothing', () => {
    const definition = {
      ...base,
      title: 'first',
      input: { type: 'object', properties: { a: { type: 'string' } } },
      annotations: { readOnlyHint: true },
      source: { server: 'srv', tool: 'orig' },
      requires: [{ id: 'acme/x' }],
      execute: () => 'first',
    }
    const { definition: kept, input, schemaView } = readDefinition(definition, services)
    definition.title = 'second'
    definition.input.properties.a.type = 'number'
    definition.annotations.readOnlyHint = false
    definition.source.tool = 'other'
    definition.requires.push({ id: 'acme/y' })
    definition.execute = () => 'second'
    expect(kept).toMatchObject({
      title: 'first',
      input: { properties: { a: { type: 'string' } } },
      annotations: { readOnlyHint: true },
      source: { tool: 'orig' },
      requires: [{ id: 'acme/x' }],
    })
    expect(kept.requires).toHaveLength(1)
    expect(Reflect.apply(kept.execute, kept, [{}, {}])).toBe('first')
    expect(input.validate({ a: 'x' })).toMatchObject({ ok: true })
    for (const part of [kept, kept.input, kept.annotations, kept.source, kept.requires, schemaView, schemaView.input])
      expect(Object.isFrozen(part)).toBe(true)
    expect(schemaView.title).toBe('first')
  })

  test('P-4: each field is read once', () => {
    const reads = new Map<string, number>()
    const counting = new Proxy(
      { ...base, output: { type: 'string' }, concurrency: 'parallel', render: () => [] },
      {
        get(target, key) {
          reads.set(String(key), (reads.get(String(key)) ?? 0) + 1)
          return Reflect.get(target, key)
        },
      },
    )
    readDefinition(counting, services)
    expect(Math.max(...reads.values())).toBe(1)
    for (const field of ['name', 'description', 'input', 'output', 'execute', 'timeoutMs', 'render']) expect(reads.get(field)).toBe(1)
  })

  test('P-4: methods of a plain definition find the frozen copy as this, with its other properties', () => {
    const definition = {
      ...base,
      prefix: 'a',
      execute() {
        return `${this.prefix}:${this.description}`
      },
    }
    const { definition: kept } = readDefinition(definition, services)
    definition.prefix = 'b'
    expect(Reflect.apply(kept.execute, kept, [])).toBe('a:does it')
  })

  test('P-4: an instance of a class works, with methods of its prototype and private state', () => {
    class Counter {
      readonly name = 'counter'
      readonly input = { type: 'object' }
      #count = 0
      get description(): string {
        return 'counts'
      }
      execute(): number {
        this.#count += 1
        return this.#count
      }
      render(count: number): { type: string; text: string }[] {
        return [{ type: 'text', text: `${count} of ${this.name}` }]
      }
    }
    class Child extends Counter {}
    const { definition: kept } = readDefinition(new Child(), services)
    expect(Object.isFrozen(kept)).toBe(true)
    expect(kept.description).toBe('counts')
    expect([Reflect.apply(kept.execute, kept, []), Reflect.apply(kept.execute, kept, [])]).toEqual([1, 2])
    expect(kept.render?.(2, {})).toEqual([{ type: 'text', text: '2 of counter' }])
  })

  test('P-14: Standard Schemas stay what they are, read in the direction they are used in', () => {
    const schema = z.object({ n: z.number().default(1) })
    const { definition, schemaView, input, output } = readDefinition({ ...base, input: schema, output: schema }, services)
    expect(definition.input).toBe(schema)
    expect(schemaView.input['required']).toBeUndefined()
    expect(schemaView.output?.['required']).toEqual(['n'])
    expect(input.validate({})).toEqual({ ok: true, value: { n: 1 }, changed: true })
    expect(output?.validate({ n: 'x' })).toMatchObject({ ok: false })
  })
})
