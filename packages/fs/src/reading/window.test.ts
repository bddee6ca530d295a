import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readWindow, resolveWindow, type ByteSource } from './window.ts'

const source = (body: Buffer, piece = 7): ByteSource => ({
  size: body.length,
  // Short pieces: lines and characters cross their bounds.
  read: (offset, length) => Promise.resolve(body.subarray(offset, offset + Math.min(length, piece))),
})
const read = (text: string, window: Parameters<typeof resolveWindow>[0] = {}, piece?: number) =>
  readWindow(source(Buffer.from(text), piece), resolveWindow(window), 'f')

describe('windows', () => {
  test('F-50: offset, limit, tail, past the end, empty', async () => {
    const text = 'a\nb\nc\nd\n'
    expect(await read(text, { offset: 2, limit: 2 })).toMatchObject({
      text: 'b\nc',
      startLine: 2,
      endLine: 3,
      totalLines: 4,
      truncated: true,
      seen: [2, 6],
    })
    expect(await read(text, { tail: 2 })).toMatchObject({
      text: 'c\nd',
      startLine: 3,
      endLine: 4,
      totalLines: 4,
      truncated: false,
      seen: [4, 8],
    })
    expect(await read(text, { tail: 99 })).toMatchObject({ text: 'a\nb\nc\nd', startLine: 1 })
    await expect(read(text, { offset: 5 })).rejects.toMatchObject({ code: 'FS_RANGE', details: { lines: 4 } })
    expect(await read('')).toMatchObject({ text: '', totalLines: 0, startLine: 1, endLine: 0, truncated: false })
    expect(await read('', { tail: 3 })).toMatchObject({ text: '', totalLines: 0 })
  })

  test('F-50: the byte budget ends the window at a whole line', async () => {
    const found = await read('12345\n12345\n12345\n', { maxBytes: 12 })
    expect(found).toMatchObject({ text: '12345\n12345', endLine: 2, truncated: true, totalLines: 3 })
    expect(await read('12345\n12345\n12345\n', { maxBytes: 12, tail: 3 })).toMatchObject({ text: '12345\n12345', startLine: 2, endLine: 3 })
  })

  test('F-50: a giant line is cut at a character start and marked', async () => {
    const found = await read(`${'é'.repeat(3000)}\nnext\n`, {}, 4096)
    expect(found.text.split('\n')[0]).toBe('é'.repeat(1000))
    expect(found.cutLines).toEqual([1])
    const odd = await read(`x${'é'.repeat(3000)}`, {}, 4096)
    expect(odd.text).toBe(`x${'é'.repeat(999)}`)
  })

  test('F-50: line ends are told, lone CRs are characters', async () => {
    expect(await read('a\r\nb\r\n')).toMatchObject({ eol: 'crlf', text: 'a\nb', noFinalEol: false })
    expect(await read('a\r\nb\n')).toMatchObject({ eol: 'mixed' })
    expect(await read('a\rb')).toMatchObject({ eol: 'none', text: 'a\rb', noFinalEol: true, totalLines: 1 })
  })

  test('F-50: all windows of a file together are its lines', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'é', '\n', '\r\n', ''), { maxLength: 50 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 9 }),
        async (parts, limit, piece) => {
          const text = parts.join('')
          const expected = text.split(/\r?\n/)
          if (expected.at(-1) === '') expected.pop()
          const lines: string[] = []
          for (let offset = 1; offset <= Math.max(expected.length, 1); offset += limit) {
            const found = await read(text, { offset, limit }, piece)
            if (found.endLine >= found.startLine) lines.push(...found.text.split('\n'))
            expect(found.totalLines).toBe(expected.length)
          }
          expect(lines).toEqual(expected)
        },
      ),
      { numRuns: 300 },
    )
  })
})
