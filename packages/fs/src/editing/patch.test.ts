import { describe, expect, test } from 'vitest'
import type { PatchHunk } from '../definition/edits.ts'
import { applyHunks } from './patch.ts'
import { parseUnified } from './unified.ts'

const patch = (body: string, ...hunks: PatchHunk[]): string => applyHunks(Buffer.from(body), hunks, 'f').body.toString()
const refused = (run: () => unknown): { code: string; details: { [fact: string]: unknown } } => {
  try {
    run()
  } catch (error) {
    return error as { code: string; details: { [fact: string]: unknown } }
  }
  throw new Error('not refused')
}

describe('hunks', () => {
  test('F-45: context keeps its very bytes, new lines take the line end of the place', () => {
    expect(patch('a \r\nb\r\nc\r\n', { old: ['a', 'b', 'c'], new: ['a', 'B', 'B2', 'c'] })).toBe('a \r\nB\r\nB2\r\nc\r\n')
  })

  test('F-45: hunks are found in file order; a number breaks ties', () => {
    const body = 'x\ny\nx\ny\nx\ny\n'
    expect(refused(() => patch(body, { old: ['x'], new: ['z'] }))).toMatchObject({
      code: 'FS_PATCH_REJECTED',
      details: { hunk: 1, lines: [1, 3, 5] },
    })
    expect(patch(body, { old: ['x'], new: ['z'], line: 4 + 1 })).toBe('x\ny\nx\ny\nz\ny\n')
    expect(patch(body, { old: ['x'], new: ['1'], line: 3 }, { old: ['x'], new: ['2'] })).toBe('x\ny\n1\ny\n2\ny\n')
  })

  test('F-45: a uniform indent shift moves the new lines', () => {
    expect(patch('if a:\n        b()\n        c()\n', { old: ['b()', 'c()'], new: ['b()', 'if d:', '    e()'] })).toBe(
      'if a:\n        b()\n        if d:\n            e()\n',
    )
  })

  test('F-45: the end of the file stays as it was unless the hunk touches it', () => {
    expect(patch('a\nb', { old: ['a'], new: ['A'] })).toBe('A\nb')
    expect(patch('a\nb', { old: ['b'], new: ['B'] })).toBe('a\nB')
    expect(patch('a\nb', { old: ['b'], new: ['b', 'c'] })).toBe('a\nb\nc')
    expect(patch('a\nb\n', { old: ['b'], new: ['b', 'c'] })).toBe('a\nb\nc\n')
    expect(patch('a\nb', { old: ['b'], new: ['b'], oldNoEol: true })).toBe('a\nb\n')
    expect(patch('a\nb\n', { old: ['b'], new: ['b'], newNoEol: true })).toBe('a\nb')
    expect(patch('a\nb', { old: ['b'], new: ['c'], oldNoEol: true })).toBe('a\nc\n')
  })

  test('F-45: a hunk without context needs its line', () => {
    expect(refused(() => patch('a\n', { old: [], new: ['x'] })).code).toBe('FS_PATCH_REJECTED')
    expect(patch('a\nb\n', { old: [], new: ['x'], line: 2 })).toBe('a\nx\nb\n')
    expect(patch('a\nb\n', { old: [], new: ['x'], line: 3 })).toBe('a\nb\nx\n')
    expect(patch('', { old: [], new: ['x'] })).toBe('x\n')
  })

  test('F-45: context that is not there is refused with file and hunk', () => {
    expect(refused(() => patch('a\nb\n', { old: ['a'], new: ['A'] }, { old: ['zzz'], new: ['y'] }))).toMatchObject({
      details: { path: 'f', hunk: 2 },
    })
  })
})

describe('unified text', () => {
  test('F-45: wrong numbers and counts, lost blanks, time stamps', () => {
    const [operation] = parseUnified('--- a/f.txt\t2020-01-01\n+++ b/f.txt\t2020-01-02\n@@ -99,7 +3,2 @@ def x\n one\n\n-two\n+2\n three\n')
    expect(operation).toEqual({
      kind: 'update',
      path: 'f.txt',
      hunks: [{ old: ['one', '', 'two', 'three'], new: ['one', '', '2', 'three'], line: 99 }],
    })
    expect(patch('one\n\ntwo\nthree\n', { old: ['one', '', 'two', 'three'], new: ['one', '', '2', 'three'], line: 99 })).toBe(
      'one\n\n2\nthree\n',
    )
  })

  test('F-45: several files: added, deleted, renamed with hunks', () => {
    const operations = parseUnified(
      [
        'diff --git a/new.txt b/new.txt',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/new.txt',
        '@@ -0,0 +1,2 @@',
        '+a',
        '+b',
        '\\ No newline at end of file',
        'diff --git a/old.txt b/old.txt',
        '--- a/old.txt',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-gone',
        'diff --git a/x.txt b/y.txt',
        'similarity index 90%',
        'rename from x.txt',
        'rename to y.txt',
        '--- a/x.txt',
        '+++ b/y.txt',
        '@@ -1,2 +1,2 @@',
        ' keep',
        '-- dashes',
        '++ plus',
        '',
      ].join('\n'),
    )
    expect(operations).toEqual([
      { kind: 'add', path: 'new.txt', content: 'a\nb' },
      { kind: 'delete', path: 'old.txt' },
      { kind: 'update', path: 'x.txt', moveTo: 'y.txt', hunks: [{ old: ['keep', '- dashes'], new: ['keep', '+ plus'], line: 1 }] },
    ])
  })

  test('F-45: empty files made and removed, which have no line but the one of version control', () => {
    const operations = parseUnified(
      [
        'diff --git a/em pty b/em pty',
        'new file mode 100644',
        'index 0000000..e69de29',
        'diff --git "a/caf\\303\\251" "b/caf\\303\\251"',
        'deleted file mode 100644',
        'index e69de29..0000000',
        'diff --git a/x b/x',
        '--- a/x',
        '+++ b/x',
        '@@ -1 +1 @@',
        '-new file mode 1',
        '+b',
        '',
      ].join('\n'),
    )
    expect(operations).toEqual([
      { kind: 'add', path: 'em pty', content: '' },
      { kind: 'delete', path: 'caf\u00e9' },
      { kind: 'update', path: 'x', hunks: [{ old: ['new file mode 1'], new: ['b'], line: 1 }] },
    ])
    expect(refused(() => parseUnified('diff --git a/x b/y\nnew file mode 100644\n')).code).toBe('FS_PATCH_REJECTED')
  })

  test('F-45: a text that is no diff is refused', () => {
    expect(refused(() => parseUnified('hello')).code).toBe('FS_PATCH_REJECTED')
    expect(refused(() => parseUnified('@@ -1 +1 @@\n-a\n+b')).code).toBe('FS_PATCH_REJECTED')
  })
})
