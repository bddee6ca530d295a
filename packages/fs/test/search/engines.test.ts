/**
 * Both engines on the local disk: each promise of glob and grep is held by ripgrep and by the fallback.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSearch, type SearchOptions } from '../../src/providers/search/create-search.ts'
import type { Search } from '../../src/definition/search.ts'
import { grepAll, plant, testGround, type TestGround } from './ground.ts'

const ENGINES = ['ripgrep', 'js'] as const

describe.each(ENGINES)('%s', (engine) => {
  let ground: TestGround
  let search: Search
  const make = (options: Partial<SearchOptions> = {}): Search => createSearch({ ground, roots: [ground.root], engine, ...options })
  const paths = async (query: Parameters<Search['grep']>[0]): Promise<string[]> =>
    (await grepAll(search, query)).hits.map((hit) => hit.path)

  beforeEach(() => {
    ground = testGround()
    search = make()
  })
  afterEach(() => ground.remove())

  describe('what is searched (FS-15)', () => {
    beforeEach(async () => {
      execFileSync('git', ['init', '-q', '.'], { cwd: ground.root })
      await plant(ground.root, {
        '.gitignore': 'dist/\n',
        'dist/a.txt': 'hitme\n',
        '.github/w.yml': 'hitme\n',
        'src/a.ts': 'hitme\n',
        'src/l1.txt': Buffer.from('caf\xe9 hitme\n', 'latin1'),
        'sub/.gitignore': '*.ts\n',
        'sub/b.ts': 'hitme\n',
        '.git/hidden.txt': 'hitme\n',
        '.toolseam/output/1.txt': 'hitme\n',
      })
    })

    test('F-52: ignored files, .git and .toolseam are skipped, hidden ones are not; invalid UTF-8 is a hit with a mark', async () => {
      const found = await grepAll(search, { pattern: 'hitme' })
      expect(found.hits.map((hit) => [hit.path, hit.text])).toEqual([
        ['.github/w.yml', 'hitme'],
        ['src/a.ts', 'hitme'],
        ['src/l1.txt', 'caf\uFFFD hitme'],
      ])
      expect(found).toMatchObject({ engine, total: 3, files: 3, truncated: false, skipped: { ignored: true, unreadable: [] } })
    })

    test.each([
      ['.github', ['.github/w.yml']],
      ['dist', ['dist/a.txt']],
      ['dist/a.txt', ['dist/a.txt']],
      ['.git', ['.git/hidden.txt']],
      ['.toolseam/output', ['.toolseam/output/1.txt']],
      ['sub', []],
      ['sub/b.ts', ['sub/b.ts']],
    ])('F-52: the path %s is searched although it is hidden or ignored', async (path, expected) => {
      expect(await paths({ pattern: 'hitme', path })).toEqual(expected)
    })

    test('F-52: includeIgnored searches what ignore files name, never .git or .toolseam', async () => {
      const found = await grepAll(search, { pattern: 'hitme', includeIgnored: true })
      expect(found.hits.map((hit) => hit.path)).toEqual(['.github/w.yml', 'dist/a.txt', 'src/a.ts', 'src/l1.txt', 'sub/b.ts'])
      expect(found.skipped.ignored).toBe(false)
    })

    test('F-53: an invalid pattern is refused with the reason', async () => {
      await expect(grepAll(search, { pattern: '(unclosed' })).rejects.toMatchObject({
        code: 'FS_INVALID_PATTERN',
        details: { pattern: '(unclosed', reason: expect.stringMatching(/group/) },
      })
    })

    test('F-54: the pattern of a glob does not override a nested ignore file', async () => {
      expect((await search.glob({ pattern: '**/*.ts' })).paths).toEqual(['src/a.ts'])
      expect((await search.glob({ pattern: '**/*.ts', includeIgnored: true, order: 'path' })).paths).toEqual(['src/a.ts', 'sub/b.ts'])
    })

    test('F-55: zero hits is success, and the result says that ignore rules were in force', async () => {
      expect(await grepAll(search, { pattern: 'nohit' })).toMatchObject({ hits: [], total: 0, skipped: { ignored: true } })
      expect(await search.glob({ pattern: '*.none' })).toMatchObject({ paths: [], total: 0, skipped: { ignored: true } })
    })
  })

  test('F-52: include patterns select files and do not override ignore files, exclusions and braces included', async () => {
    await plant(ground.root, {
      '.gitignore': 'gen/\n!keep.md\n',
      'a.ts': 'x\n',
      'b.tsx': 'x\n',
      'c.md': 'x\n',
      'keep.md': 'x\n',
      'deep/d.ts': 'x\n',
      'deep/d.test.ts': 'x\n',
      'gen/e.ts': 'x\n',
    })
    expect(await paths({ pattern: 'x', include: '*.ts' })).toEqual(['a.ts', 'deep/d.test.ts', 'deep/d.ts'])
    expect(await paths({ pattern: 'x', include: '*.{ts,tsx}' })).toEqual(['a.ts', 'b.tsx', 'deep/d.test.ts', 'deep/d.ts'])
    expect(await paths({ pattern: 'x', include: ['*.ts', '!*.test.ts'] })).toEqual(['a.ts', 'deep/d.ts'])
    expect(await paths({ pattern: 'x', include: '/*.ts' })).toEqual(['a.ts'])
    expect(await paths({ pattern: 'x', include: 'deep/**' })).toEqual(['deep/d.test.ts', 'deep/d.ts'])
    expect(await paths({ pattern: 'x', include: 'deep/' })).toEqual(['deep/d.test.ts', 'deep/d.ts'])
  })

  test('F-52: rules of outer ignore files hold in a searched subdirectory', async () => {
    await plant(ground.root, {
      '.gitignore': '*.log\n/pkg/out/\npkg/*/tmp\n!pkg/keep.log\n',
      'pkg/.ignore': 'secret.txt\n',
      'pkg/src/a.log': 'x\n',
      'pkg/src/a.txt': 'x\n',
      'pkg/src/secret.txt': 'x\n',
      'pkg/src/tmp/t.txt': 'x\n',
      'pkg/out/o.txt': 'x\n',
      'pkg/keep.log': 'x\n',
      'pkg/nested/.git/info/exclude': 'n.txt\n',
      'pkg/nested/n.txt': 'x\n',
      'pkg/nested/m.txt': 'x\n',
      'pkg/nested/secret.txt': 'x\n',
    })
    const all = ['pkg/keep.log', 'pkg/nested/m.txt', 'pkg/src/a.txt']
    expect(await paths({ pattern: 'x', include: '!.*' })).toEqual(all)
    expect(await paths({ pattern: 'x', path: 'pkg', include: '!.*' })).toEqual(all)
    expect(await paths({ pattern: 'x', path: 'pkg/src' })).toEqual(['pkg/src/a.txt'])
    expect(await paths({ pattern: 'x', path: 'pkg/nested' })).toEqual(['pkg/nested/m.txt'])
    expect(await paths({ pattern: 'x', path: 'pkg/out' })).toEqual(['pkg/out/o.txt'])
  })

  test('F-52: a directory whose whole content is ignored is searched when it is named', async () => {
    await plant(ground.root, { '.gitignore': 'build/*\n*.cache\n', 'build/a.js': 'x\n', 'build/b.cache': 'x\n' })
    expect(await paths({ pattern: 'x' })).toEqual([])
    expect(await paths({ pattern: 'x', path: 'build' })).toEqual(['build/a.js', 'build/b.cache'])
  })

  test('F-3: ignore files above the root are not read', async () => {
    await plant(ground.root, { '.gitignore': '*.txt\n', 'ws/a.txt': 'x\n' })
    const inner = createSearch({
      ground: {
        ...ground,
        walkDirectory: (path) => ground.walkDirectory(join(ground.root, 'ws', path)),
        walkPlace: (path) => ground.walkPlace(join(ground.root, 'ws', path)),
      },
      roots: [join(ground.root, 'ws')],
      engine,
    })
    expect((await grepAll(inner, { pattern: 'x', path: '.' })).hits).toHaveLength(1)
  })

  test('F-53: lines, columns in characters, context, and limits', async () => {
    await plant(ground.root, { 'a.txt': 'one\ntwo é hit\nthree\nfour\nhit\nsix\n', 'b.txt': 'hit' })
    const found = await grepAll(search, { pattern: 'hit', before: 1, after: 2 })
    expect(found.hits).toEqual([
      { path: 'a.txt', line: 2, column: 7, text: 'two é hit', before: ['one'], after: ['three', 'four'] },
      { path: 'a.txt', line: 5, column: 1, text: 'hit', before: ['four'], after: ['six'] },
      { path: 'b.txt', line: 1, column: 1, text: 'hit', before: [], after: [] },
    ])
    const few = await grepAll(search, { pattern: 'hit', limit: 2 })
    expect(few).toMatchObject({ total: 2, truncated: true })
    expect(few.hits).toHaveLength(2)
    expect(await grepAll(search, { pattern: 'hit', limit: 3 })).toMatchObject({ total: 3, truncated: false })
  })

  test('F-53: modes files and count', async () => {
    await plant(ground.root, { 'a.txt': 'hit hit\nhit\n', 'b.txt': 'hit\n', 'c.txt': 'no\n' })
    const files = await grepAll(search, { pattern: 'hit', mode: 'files' })
    expect(files.hits.map((hit) => hit.path)).toEqual(['a.txt', 'b.txt'])
    expect(files).toMatchObject({ files: 2, total: 2 })
    const counts = await grepAll(search, { pattern: 'hit', mode: 'count' })
    expect(counts.hits.map((hit) => [hit.path, hit.count])).toEqual([
      ['a.txt', 2],
      ['b.txt', 1],
    ])
    expect(counts).toMatchObject({ files: 2, total: 3 })
  })

  test('F-53: a long line is shown as a window of 250 bytes around the hit', async () => {
    await plant(ground.root, {
      'long.txt': `${'a'.repeat(20_000)}needle${'b'.repeat(20_000)}\nshort needle\n`,
      'end.txt': `${'é'.repeat(400)}needle`,
      'start.txt': `needle${'c'.repeat(600)}\r\n`,
      'edge.txt': `needle${'d'.repeat(494)}\n`,
    })
    const { hits } = await grepAll(search, { pattern: 'needle' })
    const shown = Object.fromEntries(hits.map((hit) => [`${hit.path}:${hit.line}`, hit]))
    expect(shown['long.txt:1']).toMatchObject({ column: 20_001, cut: 'both', text: expect.stringContaining('aneedleb') })
    expect(shown['long.txt:2']).toMatchObject({ text: 'short needle' })
    expect(shown['end.txt:1']).toMatchObject({ column: 401, cut: 'left', text: expect.stringMatching(/^é+needle$/) })
    expect(shown['start.txt:1']).toMatchObject({ column: 1, cut: 'right', text: `needle${'c'.repeat(244)}` })
    expect(shown['edge.txt:1']).toMatchObject({ text: `needle${'d'.repeat(494)}` })
    expect(shown['edge.txt:1']?.cut).toBeUndefined()
    for (const hit of hits) if (hit.cut !== undefined) expect(Buffer.byteLength(hit.text)).toBeLessThanOrEqual(250)
  })

  test('F-53: UTF-16, byte order marks, CRLF, multiline', async () => {
    await plant(ground.root, {
      'bom.txt': '\uFEFFhit bom\nsecond hit\n',
      'crlf.txt': 'x hit\r\nhit;\r\n',
      'le.txt': Buffer.from('\uFEFFab hit ü\nlast hit\n', 'utf16le'),
      'ml.txt': 'aone\ntwo\nthree\none\n',
    })
    const found = await grepAll(search, { pattern: 'hit' })
    expect(found.hits.map(({ path, line, column, text }) => `${path}:${line}:${column}: ${text}`)).toEqual([
      'bom.txt:1:1: hit bom',
      'bom.txt:2:8: second hit',
      'crlf.txt:1:3: x hit',
      'crlf.txt:2:1: hit;',
      'le.txt:1:4: ab hit ü',
      'le.txt:2:6: last hit',
    ])
    expect((await grepAll(search, { pattern: 'hit;$' })).total).toBe(1)
    const spanning = await grepAll(search, { pattern: 'one\\nt', multiline: true })
    expect(spanning.hits.map(({ line, text }) => [line, text])).toEqual([
      [1, 'aone'],
      [2, 'two'],
    ])
    await expect(grepAll(search, { pattern: 'one\\nt' })).rejects.toMatchObject({ code: 'FS_INVALID_PATTERN' })
  })

  test('F-53: fixed strings, case, patterns that begin with a dash', async () => {
    await plant(ground.root, { 'a.txt': 'f(x) [y]\nF(X) [Y]\n--flag\n' })
    expect((await grepAll(search, { pattern: 'f(x) [y]', fixed: true })).total).toBe(1)
    expect((await grepAll(search, { pattern: 'F(x) [y]', fixed: true, ignoreCase: true })).total).toBe(2)
    expect((await grepAll(search, { pattern: '--flag' })).total).toBe(1)
  })

  test('F-51: binary files are not searched, and said where the engine counts them', async () => {
    await plant(ground.root, { 'a.bin': 'hit\0hit\n', 'b.txt': 'hit\n' })
    const found = await grepAll(search, { pattern: 'hit' })
    expect(found.hits.map((hit) => hit.path)).toEqual(['b.txt'])
    expect(found.skipped.binary).toBe(engine === 'js' ? 1 : null)
    expect((await grepAll(search, { pattern: 'hit', path: 'a.bin' })).skipped.binary).toBe(1)
  })

  test('F-54: brackets mean themselves where the name exists; escapes and braces work', async () => {
    await plant(ground.root, {
      'app/[id]/page.tsx': '',
      'app/i/page.tsx': '',
      'app/d/page.tsx': '',
      'x/[slug]/y.ts': '',
      'x/s/y.ts': '',
      'z/s/y.ts': '',
      'star*.md': '',
      'start.md': '',
    })
    const glob = async (pattern: string): Promise<string[]> => (await search.glob({ pattern, order: 'path' })).paths
    expect(await glob('app/[id]/*.tsx')).toEqual(['app/[id]/page.tsx'])
    expect(await glob('app/[di]/page.tsx')).toEqual(['app/d/page.tsx', 'app/i/page.tsx'])
    expect(await glob('**/[slug]/*.ts')).toEqual(['x/[slug]/y.ts'])
    expect(await glob('**/[sx]/y.ts')).toEqual(['x/s/y.ts', 'z/s/y.ts'])
    expect(await glob('star\\*.md')).toEqual(['star*.md'])
    expect(await glob('app/{i,d}/page.tsx')).toEqual(['app/d/page.tsx', 'app/i/page.tsx'])
    expect(await glob('app/\\[id\\]/*')).toEqual(['app/[id]/page.tsx'])
    expect(await glob('*.tsx')).toEqual(['app/[id]/page.tsx', 'app/d/page.tsx', 'app/i/page.tsx'])
    expect(await glob('./*.md')).toEqual(['star*.md', 'start.md'])
    expect(await glob('/*.md'.replace('/', `${ground.root}/`))).toEqual(['star*.md', 'start.md'])
  })

  test('F-54: newest first, total, limit; order by path', async () => {
    await plant(ground.root, { 'a.txt': '', 'b.txt': '', 'c.txt': '' })
    utimesSync(join(ground.root, 'a.txt'), 1_000, 1_000)
    utimesSync(join(ground.root, 'b.txt'), 3_000, 3_000)
    utimesSync(join(ground.root, 'c.txt'), 2_000, 2_000)
    expect(await search.glob({ pattern: '*.txt', limit: 2 })).toMatchObject({ paths: ['b.txt', 'c.txt'], total: 3, truncated: true })
    expect(await search.glob({ pattern: '*.txt', order: 'path' })).toMatchObject({
      paths: ['a.txt', 'b.txt', 'c.txt'],
      total: 3,
      truncated: false,
    })
    expect([...ground.namedPaths].toSorted()).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })

  test('F-3: links are not followed and nothing outside is named', async () => {
    const outside = testGround()
    await plant(outside.root, { 'secret.txt': 'hit\n' })
    await plant(ground.root, { 'in/a.txt': 'hit\n' })
    symlinkSync(outside.root, join(ground.root, 'link'))
    symlinkSync(join(outside.root, 'secret.txt'), join(ground.root, 'leaf.txt'))
    expect(await paths({ pattern: 'hit' })).toEqual(['in/a.txt'])
    expect((await search.glob({ pattern: '**' })).paths).toEqual(['in/a.txt'])
    expect((await search.glob({ pattern: 'link/**' })).paths).toEqual([])
    await expect(search.glob({ pattern: '*', path: 'link' })).rejects.toMatchObject({ code: 'FS_OUTSIDE_ROOT' })
    await expect(search.glob({ pattern: '../*' })).rejects.toMatchObject({ code: 'FS_OUTSIDE_ROOT' })
    outside.remove()
  })

  test('F-3: a directory that is swapped for a link during searches never shows an outside line', async () => {
    const outside = testGround()
    await plant(outside.root, { 'a.txt': 'hit OUTSIDE\n', 'only-outside.txt': 'hit OUTSIDE\n' })
    await plant(ground.root, { 'd/a.txt': 'hit inside\n' })
    const swapper = spawn(process.execPath, [
      '-e',
      `const fs = require('fs'); const [d, o] = process.argv.slice(1); fs.symlinkSync(o, d + '.link');
       process.stdout.write('go'); for (;;) { try { fs.renameSync(d, d + '.real'); fs.renameSync(d + '.link', d); fs.renameSync(d, d + '.link'); fs.renameSync(d + '.real', d) } catch (e) {} }`,
      join(ground.root, 'd'),
      outside.root,
    ])
    await new Promise((resolve) => swapper.stdout.once('data', resolve))
    try {
      for (let round = 0; round < 25; round += 1) {
        const { hits } = await grepAll(search, { pattern: 'hit' })
        for (const hit of hits) expect(hit.text).toBe('hit inside')
        const { paths: named } = await search.glob({ pattern: '**/*.txt' })
        expect(named.filter((path) => path.includes('only-outside'))).toEqual([])
      }
    } finally {
      swapper.kill('SIGKILL')
      await new Promise((resolve) => swapper.once('close', resolve))
      outside.remove()
    }
  })

  test('F-12: a FIFO beside the files does not hold a search up', async () => {
    await plant(ground.root, { 'd/a.txt': 'hit\n' })
    execFileSync('mkfifo', [join(ground.root, 'd/q')])
    expect(await paths({ pattern: 'hit', path: 'd' })).toEqual(['d/a.txt'])
  })

  test('F-16: names with line ends, colons and leading dashes come back whole', async () => {
    await plant(ground.root, { 'new\nline.txt': 'hit\n', '-dash.txt': 'hit\n', 'a:1: b.txt': 'hit\n', ' lead.txt': 'hit\n' })
    expect((await paths({ pattern: 'hit' })).toSorted()).toEqual([' lead.txt', '-dash.txt', 'a:1: b.txt', 'new\nline.txt'])
    expect((await search.glob({ pattern: '-*', order: 'path' })).paths).toEqual(['-dash.txt'])
  })

  test('F-16: a name that is not UTF-8 is told as unreadable', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${ground.root}/bad`), Buffer.from([0xff]), Buffer.from('.txt')]), 'hit\n')
    const found = await grepAll(search, { pattern: 'hit' })
    expect(found.hits).toEqual([])
    expect(found.skipped.unreadable).toEqual(['bad\uFFFD.txt'])
  })

  test('F-55: a pattern that never ends gives a partial result at the deadline', async () => {
    await plant(ground.root, { 'a.txt': 'hit\n', 'z.txt': `${'a'.repeat(40)}!\n` })
    truncateSync(join(ground.root, 'a.txt'), 4)
    if (engine === 'ripgrep') {
      const stuck = make({
        deadlineMs: 300,
        spawn: async () => {
          let end = (): void => {}
          const over = new Promise<void>((resolve) => (end = resolve))
          return {
            stdout: (async function* () {
              yield Buffer.from('./a.txt\x001\x1f1\x1f0\x1fhit\n./z.txt\x00')
              await over
            })(),
            stderr: Promise.resolve(''),
            exit: over.then(() => null),
            kill: () => end(),
          }
        },
      })
      const found = await grepAll(stuck, { pattern: 'hit' })
      expect(found).toMatchObject({ timedOut: true, truncated: true, total: 1 })
      return
    }
    const found = await grepAll(make({ deadlineMs: 1_500 }), { pattern: '(a+)+$' })
    expect(found).toMatchObject({ timedOut: true, truncated: true })
  })

  test('F-73: an aborted search is refused with TOOL_ABORTED and leaves no process', async () => {
    await plant(ground.root, { 'a.txt': 'hit\n' })
    const controller = new AbortController()
    controller.abort()
    await expect(grepAll(search, { pattern: 'hit', signal: controller.signal })).rejects.toMatchObject({ code: 'TOOL_ABORTED' })
    await expect(search.glob({ pattern: '*', signal: controller.signal })).rejects.toMatchObject({ code: 'TOOL_ABORTED' })
  })

  test.runIf(process.getuid?.() !== 0)('F-55: an unreadable directory is told and does not lose the rest', async () => {
    await plant(ground.root, { 'ok/a.txt': 'hit\n', 'deny/b.txt': 'hit\n' })
    chmodSync(join(ground.root, 'deny'), 0)
    const found = await grepAll(search, { pattern: 'hit' })
    chmodSync(join(ground.root, 'deny'), 0o700)
    expect(found.hits.map((hit) => hit.path)).toEqual(['ok/a.txt'])
    expect(found.skipped.unreadable).toEqual(['deny'])
  })

  test('F-53: a search that ends early ends its engine', async () => {
    const many = Array.from({ length: 300 }, (_, at) => [`f${at}.txt`, 'hit\n'.repeat(500)] as const)
    await plant(ground.root, Object.fromEntries(many))
    const stream = search.grep({ pattern: 'hit', limit: 1000 })
    let seen = 0
    for await (const _hit of stream) {
      seen += 1
      if (seen === 3) break
    }
    expect((await stream.summary).total).toBeGreaterThanOrEqual(3)
  })

  test('F-55: a place that vanishes during the search is not shown', async () => {
    await plant(ground.root, { 'd/a.txt': 'hit\n' })
    const moved = createSearch({
      ground: {
        ...ground,
        walkPlace: async (path) => {
          const place = await ground.walkPlace(path)
          renameSync(join(ground.root, 'd'), join(ground.root, 'moved'))
          mkdirSync(join(ground.root, 'd'))
          return place
        },
      },
      roots: [ground.root],
      engine,
    })
    await expect(grepAll(moved, { pattern: 'hit', path: 'd' })).rejects.toMatchObject({ code: 'FS_NOT_FOUND' })
    rmSync(join(ground.root, 'moved'), { recursive: true })
  })
})
