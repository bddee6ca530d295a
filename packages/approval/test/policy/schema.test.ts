/**
 * The published JSON Schema and the checks of the code say the same.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { checkFile } from '../../src/policy/check-file.ts'

const folder = join(import.meta.dirname, '../..')
const schema = JSON.parse(readFileSync(join(folder, 'schema/toolseam.policy.schema.json'), 'utf8')) as object
const validate = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true }).compile(schema)

const full = {
  $schema: './node_modules/@toolseam/approval/schema/toolseam.policy.schema.json',
  version: 1,
  preset: 'read-only',
  allow: ['bash(git status)', 'mcp__db', 'Read(./**)', '*'],
  ask: [],
  deny: ['fetch(domain:*.example)'],
  rules: [
    {
      id: 'a',
      tool: 'deploy',
      command: 'x',
      path: './x',
      domain: 'a.example',
      args: { '/env': 'prod', '/n': { in: [1, 2] }, '/s': { glob: 'a*' }, '': {} },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      caller: { kind: 'subagent', agent: 'b', inherit: true },
      decision: 'ask',
      reason: 'why',
      remember: 'none',
      expires: '2030-01-01T00:00:00Z',
      grantedBy: 'u',
      grantedAt: '2029-01-01',
      examples: { match: ['x', { tool: 'deploy', arguments: {} }], notMatch: [] },
    },
  ],
  tests: [
    {
      call: { tool: 'bash', arguments: { command: 'x' }, agent: 'a', caller: 'mcp', view: { title: 'x', kind: 'execute' } },
      decision: 'deny',
    },
  ],
  askExpiresMs: 1000,
  later: ['soon'],
  projectTrust: 'never',
}

describe('A-33: the published schema', () => {
  test('A-33: takes a file with everything in it, as the code does', () => {
    expect(validate(full), JSON.stringify(validate.errors)).toBe(true)
    expect(checkFile(full, 'user').ok).toBe(true)
  })

  const rule = { id: 'a', tool: 'b', decision: 'ask' }
  test.each<[string, unknown]>([
    ['no object', []],
    ['no version', {}],
    ['another version', { version: 2 }],
    ['an unknown key', { version: 1, x: 1 }],
    ['a wrong list', { version: 1, allow: 'x' }],
    ['a wrong item', { version: 1, deny: [1] }],
    ['an empty text', { version: 1, later: [''] }],
    ['a wrong preset', { version: 1, preset: 'x' }],
    ['a wrong duration', { version: 1, askExpiresMs: 0 }],
    ['a fraction of a duration', { version: 1, askExpiresMs: 1.5 }],
    ['a rule without an id', { version: 1, rules: [{ tool: 'b', decision: 'ask' }] }],
    ['an unknown key of a rule', { version: 1, rules: [{ ...rule, x: 1 }] }],
    ['a wrong verb', { version: 1, rules: [{ ...rule, decision: 'x' }] }],
    ['a wrong scope', { version: 1, rules: [{ ...rule, remember: 'x' }] }],
    ['a wrong date', { version: 1, rules: [{ ...rule, expires: 'soon' }] }],
    ['a wrong pointer', { version: 1, rules: [{ ...rule, args: { x: 1 } }] }],
    ['a wrong hint', { version: 1, rules: [{ ...rule, annotations: { readOnlyHint: 1 } }] }],
    ['an unknown hint', { version: 1, rules: [{ ...rule, annotations: { x: true } }] }],
    ['a wrong caller', { version: 1, rules: [{ ...rule, caller: { kind: 'x' } }] }],
    ['a wrong example', { version: 1, rules: [{ ...rule, examples: { match: [1] } }] }],
    ['a test without a decision', { version: 1, tests: [{ call: { tool: 'x' } }] }],
    ['a test without a tool', { version: 1, tests: [{ call: {}, decision: 'ask' }] }],
    ['a view without a title', { version: 1, tests: [{ call: { tool: 'x', view: { kind: 'other' } }, decision: 'ask' }] }],
    ['a wrong projectTrust', { version: 1, projectTrust: 'x' }],
  ])('A-33: both refuse %s', (_name, value) => {
    expect(validate(value)).toBe(false)
    expect(checkFile(value, 'user').ok).toBe(false)
  })

  test('A-33: is published with the package', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      files: string[]
      exports: { [key: string]: unknown }
    }
    expect(manifest.files).toContain('schema')
    expect(manifest.exports['./schema/toolseam.policy.schema.json']).toBe('./schema/toolseam.policy.schema.json')
  })
})
