import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli, temporaryFolder } from './cli.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => (folder = temporaryFolder()))
afterEach(() => folder.remove())

const run = (...args: string[]): ReturnType<typeof runCli> => runCli(args, { cwd: folder.path })
const file = (name: string): string => join(folder.path, name)
const read = (name: string): string => readFileSync(file(name), 'utf8')

/** One turn that edits a file and makes another; its tag. */
async function changed(): Promise<string> {
  folder.file('notes.txt', 'first\nsecond\nthird\nfourth\nfifth\nsixth\n')
  const calls = [
    { name: 'read', arguments: { path: 'notes.txt' } },
    { name: 'edit', arguments: { path: 'notes.txt', old: 'first', new: 'FIRST' } },
    { name: 'write', arguments: { path: 'made.txt', content: 'made\n' } },
  ]
  const { stdout } = await runCli(['turn', '--json'], { cwd: folder.path, input: JSON.stringify(calls) })
  return (JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { turnId: string }).turnId
}

test('F-66: changes lists what was changed; undo without a tag lists the tags; with one it takes it back, and the undo can be undone', async () => {
  const tag = await changed()
  const entries = JSON.parse((await run('changes', '--json')).stdout) as object[]
  expect(entries).toMatchObject([
    { tag, path: 'notes.txt', kind: 'modify' },
    { tag, path: 'made.txt', kind: 'create' },
  ])
  const shown = await run('changes', tag)
  expect(shown.stdout).toContain('-first\n+FIRST\n')
  expect(JSON.parse((await run('undo', '--json')).stdout)).toMatchObject([{ tag, paths: ['notes.txt', 'made.txt'] }])

  const dry = await run('undo', tag, '--dry-run')
  expect(dry.stdout).toContain('would delete  made.txt')
  expect(existsSync(file('made.txt'))).toBe(true)

  writeFileSync(file('notes.txt'), `${read('notes.txt')}my own line\n`)
  const undone = await run('undo', tag, '--json')
  expect(undone.status).toBe(0)
  const report = JSON.parse(undone.stdout) as { tag: string; applied: boolean }
  expect(report.applied).toBe(true)
  expect(read('notes.txt')).toBe('first\nsecond\nthird\nfourth\nfifth\nsixth\nmy own line\n')
  expect(existsSync(file('made.txt'))).toBe(false)

  expect((await run('undo', report.tag)).status).toBe(0)
  expect(read('notes.txt')).toBe('FIRST\nsecond\nthird\nfourth\nfifth\nsixth\nmy own line\n')
  expect(read('made.txt')).toBe('made\n')
})

test('F-66: what the user changed in the same place stays and is told, exit 1; with --strict nothing is done', async () => {
  const tag = await changed()
  writeFileSync(file('notes.txt'), read('notes.txt').replace('FIRST', 'mine'))
  const strict = await run('undo', tag, '--strict')
  expect(strict.status).toBe(1)
  expect(strict.stderr).toContain('FS_UNDO_CONFLICT')
  expect(read('made.txt')).toBe('made\n')
  const { status, stdout } = await run('undo', tag)
  expect(status).toBe(1)
  expect(stdout).toContain('kept as it is  notes.txt')
  expect(read('notes.txt')).toMatch(/^mine\n/)
  expect(existsSync(file('made.txt'))).toBe(false)
})

test('F-66: a tag that is not there exits 2 and names the nearest', async () => {
  const tag = await changed()
  const { status, stderr } = await run('undo', `${tag}x`)
  expect(status).toBe(2)
  expect(stderr).toContain(`did you mean "${tag}"?`)
})
