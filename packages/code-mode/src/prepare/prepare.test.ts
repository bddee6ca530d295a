/** Preparing programs: fences, shapes, types, refusals, and lines that stay where they were. */
import { expect, test } from 'vitest'
import { prepareProgram } from './prepare.ts'

async function valueOf(text: string): Promise<unknown> {
  const prepared = prepareProgram(text)
  if (!prepared.ok) throw new Error(prepared.error.message)
  // oxlint-disable-next-line no-eval -- what was prepared is run
  const indirect = globalThis.eval
  const make = indirect(`(function (tools) { return ${prepared.program.code}\n})`) as (tools: unknown) => () => Promise<unknown>
  return make({ add: async ({ a, b }: { a: number; b: number }) => a + b })()
}

function refusal(text: string): { message: string; line?: number; source?: string } {
  const prepared = prepareProgram(text)
  if (prepared.ok) throw new Error(`it was taken: ${prepared.program.code}`)
  expect(prepared.error.kind).toBe('syntax')
  return prepared.error
}

const FORMS: readonly [string, string, unknown][] = [
  ['a body that returns', 'return 1', 1],
  ['a trailing expression', 'const a = 1\na + 1', 2],
  ['a trailing expression and a comment', 'const a = 1; (a + 1) // two\n// end', 2],
  ['a trailing object in brackets', '({ a: 1 });', { a: 1 }],
  ['a trailing string', '"text"', 'text'],
  ['a trailing template', '`a${1}`', 'a1'],
  ['a trailing promise', 'tools.add({ a: 1, b: 2 })', 3],
  ['nothing to return', 'const a = 1', undefined],
  ['an arrow', 'async () => { return 4 }', 4],
  ['an arrow with an expression', '() => 4;', 4],
  ['an arrow that takes the tools', 'async ({ add }) => add({ a: 2, b: 2 })', 4],
  ['an arrow in brackets, with a comment', '// first\n(async () => 4) // last', 4],
  ['an anonymous function', 'async function () { return 4 }', 4],
  ['a named function alone', 'async function main() {\n  return 4\n}', 4],
  ['a fence', '```ts\nreturn 5\n```', 5],
  ['a fence with tildes and blanks', '\n  ~~~\nreturn 5\n~~~  \n', 5],
  ['a fence never closed', '```typescript\nreturn 5\n', 5],
  ['a template that holds a fence', 'const t = "```"; return t', '```'],
  ['windows lines', 'const a = 1\r\nreturn a', 1],
  ['types', 'const f = <T,>(x: T): T => x; let n: number | undefined; return f<number>(6)!', 6],
  ['type arguments that parse as comparisons', 'const f = (x) => x; return f<number>(6)', 6],
  ['a comparison in brackets', 'const a = 1; return (a < 2) > (0)', true],
  [
    'satisfies, as, interface, declare',
    'interface A { x: number }\ndeclare const y: A\nconst a = { x: 7 } satisfies A as A\nreturn a.x',
    7,
  ],
  [
    'words that are refused, as keys and in texts',
    'const o = { enum: 1, import: 2, require: 3, namespace: 4 }\n// import x\nreturn o.enum + o["import"] + "enum A {".length',
    11,
  ],
]

test.each(FORMS)('C-9: %s', async (_, text, expected) => {
  expect(await valueOf(text)).toEqual(expected)
})

const REFUSED: readonly [string, string, number][] = [
  ['import', 'const a = 1\nimport fs from "node:fs"', 2],
  ['import', 'import type { A } from "a"\nreturn 1', 1],
  ['import', 'return 1\nawait import("node:fs")', 2],
  ['import', 'const a: number = 1\nconst b = await import("x")', 2],
  ['import', 'return import.meta.url', 1],
  ['require', '\n\nrequire("fs")', 3],
  ['require', 'if (false) { (() => require("fs"))() }', 1],
  ['export', 'export const a = 1', 1],
  ['export', 'const a: number = 1\nexport default a', 2],
  ['enum', 'const a = 1\n\nenum Color { Red }', 3],
  ['enum', 'const enum Color { Red }', 1],
  ['enum', 'declare enum Color { Red }', 1],
  ['namespace', 'namespace N { export const a = 1 }', 1],
  ['namespace', 'declare namespace N.M { }', 1],
  ['namespace', 'module N { }', 1],
]

