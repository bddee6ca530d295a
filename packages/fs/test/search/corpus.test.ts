/**
 * The engines agree (test 49): ripgrep and the fallback on disk, and the fallback over a `FileSystem` in memory, on a corpus with ignore
 * files, odd names, encodings and long lines, and on patterns of every kind.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GlobQuery, GrepQuery, Search } from '../../src/definition/search.ts'
import { createMemoryFileSystem } from '../../src/providers/memory/index.ts'
import { createSearch } from '../../src/providers/search/create-search.ts'
import { createEngineSearch } from '../../src/search/engine-search.ts'
import { createFileSystemTree } from '../../src/search/file-system-tree.ts'
import { createTreeEngine } from '../../src/search/tree-engine.ts'
import { grepAll, plant, testGround, type TestGround } from './ground.ts'

const CORPUS: Record<string, string | Uint8Array> = {
  '.gitignore': '*.log\n/dist/\n!keep.log\nbuild/*\n!build/kept.txt\n# comment\n\\#odd\nspace\\ \n**/cache\ndocs/**/*.tmp\n',
  '.ignore': 'private.txt\n',
  'a.ts': 'export const foo = 1\nfunction bar() {\n  return foo + 2\n}\n',
  'b.tsx': 'foo\r\nbar foo\r\n\r\nbaz\r\n',
  'c.log': 'foo\n',
  'keep.log': 'foo\n',
  '#odd': 'foo\n',
  'space ': 'foo\n',
  'private.txt': 'foo\n',
  'src/private.txt': 'foo\n',
  'src/.gitignore': '!special.log\n/only-here.ts\n*.gen.ts\n',
  'src/special.log': 'foo in special\n',
  'src/only-here.ts': 'foo\n',
  'src/deep/only-here.ts': 'foo deep\n',
  'src/deep/x.gen.ts': 'foo\n',
  'src/deep/cache/y.ts': 'foo\n',
  'src/[id]/page.tsx': 'foo page\n',
  'src/i/page.tsx': 'foo other page\n',
  'dist/out.js': 'foo\n',
  'src/dist/out.js': 'foo dist below\n',
  'build/made.txt': 'foo\n',
  'build/kept.txt': 'foo kept\n',
  'docs/a/b/c.tmp': 'foo\n',
  'docs/c.tmp': 'foo\n',
  'docs/c.md': '# foo\n\nfoo bar\nBar FOO\n',
  '.hidden/file.txt': 'foo hidden\n',
  '.git/HEAD': 'foo\n',
  '.git/info/exclude': 'excluded.txt\n',
  'excluded.txt': 'foo\n',
  'utf8.txt': 'grüße foo\n日本語 foo 𝒳\nnaïve café\n',
  'latin1.txt': Buffer.from('caf\xe9 foo\nna\xefve\n', 'latin1'),
  'utf16.txt': Buffer.from('\uFEFFwide foo\nzweite ü foo\n', 'utf16le'),
  'bom.txt': '\uFEFFfoo at start\nfoo\n',
  'bin.dat': Buffer.from('foo\0foo\n'),
  'empty.txt': '',
  'noeol.txt': 'last foo',
  'long.txt': `${'x'.repeat(700)} foo ${'y'.repeat(700)}\nshort foo\n${'é'.repeat(300)}foo\n`,
  'new\nline.txt': 'foo\n',
  'we: ird.txt': 'foo\n',
  'numbers.txt': '1\n22\n333\nfoo 4\n\n\nfoo\nfoo\n7\n8\n',
}

const GREPS: GrepQuery[] = [
  { pattern: 'foo' },
  { pattern: 'FOO', ignoreCase: true },
  { pattern: 'foo', includeIgnored: true },
  { pattern: 'foo', path: 'src' },
  { pattern: 'foo', path: 'src/deep' },
  { pattern: 'foo', path: 'dist' },
  { pattern: 'foo', path: 'build' },
  { pattern: 'foo', path: 'docs' },
  { pattern: 'foo', path: '.git' },
  { pattern: 'foo', path: 'c.log' },
  { pattern: 'foo', path: 'utf16.txt' },
  { pattern: 'foo', mode: 'files' },
  { pattern: 'foo', mode: 'count' },
  { pattern: 'foo', before: 2, after: 1 },
  { pattern: '^$', path: 'numbers.txt', before: 1, after: 2 },
  { pattern: 'foo$' },
  { pattern: '^foo' },
  { pattern: '\\bfoo\\b' },
  { pattern: '\\w+\\s+foo' },
  { pattern: '\\d{2,3}' },
  { pattern: '[[:digit:]]+' },
  { pattern: '[^a-z\\s]foo' },
  { pattern: '(?i)bar' },
  { pattern: '\\p{Lu}' },
  { pattern: '.ü' },
  { pattern: '[é-ü]+' },
  { pattern: 'f(o)+|ba[rz]' },
  { pattern: '(?P<word>foo)' },
  { pattern: 'foo = 1', fixed: true },
  { pattern: 'bar() {', fixed: true },
  { pattern: 'foo\\n', multiline: true },
  { pattern: 'foo\\nfoo', multiline: true, path: 'numbers.txt' },
  { pattern: 'function[\\s\\S]*?return', multiline: true },
  { pattern: 'foo', include: '*.ts' },
  { pattern: 'foo', include: ['*.{ts,tsx}', '!*page*'] },
  { pattern: 'foo', include: 'src/**/*.tsx' },
  { pattern: 'foo', include: '[a-c].*' },
  { pattern: 'foo', include: 'docs/' },
  { pattern: 'x{2}|y{3,}' },
  { pattern: '日本.' },
  { pattern: '\\x66oo' },
  { pattern: '𝒳' },
  { pattern: '\\u{1d4b3}' },
  { pattern: '[a-z&&[^f]]oo' },
  { pattern: '[[:nope:]]o' },
  { pattern: 'foo|' },
]

