/**
 * Patches of empty files and undone moves, through the tools and the real runtime.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChangeJournal } from '../../src/definition/change-journal.ts'
import { codeOf, textOf, toolWorld, type ToolWorld } from './world.ts'

let world: ToolWorld
beforeEach(async () => {
  world = await toolWorld()
})
afterEach(() => world.close())

test('F-45: a unified diff makes and removes empty files; a text that is none is refused in plain words', async () => {
  const made = await world.call('patch', { diff: 'diff --git a/sub/e b/sub/e\nnew file mode 100644\nindex 0000000..e69de29\n' })
  expect(codeOf(made)).toBe('ok')
  expect(readFileSync(join(world.root, 'sub/e'), 'utf8')).toBe('')
  const gone = await world.call('patch', { diff: 'diff --git a/sub/e b/sub/e\ndeleted file mode 100644\nindex e69de29..0000000\n' })
  expect(codeOf(gone)).toBe('ok')
  expect(existsSync(join(world.root, 'sub/e'))).toBe(false)
  expect(textOf(await world.call('patch', { diff: 'no diff' }))).toBe(
    'The patch: no file header (---, +++) in the diff. No file was changed.',
  )
})

test('F-61: an overwriting move is undone whole: both files are as they were', async () => {
  writeFileSync(join(world.root, 'a.txt'), 'a\n')
  writeFileSync(join(world.root, 'b.txt'), 'b\n')
  await world.call('list', {})
  expect(codeOf(await world.call('move', { from: 'a.txt', to: 'b.txt', overwrite: true }, { turnId: 't' }))).toBe('ok')
  const report = await world.runtime.services.require(ChangeJournal).revert({ turnId: 't' })
  expect(report.kept).toEqual([])
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('a\n')
  expect(readFileSync(join(world.root, 'b.txt'), 'utf8')).toBe('b\n')
})
