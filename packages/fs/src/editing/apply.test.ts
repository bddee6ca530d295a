import fc from 'fast-check'
import { structuredPatch } from 'diff'
import { describe, expect, test } from 'vitest'
import { isUtf8 } from '../text/encoding.ts'
import { applyEdits, splice, type Splice } from './apply.ts'
import { countHunks, hunksOf } from './hunks.ts'
import { changeBetween } from './whole-file.ts'

const apply = (body: string, old: string, replacement: string, all?: boolean): string =>
  applyEdits(Buffer.from(body), [{ old, new: replacement, ...(all === undefined ? {} : { all }) }], 'f').body.toString()
const refused = (
  body: string | Buffer,
  ...edits: { old: string; new: string; all?: boolean }[]
): { code: string; details: { [fact: string]: unknown } } => {
  try {
    applyEdits(Buffer.from(body), edits, 'f')
  } catch (error) {
    return error as { code: string; details: { [fact: string]: unknown } }
  }
  throw new Error('not refused')
}

describe('steps of matching', () => {
  test('F-40: exact comes before anything tolerant', () => {
    const { matches, body } = applyEdits(Buffer.from('a\nb\r\na \nb'), [{ old: 'a\nb', new: 'X' }], 'f')
    expect([matches, body.toString()]).toEqual([[{ how: 'exact', count: 1, lines: [1] }], 'X\r\na \nb'])
  })

  test('F-40: LF text finds CRLF lines, once and all', () => {
    expect(apply('x\r\na\r\nb\r\ny\r\n', 'a\nb', '1\n2\n3')).toBe('x\r\n1\r\n2\r\n3\r\ny\r\n')
    expect(apply('b\r\nx\r\nb\r\n', 'b\n', '1\n2\n', true)).toBe('1\r\n2\r\nx\r\n1\r\n2\r\n')
  })

  test('F-40: blanks at line ends do not matter, and are told', () => {
    const { body, matches } = applyEdits(Buffer.from('if x:  \n\ty = 1\t\nend\n'), [{ old: 'if x:\n\ty = 1\n', new: 'pass\n' }], 'f')
    expect([body.toString(), matches[0]?.how]).toEqual(['pass\nend\n', 'trailing-blanks'])
  })

  test('F-40: blanks that end the search text never stand for a place inside a line', () => {
    expect(refused('foobar\n', { old: 'foo  ', new: 'x' }).code).toBe('FS_NO_MATCH')
    expect(apply('foo \nbar\n', 'foo  ', 'x')).toBe('x\nbar\n')
  })

  test('F-40, F-41: one uniform indent shift of whole lines moves the new lines too', () => {
    expect(
      apply('class A:\n    def f():\n        return 1\n', 'def f():\n    return 1\n', 'def g():\n    return 2\n\ndef h(): pass\n'),
    ).toBe('class A:\n    def g():\n        return 2\n\n    def h(): pass\n')
    expect(apply('a:\n  b\n', '    a:\n      b', '    a:\n      c')).toBe('a:\n  c\n')
  })

  test('F-40: an indent shift that is not uniform is no match, and never with all', () => {
    expect(refused('  a\n    b\n', { old: 'a\nb', new: 'x' }).code).toBe('FS_NO_MATCH')
    expect(refused('  a\n  b\n', { old: 'a\nb', new: 'x', all: true }).code).toBe('FS_NO_MATCH')
  })

  test('F-40: each tolerant step needs exactly one place', () => {
    expect(refused('a\r\nb\r\na\r\nb\r\n', { old: 'a\nb\n', new: 'x\n' })).toMatchObject({
      code: 'FS_AMBIGUOUS_MATCH',
      details: { count: 2, lines: [1, 3], how: 'eol' },
    })
    expect(refused('a \nb\na \nb\n', { old: 'a\nb\n', new: 'x\n' })).toMatchObject({
      code: 'FS_AMBIGUOUS_MATCH',
      details: { how: 'trailing-blanks' },
    })
    expect(refused('  a\n  b\n--\n  a\n  b\n', { old: 'a\nb\n', new: 'x\n' })).toMatchObject({
      code: 'FS_AMBIGUOUS_MATCH',
      details: { how: 'indent' },
    })
  })
})

