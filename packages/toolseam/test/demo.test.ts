import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli, temporaryFolder } from './cli.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => (folder = temporaryFolder()))
afterEach(() => folder.remove())

test('demo: six real calls in under a screen, without colour in a pipe', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) folder.file(`${name}.txt`, '')
  const { status, stdout, stderr } = await runCli(['demo'], { cwd: folder.path })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
  expect(stdout).not.toContain('\u001b[')
  const order = [
    'a real call',
    'success',
    'denies',
    'TOOL_DENIED',
    'rewrites',
    'staging',
    'success',
    'aborts',
    'TOOL_ABORTED',
    'UNKNOWN_TOOL before policy',
    'run_code',
    'its call of bash: allow',
    'success',
  ]
  let from = 0
  for (const text of order) {
    const at = stdout.indexOf(text, from)
    expect(at, `${text} after ${order[order.indexOf(text) - 1] ?? 'the start'}`).toBeGreaterThan(-1)
    from = at
  }
  expect(stdout).toMatch(/\| -rw.* \d+ .*f\.txt  \(and \d+ more\)$/m)
})

test('demo: --json is one line a call', async () => {
  const { stdout } = await runCli(['demo', '--json'], { cwd: folder.path })
  const calls = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { isError: boolean; error?: { code: string }; decision?: unknown })
  expect(calls[4]?.decision, 'a collapsed call is refused before policy').toBeUndefined()
  expect(calls.map(({ isError, error }) => (isError ? error?.code : 'success'))).toEqual([
    'success',
    'TOOL_DENIED',
    'success',
    'TOOL_ABORTED',
    'UNKNOWN_TOOL',
    'success',
  ])
})

test('demo: deletes nothing', async () => {
  folder.file('build', 'precious')
  await runCli(['demo'], { cwd: folder.path })
  const { stdout } = await runCli(['exec', 'bash', '{"command":"ls"}'], { cwd: folder.path })
  expect(stdout).toContain('build')
})
