/**
 * Rings, slices, decoding and cleaning, at their edges.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { virtualClock } from '../providers/memory/virtual-clock.ts'
import { cleanOutput, unfinishedSequence } from './clean.ts'
import { eventStream } from './events.ts'
import { OutputRing } from './ring.ts'
import { sliceOutput } from './slice.ts'
import { decodeUtf8, orphanHead, unfinishedTail } from './utf8.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const ringOf = (text: string | Uint8Array, size = { headBytes: 8, tailBytes: 8 }, chunk = 3): OutputRing => {
  const ring = new OutputRing(size)
  const all = typeof text === 'string' ? bytes(text) : text
  for (let at = 0; at < all.length; at += chunk) ring.push(all.subarray(at, at + chunk))
  return ring
}

describe('ring', () => {
  test.each([15, 16, 17])('S-30: at its capacity of 16: %i bytes', (size) => {
    const text = 'abcdefghijklmnopqrstuvwxyz'.slice(0, size)
    const ring = ringOf(text)
    expect(ring.total).toBe(size)
    expect(ring.missing).toEqual(size > 16 ? { from: 8, to: 9 } : undefined)
    const slice = sliceOutput(ring, { final: true })
    expect(slice.text).toBe(size > 16 ? 'abcdefghjklmnopq' : text)
    expect(slice.omittedBytes).toBe(Math.max(0, size - 16))
  })

  test('S-3, S-30: any chunks give the same head, tail and count', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), (chunks) => {
        const ring = new OutputRing({ headBytes: 10, tailBytes: 14 })
        for (const chunk of chunks) ring.push(chunk)
        const all = Buffer.concat(chunks)
        expect(ring.total).toBe(all.length)
        expect(Buffer.from(ring.copy({ from: 0, to: Math.min(10, all.length) }))).toEqual(all.subarray(0, 10))
        const tail = Math.max(0, all.length - 14)
        expect(Buffer.from(ring.copy({ from: tail, to: all.length }))).toEqual(all.subarray(tail))
      }),
    )
  })
})

describe('slices', () => {
  test('S-33: cursor reads are gap-free and repeat-free whatever the chunks, as long as the ring holds them', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !/\p{Cc}/u.test(text)),
        fc.integer({ min: 1, max: 5 }),
        (text, chunk) => {
          const ring = new OutputRing({ headBytes: 400, tailBytes: 400 })
          const all = bytes(text)
          let seen = ''
          let next = 0
          for (let at = 0; at < all.length; at += chunk) {
            ring.push(all.subarray(at, at + chunk))
            const slice = sliceOutput(ring, { from: next, final: at + chunk >= all.length })
            seen += slice.text
            next = slice.next
          }
          expect(seen).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(all))
        },
      ),
    )
  })

  test('S-32: a character over the cut is left out whole, on both sides', () => {
    const slice = sliceOutput(ringOf('€'.repeat(20)), { final: true })
    expect(slice.text).toBe('€€€€')
    expect(slice.text.slice(0, slice.omittedAt)).toBe('€€')
    expect(slice.omittedBytes).toBe(60 - 12)
    expect(slice.invalidBytes).toBe(0)
  })

  test('S-33: a reader behind the gap is told what is missing', () => {
    const slice = sliceOutput(ringOf('a'.repeat(100)), { from: 20, final: true })
    expect(slice).toMatchObject({ lossy: true, missing: { from: 20, to: 92 }, omittedBytes: 72, next: 100 })
    expect(sliceOutput(ringOf('a'.repeat(100)), { from: 95, final: true })).toMatchObject({ lossy: false, omittedBytes: 0, text: 'aaaaa' })
  })

  test('S-32: an open escape sequence waits for its end; a final read drops it', () => {
    const open = ringOf('ok\u001b[3', { headBytes: 50, tailBytes: 50 })
    expect(sliceOutput(open, { final: false })).toMatchObject({ text: 'ok', next: 2 })
    open.push(bytes('1mred'))
    expect(sliceOutput(open, { from: 2, final: false }).text).toBe('red')
  })

  test('S-33: maxBytes limits a read, at a character start', () => {
    const ring = ringOf('€'.repeat(10), { headBytes: 50, tailBytes: 50 })
    expect(sliceOutput(ring, { maxBytes: 16, final: true })).toMatchObject({ text: '€€€€€', next: 15 })
  })
})

describe('UTF-8', () => {
  test('S-32: unfinished ends and orphaned starts', () => {
    expect(unfinishedTail(bytes('a€').subarray(0, 3))).toBe(2)
    expect(unfinishedTail(bytes('a'))).toBe(0)
    expect(unfinishedTail(new Uint8Array([0xff]))).toBe(0)
    expect(orphanHead(bytes('€a').subarray(1), undefined)).toBe(2)
    expect(orphanHead(new Uint8Array([0x80]), bytes('a'))).toBe(0)
    expect(orphanHead(bytes('€').subarray(2), bytes('€').subarray(0, 2))).toBe(1)
  })

  test('S-32: invalid parts are counted, a printed U+FFFD is not', () => {
    expect(decodeUtf8(new Uint8Array([0x61, 0xff, 0xfe, 0xc0]))).toEqual({ text: 'a\uFFFD\uFFFD\uFFFD', invalid: 3 })
    expect(decodeUtf8(bytes('\uFFFD'))).toEqual({ text: '\uFFFD', invalid: 0 })
  })
})

describe('cleaning', () => {
  test.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['OSC with blanks, ended by BEL', '\u001b]0;a window title\u0007x', 'x'],
    ['OSC ended by ST', '\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['DCS', '\u001bPq#0;2;0\u001b\\x', 'x'],
    ['character set', '\u001b(Bx\u001b=', 'x'],
    ['C1 CSI', '\u009b31mx', 'x'],
    ['bell, NUL and others', 'a\u0007b\u0000c\u001f', 'abc'],
    ['redraw', '10%\r50%\r100%', '100%'],
    ['redraw that ends in CR', '10%\r50%\r', '50%'],
    ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
    ['backspace', 'ab\b\bcd', 'cd'],
    ['tabs and umlauts stay', 'a\tä€\n', 'a\tä€\n'],
    ['unterminated OSC does not swallow the rest', '\u001b]0;x and the rest', '0;x and the rest'],
    ['lone escape', 'a\u001b', 'a'],
  ])('S-32: %s', (_name, raw, shown) => expect(cleanOutput(raw)).toBe(shown))

  test('S-32: what is unfinished at the end', () => {
    expect(['a\u001b', 'a\u001b[', 'a\u001b[31', 'a\u001b]0;t', 'a\r', 'a\u001b[31m', 'a'].map(unfinishedSequence)).toEqual([
      1, 2, 4, 5, 1, 0, 0,
    ])
  })

  test('S-6, S-32: no text is slow to clean', () => {
    const began = performance.now()
    for (const unit of ['\u001b]', '\u001b[', '\u001b', '\u009b', '\r', '\b', '\u001bP;', 'a\u001b]\u0007'])
      cleanOutput(unit.repeat(32_768 / unit.length))
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})

describe('events', () => {
  test('S-33: coalesced to 50 ms or 16 KiB, at most 64 KiB a second, the skipped bytes counted', async () => {
    const clock = virtualClock()
    const ring = new OutputRing({ headBytes: 8192, tailBytes: 24_576 })
    const events: { bytes: number; skipped: number; at: number }[] = []
    const stream = eventStream(ring, {
      clock,
      stream: 'output',
      onOutput: ({ text, skippedBytes }) => events.push({ bytes: text.length, skipped: skippedBytes, at: clock.now() }),
    })
    for (let tick = 0; tick < 100; tick += 1) {
      ring.push(bytes('x'.repeat(4096)))
      stream.touch()
      await clock.advance(10)
    }
    stream.finish()
    const shown = events.reduce((sum, event) => sum + event.bytes, 0)
    expect(shown).toBeLessThanOrEqual(2 * 64 * 1024 + 16 * 1024)
    expect(shown + events.reduce((sum, event) => sum + event.skipped, 0)).toBe(409_600)
    expect(events.length).toBeLessThan(60)
  })
})
