import { expect, test } from 'vitest'
import { applyDelta, deltaOf } from './delta.ts'
import { mergeBack } from './merge.ts'

const merge = (base: string, target: string, current: string): string => {
  const outcome = mergeBack({
    base: Buffer.from(base, 'latin1'),
    target: Buffer.from(target, 'latin1'),
    current: Buffer.from(current, 'latin1'),
  })
  return outcome.kind === 'merged' ? outcome.bytes.toString('latin1') : `! ${outcome.reason}`
}

test('F-61: a change is taken out, another one elsewhere stays', () => {
  expect(merge('a\nX\nb\nc\nd\n', 'a\nb\nc\nd\n', 'a\nX\nb\nc\nuser\nd\n')).toBe('a\nb\nc\nuser\nd\n')
})

test('F-61: the same or touching lines are a conflict', () => {
  expect(merge('a\nX\nb\n', 'a\nY\nb\n', 'a\nX user\nb\n')).toBe('! overlap')
  expect(merge('a\nX\nb\n', 'a\nY\nb\n', 'a\nX\nb user\n')).toBe('! overlap')
  expect(merge('a\nX\n', 'a\n', 'a\nX\nuser\n')).toBe('! overlap')
})

test('F-61: a change that was taken back already is none', () => {
  expect(merge('a\nX\nb\n', 'a\nY\nb\n', 'a\nY\nb\n')).toBe('a\nY\nb\n')
})

test('F-61: line ends, a missing last one and bytes that are not UTF-8 are kept', () => {
  expect(merge('a\r\nX\r\nb\nc\xff', 'a\r\nY\r\nb\nc\xff', 'a\r\nX\r\nb\nc\xff\nd')).toBe('a\r\nY\r\nb\nc\xff\nd')
})

test('F-61: binary contents are not merged', () => {
  expect(merge('a\0', 'b\0', 'c\0')).toBe('! not-text')
})

test('F-60: a delta gives the new content back', () => {
  for (const [before, after] of [
    ['', 'x'],
    ['x', ''],
    ['abcabc', 'abcXabc'],
    ['aaa', 'aa'],
    ['same', 'same'],
    ['left', 'right'],
  ] as const) {
    const delta = deltaOf(Buffer.from(before), Buffer.from(after))
    expect(Buffer.from(applyDelta(Buffer.from(before), delta)).toString()).toBe(after)
  }
})
