import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const example = join(import.meta.dirname, '..')

test('example policy-hook: rewrite, ask, rejection and guard, each named in the record', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(example, 'main.js')], { cwd: example })
  const [staging, approved, rejected, frozen] = stdout.split(/^(?=\S)/m)
  expect(staging).toContain('record: allow by dry-run-first, ran with {"service":"web","target":"staging","dryRun":true}')
  expect(staging).toContain('web is on staging (dry run)')
  expect(approved).toContain('asked: production needs a human (web)')
  expect(approved).toContain('record: ask by ask-for-production')
  expect(approved).toContain('web is on production')
  expect(rejected).toContain('APPROVAL_REJECTED')
  expect(frozen).not.toContain('asked')
  expect(frozen).toContain('TOOL_DENIED')
  expect(frozen).toContain('billing is frozen this week')
})
