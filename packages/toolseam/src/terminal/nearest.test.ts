import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

test.each([
  ['bsah', 'bash'],
  ['bahs', 'bash'],
  ['BASH', 'bash'],
  ['redd', 'read'],
  ['completely', undefined],
  ['', undefined],
])('nearest: %s -> %s', (word, expected) => {
  expect(nearest.find(word, ['bash', 'read', 'write'])).toBe(expected)
})
