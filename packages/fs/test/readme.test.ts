/**
 * The example of the README runs as it stands there.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FS_ERROR_CODES } from '../src/index.ts'

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

test('the example of the README runs', async () => {
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  expect(code).toContain('createToolRuntime')
  const folder = mkdtempSync(join(import.meta.dirname, 'readme-'))
  try {
    writeFileSync(join(folder, 'example.ts'), `${code}\nexport { edited, report, root }\n`)
    const { edited, report, root } = (await import(join(folder, 'example.ts'))) as {
      edited: { isError: boolean }
      report: { reverted: string[] }
      root: string
    }
    expect(edited.isError).toBe(false)
    expect(report.reverted).toEqual(['a.txt'])
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n')
    rmSync(root, { recursive: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('F-72: the README names every code', () => {
  expect(FS_ERROR_CODES.filter((code) => !readme.includes(`\`${code}\``))).toEqual([])
})
