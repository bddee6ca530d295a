/**
 * The scripted Shell over a virtual clock, and over an in-process bash.
 */
import { Bash } from 'just-bash'
import { expect, test } from 'vitest'
import { scriptedShell, virtualClock } from '../src/testing.ts'

test('S-26, S-20: deadlines and drains follow the clock that it is given', async () => {
  const clock = virtualClock()
  const shell = scriptedShell({
    clock,
    table: { slow: [{ out: 'a' }, { wait: 500_000 }], leaves: [{ leave: 'server', forMs: 60_000 }, { exit: 0 }] },
  })
  const slow = shell.run(shell.resolve({ command: 'slow' }), { signal: new AbortController().signal })
  await clock.advance(119_999)
  expect(shell.list()[0]?.state).toBe('running')
  await clock.advance(1_000)
  expect(await slow).toMatchObject({ state: 'timed-out', output: 'a', durationMs: expect.any(Number) })
  const leaves = shell.run(shell.resolve({ command: 'leaves' }), { signal: new AbortController().signal })
  await clock.advance(300)
  expect(await leaves).toMatchObject({ state: 'exited', survivors: [{ argv: 'server' }], job: 'j2' })
  await clock.advance(60_000)
  await shell.get('j2')?.survivors()
  expect(shell.get('j2')?.live).toBe(false)
})

test('section 2: what is not in the table goes to an in-process bash', async () => {
  const shell = scriptedShell({ interpreter: new Bash(), root: '/' })
  expect(
    await shell.run(shell.resolve({ command: 'echo one two | tr a-z A-Z; exit 3' }), { signal: new AbortController().signal }),
  ).toMatchObject({ exitCode: 3, output: 'ONE TWO\n' })
  await shell.dispose()
})

test('section 2: without one it exits 127 and says so; a terminal is refused', async () => {
  const shell = scriptedShell({ table: {} })
  expect(await shell.run(shell.resolve({ command: 'x' }), { signal: new AbortController().signal })).toMatchObject({
    exitCode: 127,
    output: 'scripted: not in the table: x\n',
  })
  expect(() => shell.resolve({ command: 'x', background: true, input: 'terminal' })).toThrow(/SHELL_TERMINAL_UNAVAILABLE/)
  await shell.dispose()
})