describe('inserted text', () => {
  test('F-41: is literal', () => {
    expect(apply('cost\n', 'cost', "$& $1 $$ $` \\n \\\\ $'")).toBe("$& $1 $$ $` \\n \\\\ $'\n")
  })

  test('F-41: takes the line end of the region, else of its neighbours', () => {
    expect(apply('a\r\nb\nc', 'a', '1\n2')).toBe('1\r\n2\r\nb\nc')
    expect(apply('a\r\nb\nc', 'b', '1\n2')).toBe('a\r\n1\n2\nc')
    expect(apply('a\r\nc', 'c', '1\n2')).toBe('a\r\n1\r\n2')
    expect(apply('x', 'x', '1\n2')).toBe('1\n2')
    expect(apply('a\nb\n', 'a', '1\r\n2')).toBe('1\n2\nb\n')
  })

  test('F-4: a match that starts at the LF of a CRLF takes the line end whole', () => {
    expect(apply('x\r\nalpha\r\n', '\nalpha', '\nALPHA')).toBe('x\r\nALPHA\r\n')
    expect(apply('x\r\nalpha\r\n', '\nalpha', ' ALPHA')).toBe('x ALPHA\r\n')
  })

  test('F-41: who addresses CRs converts line ends', () => {
    expect(apply('a\r\nb\r\n', 'a\r\n', 'a\n')).toBe('a\nb\r\n')
    expect(apply('a\nb\n', 'a\n', 'a\r\n')).toBe('a\r\nb\n')
  })

  test('F-41: a lone CR and a missing last line end are kept', () => {
    expect(apply('a\rb\nlast', 'last', 'end')).toBe('a\rb\nend')
    expect(apply('one\rtwo', 'two', '2')).toBe('one\r2')
  })
})

describe('refusals', () => {
  test('F-42: empty, same, ambiguous with the first ten lines, nearest line', () => {
    expect(refused('a', { old: '', new: 'x', all: true }).code).toBe('FS_EMPTY_MATCH')
    expect(refused('a', { old: 'a', new: 'a' }).code).toBe('FS_NO_CHANGE')
    expect(refused('a\n'.repeat(12), { old: 'a', new: 'b' }).details).toMatchObject({ count: 12, lines: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] })
    expect(refused('def a():\n  return 1\n', { old: 'def a():\n  return 2', new: 'x' }).details['nearest']).toEqual({
      line: 1,
      text: 'def a():',
      matched: 1,
      of: 2,
    })
  })

  test('F-42: all counts without overlap', () => {
    const { body, matches } = applyEdits(Buffer.from('aaaaa'), [{ old: 'aa', new: 'b', all: true }], 'f')
    expect([body.toString(), matches[0]?.count]).toEqual(['bba', 2])
  })

  test('F-43: edits of one snapshot must not overlap, may be adjacent, apply together or not at all', () => {
    expect(refused('abc', { old: 'ab', new: 'x' }, { old: 'bc', new: 'y' }).code).toBe('FS_OVERLAPPING_EDITS')
    const edits = [
      { old: 'bc', new: 'Y' },
      { old: 'a', new: 'b' },
    ]
    expect(applyEdits(Buffer.from('abc'), edits, 'f').body.toString()).toBe('bY')
    expect(refused('abc', { old: 'a', new: 'z' }, { old: 'nope', new: 'y' })).toMatchObject({
      code: 'FS_NO_MATCH',
      details: { edit: 2, of: 2 },
    })
  })
})

/** Bytes with everything that goes wrong: mixed line ends, BOM, invalid UTF-8, no final line end. */
const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\t', '\n', '\r\n', '\r', 'é', '𝄞', '\uFEFF', '$&', '\\')
const text = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(''))
const bytes = fc
  .tuple(text, fc.array(fc.constantFrom(0xff, 0xc3, 0x80, 0xfe), { maxLength: 3 }), text)
  .map(([before, raw, after]) => Buffer.concat([Buffer.from(before), Buffer.from(raw), Buffer.from(after)]))

