/**
 * docs/errors.md names every error code that a package can give.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const OTHER_WORDS = new Set(['TOOLSEAM_CALL', 'TOOLSEAM_CONFIG_DIR', 'TOOLSEAM_FIGURES'])

test('docs/errors.md names every code of every package', () => {
  const told = readFileSync(join(root, 'docs/errors.md'), 'utf8')
  const sources = readdirSync(join(root, 'packages')).flatMap((folder) =>
    readdirSync(join(root, 'packages', folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => join('packages', folder, 'src', file)),
  )
  const codes = new Set(
    sources.flatMap((file) =>
      [
        ...readFileSync(join(root, file), 'utf8').matchAll(
          /'((?:SHELL|FS|APPROVAL|POLICY|JOURNAL|KERNEL|CODE|ADMISSION|TOOLSEAM)_[A-Z_]+)'/g,
        ),
      ].map(([, code]) => code as string),
    ),
  )
  expect([...codes].filter((code) => !OTHER_WORDS.has(code) && !told.includes(`\`${code}\``)).sort()).toEqual([])
})
