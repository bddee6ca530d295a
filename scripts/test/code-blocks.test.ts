import { expect, test } from 'vitest'
import { codeBlocks, runnableCommands } from '../lib/code-blocks.mjs'

test('code blocks: language, flags, text and line are read; an inner shorter fence is text', () => {
  const text = ['# Title', '```ts no-run', 'const a = 1', '```', 'between', '````md', '```ts', 'inner', '```', '````', ''].join('\n')
  expect(codeBlocks(text)).toEqual([
    { language: 'ts', flags: ['no-run'], text: 'const a = 1\n', line: 2 },
    { language: 'md', flags: [], text: '```ts\ninner\n```\n', line: 6 },
  ])
})

test('code blocks: only our own commands are run, continued lines are joined, a promised exit status is read', () => {
  const text = ['npm install', 'npm start -- \\', '  tools', '$ toolseam exec bash "{}"  # exits 3', 'npm test', 'toolseamless'].join('\n')
  expect(runnableCommands(text)).toEqual([
    { command: 'npm start -- tools', status: 0 },
    { command: 'toolseam exec bash "{}"  # exits 3', status: 3 },
  ])
})
