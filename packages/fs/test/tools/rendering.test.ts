import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FS_ERROR_CODES, type FsErrorCode, type FsErrorDetails } from '../../src/definition/errors.ts'
import { renderRefusal } from '../../src/consumer/render-refusal.ts'
import { textOf, toolWorld, type ToolWorld } from './world.ts'

let world: ToolWorld
beforeEach(async () => {
  world = await toolWorld()
})
afterEach(() => world.close())

const put = (path: string, content: string | Buffer): void => writeFileSync(join(world.root, path), content)
const shown = async (name: string, args: object): Promise<string> => textOf(await world.call(name, args))

describe('F-71: what a model sees', () => {
  test('F-71: read: numbered lines, nothing else when nothing is odd', async () => {
    put('a.txt', 'one\n\ttwo\n')
    expect(await shown('read', { path: 'a.txt' })).toMatchInlineSnapshot(`
      "1	one
      2		two"
    `)
  })

  test('F-71: read: facts as bracketed lines', async () => {
    put('w.txt', 'a\r\nb\r\nc\r\nd\r\n')
    put('odd.txt', `\uFEFFesc \u001b[31m cr\rx\n${'y'.repeat(2100)}\nlast`)
    put('e.txt', '')
    put('l1.txt', Buffer.from('caf\xe9\n', 'latin1'))
    put('u16.txt', Buffer.from('\uFEFFhi\n', 'utf16le'))
    expect(await shown('read', { path: 'w.txt', limit: 2 })).toMatchInlineSnapshot(`
      "1	a
      2	b
      [lines 1-2 of 4; continue at offset 3]
      [CRLF line ends]"
    `)
    expect((await shown('read', { path: 'odd.txt' })).replaceAll(/y{2000}/g, '<2000 y>')).toMatchInlineSnapshot(`
      "1	esc \\x1b[31m cr\\rx
      2	<2000 y>
      3	last
      [starts with a BOM]
      [line 2 cut at 2,000 bytes]
      [no line end at the end of the file]"
    `)
    expect(await shown('read', { path: 'w.txt', tail: 1 })).toMatchInlineSnapshot(`
      "4	d
      [lines 4-4 of 4]
      [CRLF line ends]"
    `)
    expect(await shown('read', { path: 'e.txt' })).toMatchInlineSnapshot(`"[empty file]"`)
    expect(await shown('read', { path: 'l1.txt' })).toMatchInlineSnapshot(`
      "1	caf�
      [not valid UTF-8: undecodable bytes are shown as marks]"
    `)
    expect(await shown('read', { path: 'u16.txt' })).toMatchInlineSnapshot(`
      "1	hi
      [UTF-16 LE]"
    `)
  })

  test('F-71: changes: one line of fact and the hunks', async () => {
    put('a.txt', 'one\r\ntwo\r\nthree\r\n')
    await shown('read', { path: 'a.txt' })
    expect(await shown('edit', { path: 'a.txt', old: 'one\ntwo', new: 'ONE\nTWO' })).toMatchInlineSnapshot(`
      "Edited a.txt (1 replacement)
      @@ -1,3 +1,3 @@
      -one
      -two
      +ONE
      +TWO
       three
      [found with other line ends]"
    `)
    expect(await shown('write', { path: 'a.txt', content: 'new\n' })).toMatchInlineSnapshot(`
      "Wrote a.txt (5 bytes, +1 -3)
      @@ -1,3 +1,1 @@
      -ONE
      -TWO
      -three
      +new
      [written with CRLF line ends, as the file had them]"
    `)
    expect(await shown('write', { path: 'n/b.txt', content: 'b\n' })).toMatchInlineSnapshot(`"Created n/b.txt (2 bytes)"`)
    expect(
      await shown('patch', {
        files: [
          { path: 'n/b.txt', hunks: [{ old: ['b'], new: ['B'] }] },
          { path: 'c.txt', add: 'c\n' },
        ],
      }),
    ).toMatchInlineSnapshot(`
      "Patched 2 files
      changed n/b.txt (+1 -1)
      @@ -1,1 +1,1 @@
      -b
      +B
      created c.txt (+1)"
    `)
    expect(await shown('move', { from: 'c.txt', to: 'line\nbreak.txt' })).toMatchInlineSnapshot(`"Moved c.txt to "line\\nbreak.txt""`)
    expect(await shown('delete', { path: 'n', recursive: true })).toMatchInlineSnapshot(`"Deleted n (2 entries)"`)
  })

  test('F-71: hunks are shown up to 4 KiB', async () => {
    put('a.txt', Array.from({ length: 300 }, (_, index) => `line ${index} of a file\n`).join(''))
    await shown('read', { path: 'a.txt' })
    const text = await shown('edit', { path: 'a.txt', old: 'line', new: 'LINE', all: true })
    expect(text.length).toBeLessThan(4300)
    expect(text).toContain('[hunks cut here; 1 hunk not shown whole]')
  })

  test('F-71, F-16: list', async () => {
    mkdirSync(join(world.root, 'dist'))
    put('.gitignore', 'dist/\n')
    put('a.txt', 'abc')
    put('a\nb', '')
    symlinkSync('a.txt', join(world.root, 'l'))
    expect(await shown('list', {})).toMatchInlineSnapshot(`
      ".gitignore	6
      "a\\nb"	0
      a.txt	3
      dist/ (ignored)
      l -> a.txt"
    `)
    expect(await shown('list', { limit: 1 })).toMatchInlineSnapshot(`
      ".gitignore	6
      [the first 1 entries; there are more]"
    `)
    expect(await shown('list', { path: 'dist' })).toMatchInlineSnapshot(`"[empty directory]"`)
  })

  test('F-72, F-71: every code has its sentence, pinned', () => {
    const details: Partial<Record<FsErrorCode, FsErrorDetails>> = {
      FS_BAD_PATH: { reason: 'NUL' },
      FS_NOT_FOUND: { candidates: ['b.txt'] },
      FS_AMBIGUOUS_NAME: { candidates: ['cafe\u0301'] },
      FS_NOT_REGULAR: { kind: 'fifo' },
      FS_NOT_EMPTY: { entries: 3 },
      FS_NOT_OBSERVED: { needed: 'whole', seen: { bytes: 5, of: 10 } },
      FS_NO_MATCH: { nearest: { line: 3, text: '  return x', matched: 1, of: 2 } },
      FS_AMBIGUOUS_MATCH: { count: 12, lines: [1, 2, 3], edit: 2, of: 3 },
      FS_OVERLAPPING_EDITS: { lines: [1, 2] },
      FS_PATCH_REJECTED: { hunk: 2, reason: 'context not found' },
      FS_BINARY: { size: 10 },
      FS_ENCODING: { encoding: 'unknown-8bit' },
      FS_TOO_LARGE: { size: 20_000_000, limit: 16_777_216 },
      FS_RANGE: { offset: 9, lines: 3 },
      FS_UNSUPPORTED_MEDIA: { reason: 'dimensions', mimeType: 'image/png', width: 9728, height: 9728, limit: 8000 },
      FS_INVALID_PATTERN: { reason: 'unclosed group' },
      FS_SEARCH_FAILED: { reason: 'no engine' },
      FS_PERMISSION: { errno: 'EACCES' },
      FS_IO: { errno: 'EIO' },
      FS_HARD_LINK: { links: 2 },
      FS_UNDO_CONFLICT: { conflicts: ['a.txt'] },
    }
    const sentences = [...FS_ERROR_CODES, 'TOOL_ABORTED' as const].map(
      (code) => `${code} ${renderRefusal({ code, details: { path: 'a.txt', ...details[code] } })}`,
    )
    expect(sentences.join('\n')).toMatchSnapshot()
  })
})
