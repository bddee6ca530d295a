/**
 * The README is held to the code.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolResult } from '@toolseam/core-tools'
import { expect, test } from 'vitest'
import { SHELL_ERROR_CODES } from '../src/index.ts'
import { textOf } from './support.ts'

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

test('section 10: the example of the README runs', async () => {
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const folder = mkdtempSync(join(import.meta.dirname, 'readme-'))
  try {
    writeFileSync(join(folder, 'example.ts'), `${code}\nexport { listing, started }\n`)
    const { listing, started } = (await import(join(folder, 'example.ts'))) as { listing: ToolResult; started: ToolResult }
    expect(textOf(listing)).toMatch(/^hello\n\[exit 3\]/)
    expect(started).toMatchObject({ isError: false, value: { state: 'running' } })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('S-53: the README names every code', () => {
  expect(SHELL_ERROR_CODES.filter((code) => !readme.includes(`\`${code}\``))).toEqual([])
})
