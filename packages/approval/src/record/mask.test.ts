import { describe, expect, test } from 'vitest'
import { maskArguments, maskView, unmaskArguments } from './mask.ts'

describe('A-23: masking', () => {
  const args = { user: 'me', 'a/b': { key: 'top secret', list: ['one', 'two'] } }

  test('A-23: by JSON Pointer, escapes and arrays too; what is not there is left', () => {
    expect(maskArguments(args, ['/a~1b/key'])).toEqual({ user: 'me', 'a/b': { key: '[masked]', list: ['one', 'two'] } })
    expect(maskArguments(args, ['/a~1b/list/1', '/none/x'])).toEqual({
      user: 'me',
      'a/b': { key: 'top secret', list: ['one', '[masked]'] },
    })
    expect(maskArguments(args, ['/a~1b'])).toEqual({ user: 'me', 'a/b': '[masked]' })
  })

  test('A-23: the whole, and a pointer that is none, mask everything', () => {
    expect(maskArguments(args, [''])).toBe('[masked]')
    expect(maskArguments(args, ['user'])).toBe('[masked]')
  })

  test('A-23: an edit that keeps the mask gets the value back, one that changes it does not', () => {
    const pointers = ['/a~1b/key']
    expect(unmaskArguments(maskArguments(args, pointers), args, pointers)).toEqual(args)
    expect(unmaskArguments({ 'a/b': { key: 'new' } }, args, pointers)).toEqual({ 'a/b': { key: 'new' } })
    expect(unmaskArguments({ user: '[masked]' }, args, pointers)).toEqual({ user: '[masked]' })
  })

  test('A-23: the values are gone from every text of a view', () => {
    const view = {
      title: 'login top secret',
      kind: 'fetch' as const,
      command: 'curl -u "top secret"',
      diff: '+top secret',
      domains: ['top secret.example'],
      sensitive: ['/a~1b/key'],
    }
    const masked = maskView(view, args)
    expect(JSON.stringify(masked)).not.toContain('top secret')
    expect(masked).toMatchObject({ kind: 'fetch', sensitive: ['/a~1b/key'], command: 'curl -u "[masked]"' })
  })
})
