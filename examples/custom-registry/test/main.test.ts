import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const example = join(import.meta.dirname, '..')

test('example custom-registry: each scope sees and calls its own layer', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(example, 'main.js')], { cwd: example })
  expect(stdout.trimEnd().split('\n')).toEqual([
    'everybody sees: read_note, write_note',
    'reviewer sees: approve, read_note',
    'junior sees: approve, read_note',
    'reviewer reads: ship it',
    'junior reads: ship',
    'reviewer writes: UNKNOWN_TOOL',
    'host writes: written',
  ])
})
