/** The SDK text: what it says, and that it compiles whatever the schemas are. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonSchema } from '@toolseam/core-tools'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderSdk, type SdkTool } from '../src/index.ts'

const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
const tool = (name: string, input: JsonSchema, more: Partial<SdkTool> = {}): SdkTool => ({
  name,
  description: `Does ${name}.`,
  input,
  ...more,
})

test('C-19: types, optional members, unions, tuples, recursion, hostile names and comments', () => {
  const tree: JsonSchema = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/node' } },
    required: ['root'],
    $defs: { node: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
  }
  const strange: JsonSchema = {
    type: 'object',
    properties: {
      __proto__x: { const: 'a*/b' },
      'with space"': { enum: ['x', 1, null, true] },
      new: { type: ['string', 'null'], description: 'ends */ here\nand goes on' },
      tuple: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 1 },
      map: { type: 'object', additionalProperties: { type: 'number' } },
      never: false,
      both: {
        allOf: [
          { type: 'object', properties: { a: {} } },
          { type: 'object', properties: { b: {} }, required: ['b'] },
        ],
      },
      loop: { $ref: '#' },
      away: { $ref: 'https://example.com/x' },
    },
  }
  const text = renderSdk([
    tool('zeta', tree),
    tool('__proto__', strange, { description: 'Closes */ declare const x: 1 /* here' }),
    tool('a-b', {}, { output: { type: 'string' }, path: 'srv.b' }),
  ])
  expect(text).toMatchSnapshot()
})

test('C-19: sorted by name, the same bytes in any order', () => {
  const tools = ['b', 'a', 'C', '_'].map((name) => tool(name, {}))
  expect(renderSdk(tools)).toBe(renderSdk(tools.toReversed()))
})

test('C-19: a schema 10 000 deep does not overflow the stack', () => {
  let schema: JsonSchema = { type: 'string' }
  for (let depth = 0; depth < 10_000; depth += 1) schema = { type: 'array', items: schema }
  expect(renderSdk([tool('deep', schema)])).toContain('unknown')
})

test('C-19: 500 random schemas compile under tsc --strict', { timeout: 120_000 }, () => {
  const name = fc.oneof(
    fc.constantFrom('a', 'b', 'new', '__proto__', 'constructor', 'x-y', '"', '*/', 'type', '\u2028', ''),
    fc.string({ maxLength: 6 }),
  )
  const { schema } = fc.letrec<{ schema: JsonSchema | boolean }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<JsonSchema | boolean>(
        true,
        false,
        {},
        { type: 'string' },
        { type: 'integer' },
        { type: 'null' },
        { type: ['string', 'object'] },
        { $ref: '#' },
        { $ref: '#/$defs/one' },
        { $ref: '#/$defs/two' },
        { $ref: '#/none' },
      ),
      fc.record({ const: fc.jsonValue() }),
      fc.record({ enum: fc.array(fc.jsonValue(), { maxLength: 3 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), type: fc.constantFrom('object', 'string') }),
      fc.record({ allOf: fc.array(tie('schema'), { maxLength: 3 }) }),
      fc.record(
        { type: fc.constant('array'), items: tie('schema'), prefixItems: fc.array(tie('schema'), { maxLength: 2 }), minItems: fc.nat(3) },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        {
          type: fc.constant('object'),
          description: fc.string(),
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 4 }),
          required: fc.array(name, { maxLength: 3 }),
          additionalProperties: tie('schema'),
        },
        { requiredKeys: ['type'] },
      ),
    ),
  }))
  const whole = fc
    .tuple(schema, schema, schema)
    .map(([root, one, two]): JsonSchema => ({ ...(typeof root === 'object' ? root : {}), $defs: { one, two } }))
  const schemas = fc.sample(fc.tuple(whole, whole, fc.string()), { numRuns: 500, seed: 20_26 })
  const folder = mkdtempSync(join(tmpdir(), 'toolseam-sdk-'))
  try {
    const text = renderSdk(
      schemas.map(([input, output, description], at) => tool(`t${at}`, input, { output, description: `x${description}` })),
    )
    writeFileSync(join(folder, 'sdk.d.ts'), text)
    writeFileSync(join(folder, 'sdk.ts'), `export {}\n${text}\nvoid tools.$search("x").then((page) => page.results[0]?.name)\n`)
    execFileSync(tsc, ['--strict', '--noEmit', '--target', 'es2023', '--types', '', 'sdk.ts'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  } catch (error) {
    throw new Error(String((error as { stdout?: string }).stdout ?? error).slice(0, 3000), { cause: error })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
