import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const example = join(import.meta.dirname, '..')

test('example install-plugins: both plugins are there, calls are validated and answered in order, a plugin goes without a trace', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(example, 'main.js')], { cwd: example })
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^tools: .*bash.*word_count/)
  expect(lines[1]).toBe('shown to the model: one guarded path')
  expect(lines[2]).toBe('shown to the model: 3')
  expect(lines[3]).toBe('error INVALID_TOOL_INPUT')
  expect(lines[4]).toMatch(/^with: .*greet/)
  expect(lines[5]).toMatch(/^without: (?!.*greet)/)
})
