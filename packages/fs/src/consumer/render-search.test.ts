import { expect, test } from 'vitest'
import type { GrepHit } from '../definition/search.ts'
import { renderGlob, renderGrep, searchTitle } from './render-search.ts'
import type { GlobValue, GrepInput, GrepValue } from './search-values.ts'

const skipped = { ignored: true, binary: null, unreadable: [] }
const grep = (value: Partial<GrepValue>, input: Partial<GrepInput> = {}): string => {
  const { hits = [] } = value
  const whole = {
    hits,
    files: new Set(hits.map(({ path }) => path)).size,
    total: hits.length,
    truncated: false,
    engine: 'ripgrep',
    skipped,
    warnings: [],
    ...value,
  }
  const [block] = renderGrep(whole, { pattern: 'x', ...input })
  return block?.type === 'text' ? block.text : ''
}
const glob = (value: Partial<GlobValue>): string => {
  const { paths = [] } = value
  const [block] = renderGlob(
    { paths, total: paths.length, truncated: false, engine: 'ripgrep', skipped, notes: [], ...value },
    { pattern: '*' },
  )
  return block?.type === 'text' ? block.text : ''
}
const hit = (path: string, line: number, text: string, more: Partial<GrepHit> = {}): GrepHit => ({ path, line, column: 1, text, ...more })

test('F-71: hits as path:line:column: text, then what was found and what was not searched', () => {
  expect(grep({ hits: [hit('src/a.ts', 3, 'const x = 1', { column: 7 }), hit('b\nc.ts', 1, 'tab\tand\rcontrol')] })).toMatchInlineSnapshot(`
    "src/a.ts:3:7: const x = 1
    "b\\nc.ts":1:1: tab	and\\rcontrol
    [2 hits in 2 files]
    [not searched: ignored files, binary files]"
  `)
})

test('F-55: no hit is said, with what was not searched', () => {
  expect(grep({})).toMatchInlineSnapshot(`
    "[no hits]
    [not searched: ignored files, binary files]"
  `)
  expect(grep({ skipped: { ignored: false, binary: 2, unreadable: ['deny', 'x\n'] } })).toMatchInlineSnapshot(`
    "[no hits]
    [not searched: 2 binary files]
    [could not be read: deny, "x\\n"]"
  `)
})

test('F-71: a cut line is marked on the cut sides', () => {
  const cut = (['left', 'right', 'both'] as const).map((side) => hit('a', 1, 'text', { cut: side }))
  expect(grep({ hits: cut })).toMatchInlineSnapshot(`
    "a:1:1: …text
    a:1:1: text…
    a:1:1: …text…
    [3 hits in 1 file]
    [not searched: ignored files, binary files]"
  `)
})

test('F-71: context lines stand around their hits, each once', () => {
  const hits = [
    hit('a', 3, 'hit 3', { before: ['line 2'], after: ['line 4'] }),
    hit('a', 5, 'hit 5', { before: ['line 4'], after: ['line 6'] }),
    hit('a', 20, 'hit 20', { before: ['line 19'], after: ['line 21'] }),
    hit('b', 1, 'hit b', { before: [], after: [] }),
  ]
  expect(grep({ hits }, { before: 1, after: 1 })).toMatchInlineSnapshot(`
    "a-2- line 2
    a:3:1: hit 3
    a-4- line 4
    a:5:1: hit 5
    a-6- line 6
    --
    a-19- line 19
    a:20:1: hit 20
    a-21- line 21
    --
    b:1:1: hit b
    [4 hits in 2 files]
    [not searched: ignored files, binary files]"
  `)
})

test('F-71: modes, limits, deadline, warnings', () => {
  expect(grep({ hits: [hit('a', 0, ''), hit('b', 0, '')] }, { mode: 'files' })).toMatchInlineSnapshot(`
    "a
    b
    [2 files]
    [not searched: ignored files, binary files]"
  `)
  expect(grep({ hits: [hit('a', 0, '', { count: 3 })], total: 3, warnings: ['a: changed during the search'] }, { mode: 'count' }))
    .toMatchInlineSnapshot(`
    "a: 3
    [3 hits in 1 file]
    [not searched: ignored files, binary files]
    [a: changed during the search]"
  `)
  expect(grep({ hits: [hit('a', 1, 'x')], truncated: true })).toContain('[1 hit in 1 file; stopped at the limit, there are more]')
  expect(grep({ hits: [hit('a', 1, 'x')], truncated: true, timedOut: true })).toContain(
    '[stopped when the time was up: the result is partial]',
  )
})

test('F-71: at most 32 KiB of hits are rendered, and it is said', () => {
  const text = grep({ hits: Array.from({ length: 1000 }, (_, at) => hit('path/of/a/file.ts', at + 1, 'y'.repeat(200))) })
  expect(Buffer.byteLength(text)).toBeLessThan(33 * 1024)
  expect(text).toMatch(/\[14\d of 1,000 hits in 1 file shown\]/)
})

test('F-71: paths of a glob', () => {
  expect(glob({ paths: ['b.ts', 'a\tb.ts'], total: 40 })).toMatchInlineSnapshot(`
    "b.ts
    "a\\tb.ts"
    [2 of 40 files shown, newest first]
    [not searched: ignored files]"
  `)
  expect(glob({})).toMatchInlineSnapshot(`
    "[no files]
    [not searched: ignored files]"
  `)
})

test('F-70: titles name pattern and place', () => {
  expect(searchTitle('Search', { pattern: 'a\nb', path: 'src' })).toBe('Search for a\\nb in src')
  expect(searchTitle('Find', { pattern: '*.ts' })).toBe('Find *.ts')
})
