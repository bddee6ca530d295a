/**
 * The worker of the fallback engine runs the source text of functions: it has to survive a bundler, also one that shortens names.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { bundled } from '../journal/bundle.ts'
import { plant, testGround } from './ground.ts'

test.each([false, true])('F-52: the fallback engine works when it is bundled (shortened: %s)', { timeout: 60_000 }, async (minify) => {
  const ground = testGround()
  await plant(ground.root, { 'a.txt': `one\nhit ü\n${'x'.repeat(600)}hit\n`, 'wide.txt': Buffer.from('\uFEFFhit\n', 'utf16le') })
  const program = await bundled('search-js.ts', { minify })
  const { stdout } = await promisify(execFile)(process.execPath, [program, ground.root, '\\bhit|xhit'])
  expect(JSON.parse(stdout)).toEqual(['a.txt:2: hit ü', expect.stringMatching(/^a\.txt:3: x+hit$/), 'wide.txt:1: hit'])
  ground.remove()
})
