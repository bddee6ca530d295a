import { expect, test } from 'vitest'
import { inline, printable, renderContent } from './render.ts'

test('render: control and direction characters are shown, not sent', () => {
  expect(printable('a\u001b[31mb\u202ec\n')).toBe('a\\u001b[31mb\\u202ec\\u000a')
})

test('render: a long value is cut with dots', () => {
  expect(inline({ text: 'x'.repeat(200) }, 20)).toBe('{"text":"xxxxxxxx...')
})

test('render: text as it is, other blocks named', () => {
  const content = renderContent([
    { type: 'text', text: 'hello' },
    { type: 'image', mimeType: 'image/png', data: Buffer.from('abc').toString('base64') },
    { type: 'resource_link', uri: 'file:///x', name: 'x' },
    { type: 'resource', resource: { uri: 'file:///y', text: 'inside' } },
  ])
  expect(content).toBe('hello\n[image image/png, 3 bytes]\n[x: file:///x]\ninside')
})