const GLOBS: GlobQuery[] = [
  '**',
  '*',
  '*.ts',
  '**/*.ts',
  'src/*',
  'src/**',
  'src/**/*.tsx',
  'src/[id]/*',
  'src/[ij]/*',
  '**/[id]/page.tsx',
  '*.{ts,tsx}',
  '.*',
  '.hidden/**',
  '**/*.log',
  'a.ts',
  './a.ts',
  'src',
  'docs/?.md',
  'docs/*/',
  'we: ird.txt',
  '\\#odd',
  '#odd',
  '!a.ts',
  'n?w*line.txt',
  '*.[tj]s*',
  '[!a-z]*',
  'space ',
  '{a,b}.ts{,x}',
  '**/only-here.ts',
].map((pattern) => ({ pattern, order: 'path' as const, limit: 1000 }))

const REFUSED = ['(', '[z-a]', 'a{', '\\', '(?=a)', '\\1', 'a\\nb', '*a', '[', '\\q']

describe('one corpus', () => {
  let ground: TestGround
  let engines: { ripgrep: Search; js: Search; memory: Search }
  beforeAll(async () => {
    ground = testGround()
    await plant(ground.root, CORPUS)
    const parts = { ground, roots: [ground.root] }
    const tree = createFileSystemTree(createMemoryFileSystem({ files: CORPUS }))
    engines = {
      ripgrep: createSearch({ ...parts, engine: 'ripgrep' }),
      js: createSearch({ ...parts, engine: 'js' }),
      memory: createEngineSearch(createTreeEngine(tree)),
    }
  })
  afterAll(() => ground.remove())

  const lines = async (search: Search, query: GrepQuery): Promise<unknown> => {
    const { hits, files, total, truncated } = await grepAll(search, { limit: 1000, ...query })
    return { hits, files, total, truncated }
  }

  test.each(GREPS.map((query) => [JSON.stringify(query), query] as const))('F-52: grep %s', async (_title, query) => {
    const expected = await lines(engines.ripgrep, query)
    expect(await lines(engines.js, query)).toEqual(expected)
    expect(await lines(engines.memory, query)).toEqual(expected)
  })

  test.each(GLOBS.map((query) => [query.pattern, query] as const))('F-54: glob %j', async (_title, query) => {
    for (const includeIgnored of [false, true]) {
      const { paths, total } = await engines.ripgrep.glob({ ...query, includeIgnored })
      expect(await engines.js.glob({ ...query, includeIgnored })).toMatchObject({ paths, total })
      expect(await engines.memory.glob({ ...query, includeIgnored })).toMatchObject({ paths, total })
    }
  })

  test.each(REFUSED)('F-53: the pattern %j is refused by all', async (pattern) => {
    for (const search of Object.values(engines)) {
      await expect(grepAll(search, { pattern })).rejects.toMatchObject({
        code: 'FS_INVALID_PATTERN',
        details: { reason: expect.stringMatching(/\w/) },
      })
    }
  })

  test('F-53: random patterns find the same lines', { timeout: 120_000 }, async () => {
    const atom = fc.constantFrom('f', 'o', 'a', '.', '\\w', '\\s', '\\d', '[a-f]', '[^o]', '(?:fo|ba)', 'é', 'ü', '\\b', '^', '$')
    const piece = fc
      .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{1,2}'))
      .map(([one, times]) => (/^(?:\\b|\^|\$)$/.test(one) ? one : one + times))
    const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(pattern, fc.boolean(), async (text, ignoreCase) => {
        const query = { pattern: text, ignoreCase, include: '!latin1.txt' }
        expect(await lines(engines.memory, query)).toEqual(await lines(engines.ripgrep, query))
      }),
      { numRuns: 60 },
    )
  })

  test('F-52: random ignore files leave out the same files', { timeout: 120_000 }, async () => {
    const name = fc.constantFrom('a', 'b', 'c.ts', 'd.log')
    const rule = fc
      .tuple(
        fc.constantFrom('', '', '!', '/'),
        fc.array(fc.oneof(name, fc.constantFrom('*', '**', '?', '*.ts', '[ab]')), { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '/'),
      )
      .map(([prefix, names, suffix]) => prefix + names.join('/') + suffix)
    const text = fc.array(rule, { maxLength: 4 }).map((rules) => `${rules.join('\n')}\n`)
    const tree = ['a/a/c.ts', 'a/b/d.log', 'a/c.ts', 'b/a/a', 'b/c.ts', 'b/b/b', 'c.ts', 'd.log', 'a/b/c.ts', 'b/a/d.log']
    await fc.assert(
      fc.asyncProperty(text, text, fc.constantFrom('.', 'a', 'b'), async (outer, inner, path) => {
        const files = { ...Object.fromEntries(tree.map((one) => [one, 'x\n'])), '.gitignore': outer, 'a/.gitignore': inner }
        const own = testGround()
        try {
          await plant(own.root, files)
          const query = { pattern: '**', path, order: 'path' } as const
          const parts = { ground: own, roots: [own.root] }
          const expected = (await createSearch({ ...parts, engine: 'js' }).glob(query)).paths
          expect((await createSearch({ ...parts, engine: 'ripgrep' }).glob(query)).paths).toEqual(expected)
        } finally {
          own.remove()
        }
      }),
      { numRuns: 150 },
    )
  })
})