describe('properties', () => {
  test('F-4: an edit of random bytes equals the reference splice', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 12 }), text, (body, at, length, replacement) => {
        const start = body.length === 0 ? 0 : at % body.length
        const old = body.subarray(start, start + length).toString('utf8')
        // What is not text cannot be asked for; what starts inside a CRLF addresses its CR too; replacements keep their line ends.
        fc.pre(old !== '' && isUtf8(body.subarray(start, start + length)) && !old.startsWith('\uFEFF') && old !== '\n')
        fc.pre(!/[\r\n]/.test(replacement) && !replacement.startsWith('\uFEFF') && replacement !== old)
        const needle = Buffer.from(old)
        const first = body.indexOf(needle)
        const unique = body.indexOf(needle, first + needle.length) === -1
        const from = needle[0] === 10 && body[first - 1] === 13 ? first - 1 : first
        const reference = Buffer.concat([body.subarray(0, from), Buffer.from(replacement), body.subarray(first + needle.length)])
        if (!unique) {
          expect(refused(body, { old, new: replacement }).code).toBe('FS_AMBIGUOUS_MATCH')
          return
        }
        if (reference.equals(body)) return
        expect(applyEdits(body, [{ old, new: replacement }], 'f').body.equals(reference)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('F-44: hunks of splices rebuild the new text and count as a diff does', () => {
    const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'd\n', '\n'), { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(lines, fc.array(fc.tuple(fc.nat(), fc.nat(6), text), { maxLength: 4 }), fc.boolean(), (base, cuts, open) => {
        const before = Buffer.from(open ? `${base}end` : base)
        const splices: Splice[] = []
        let from = 0
        for (const [at, length, insert] of cuts.sort((a, b) => a[0] - b[0])) {
          const start = Math.min(from + (at % 20), before.length)
          const end = Math.min(start + length, before.length)
          if (start < from || (splices.length > 0 && start === from)) continue
          splices.push({ start, end, insert: Buffer.from(insert) })
          from = end + 1
          if (from > before.length) break
        }
        const after = splice(before, splices)
        const hunks = hunksOf(before, after, splices)
        expect(patched(before.toString(), hunks)).toBe(after.toString())
      }),
      { numRuns: 1500 },
    )
  })

  test('F-44: hunks of a whole write rebuild the new text', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { hunks, added, removed } = changeBetween(Buffer.from(before), Buffer.from(after))
        expect(patched(before, hunks)).toBe(after)
        expect(countHunks(hunks)).toEqual({ added, removed })
      }),
      { numRuns: 1500 },
    )
  })
})

test('F-44: hunks equal those of a diff of before and after', () => {
  const before = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('')
  const { body, splices } = applyEdits(
    Buffer.from(before),
    [
      { old: 'line 5\n', new: 'five\nfive and a half\n' },
      { old: 'line 20', new: 'twenty' },
      { old: 'line 39\n', new: '' },
    ],
    'f',
  )
  const expected = structuredPatch('f', 'f', before, body.toString(), '', '', { context: 3 }).hunks
  expect(hunksOf(Buffer.from(before), body, splices)).toEqual(expected.map((hunk) => ({ ...hunk })))
})

test('F-44: out of budget there are only numbers', () => {
  const before = Buffer.from(Array.from({ length: 15_000 }, (_, index) => `a${index}\n`).join(''))
  const after = Buffer.from(Array.from({ length: 15_000 }, (_, index) => `b${index}\n`).join(''))
  expect(changeBetween(before, after)).toEqual({ hunks: [], added: 15_000, removed: 15_000 })
})

/** A strict patch of our own: every line of a hunk must stand where it says. */
function patched(before: string, hunks: readonly { oldStart: number; oldLines: number; lines: string[] }[]): string {
  const lines = before.split(/(?<=\n)/)
  const out: string[] = []
  let at = 0
  for (const hunk of hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
    while (at < start) out.push(lines[at++] ?? '')
    for (const [index, line] of hunk.lines.entries()) {
      if (line.startsWith('\\')) continue
      const content = line.slice(1) + (hunk.lines[index + 1]?.startsWith('\\') === true ? '' : '\n')
      if (line[0] !== '+') expect(lines[at++]).toBe(content)
      if (line[0] !== '-') out.push(content)
    }
  }
  return [...out, ...lines.slice(at)].join('')
}