test.each(REFUSED)('C-9: %s is refused by name: %j', (word, text, line) => {
  const { message, line: told } = refusal(text)
  expect(message).toContain(`\`${word}\` is not available`)
  expect(told).toBe(line)
})

const BREAKOUTS = [
  '}); process.exit(1); (async function () {',
  '} } return 1 { {',
  '})\n//',
  'return 1 })(), (function () {',
  '`${',
  '/* ',
  '"',
  '}',
  '{',
  '*/ }); //',
  '<!-- })\nreturn 1',
  'let x = 1, y = {}\nx<!--y[`\n});globalThis.out=1;(async function(){//`]',
  'let x: number = 1, y: any = {}\nx<!--y[`\n});globalThis.out=1;(async function(){//`]',
  '--> x',
  'return 1 }\n, async function () {',
  '#!/usr/bin/node\nreturn 1',
  'super.x',
  'new.target',
]

test.each(BREAKOUTS)('C-9: a text that does not stand on its own cannot close the wrapper: %j', (text) => {
  refusal(text)
})

test('C-9: a syntax error tells the line inside the fence, and shows it', () => {
  expect(refusal('```ts\nconst a = 1\nconst = 2\n```')).toMatchObject({ line: 2, source: 'const = 2' })
  expect(refusal('const a: number = 1\nconst b: = 2')).toMatchObject({ line: 2 })
  expect(refusal('   ').message).toBe('The program is empty.')
  expect(refusal(`${'('.repeat(100_000)}1`).message).not.toBe('')
})

test('C-9: no line is added or taken, whatever is stripped', () => {
  const texts = [
    'interface A {\n  x: 1\n}\ntype B =\n  | 1\n  | 2\nconst a = 1\na',
    'const f = (\n  x: number,\n): number =>\n  x\nf(1)',
    '() => {\n\n  return 1\n}',
  ]
  for (const text of texts) {
    const prepared = prepareProgram(text)
    if (!prepared.ok) throw new Error(prepared.error.message)
    const lines = prepared.program.code.split('\n')
    for (const [at, line] of text.split('\n').entries()) {
      const first = /[a-z]{2,} \w+ =/.exec(line)?.[0]
      if (first?.startsWith('const') === true) expect(lines[at]).toContain(first)
    }
    expect(lines.length - text.split('\n').length).toBeLessThanOrEqual(2)
  }
})

test.each(['Here it is:\n\n```typescript\nreturn 7\n```\n\nThis returns 7.', '```ts\nreturn 7\n```\nDone.', 'Sure:\n```js\nreturn 7\n```'])(
  'C-9: prose around the one fenced block is left out: %j',
  (text) => {
    const prepared = prepareProgram(text)
    expect(prepared.ok && prepared.program.source).toBe('return 7')
  },
)

test('C-9: two fenced blocks are not one program', () => {
  expect(prepareProgram('```js\n1\n```\nand\n```js\n2\n```').ok).toBe(false)
})

test.each([
  ['{ a: 1, b: 2 }', { a: 1, b: 2 }],
  ['const a = 1\nconst b: number = 2\n{ a, b }', { a: 1, b: 2 }],
  ['const a = 1\n{ const b = 2; a + b }', undefined],
  ['{}', undefined],
])('C-9: an object at the end is a value though it reads as a block: %j', async (text, value) => {
  const prepared = prepareProgram(text)
  if (!prepared.ok) throw new Error(prepared.error.message)
  // oxlint-disable-next-line no-eval -- a program of ours
  const program: () => Promise<unknown> = (0, eval)(prepared.program.code)
  expect(await program()).toEqual(value)
})
