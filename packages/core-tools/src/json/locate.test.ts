import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { locateJsonFault } from './locate.ts'

test.each([
  ['{', 'expected a property name in double quotes at line 1, column 2, the text ends'],
  ["{'a': 1}", 'expected a property name in double quotes at line 1, column 2, found "\'"'],
  ['{"a": 1,}', 'expected a property name in double quotes at line 1, column 9, found "}"'],
  ['[1,]', 'expected a JSON value at line 1, column 4, found "]"'],
  ['[1 2]', 'expected "," or "]" at line 1, column 4, found "2"'],
  ['{"a" 1}', 'expected ":" at line 1, column 6, found "1"'],
  ['{"a": 1\n "b": 2}', 'expected "," or "}" at line 2, column 2, found "\\""'],
  ['{"a": 1}}', 'expected the end of the text at line 1, column 9, found "}"'],
  ['"abc', 'the string that begins at line 1, column 1 does not end'],
  ['"a\\x"', 'unknown escape in a string at line 1, column 3'],
  ['"a\nb"', 'unescaped control character in a string at line 1, column 3'],
  ['undefined', 'expected a JSON value at line 1, column 1, found "u"'],
  ['{"a": 😀}', 'expected a JSON value at line 1, column 7, found "😀"'],
])('P-13: the fault of %j is found', (text, message) => {
  expect(locateJsonFault(text)).toBe(message)
})

test('P-13: a fault is found exactly where the parser of the engine refuses (property)', () => {
  const pieces = fc.array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', '0', '.5', 'e3', 'true', 'nul', ' ', '\n', '"', '\\', 'x'),
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('')
      expect(locateJsonFault(text) === 'no fault found').toBe(isJson(text))
    }),
    { numRuns: 2000, seed: 20_26 },
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
