import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli, temporaryFolder } from './cli.ts'
import { type Seat, sitDown } from './pty.ts'

let folder: ReturnType<typeof temporaryFolder>
let seat: Seat | undefined
beforeEach(() => {
  folder = temporaryFolder()
  seat = undefined
})
afterEach(() => {
  seat?.kill()
  folder.remove()
})

const KEYS = '[a] allow once'
const made = (name: string): boolean => existsSync(join(folder.path, name))
const exec = (command: string, ...more: string[]): Seat =>
  (seat = sitDown(['exec', 'bash', JSON.stringify({ command }), ...more], { cwd: folder.path }))

test('A-15: exactly what will run is shown, what was typed before counts for nothing, one key allows it once', async () => {
  const at = exec(`echo 'one two' > made.txt # \u0007bell`)
  at.type('aaa\r')
  await at.seen(KEYS)
  expect(made('made.txt')).toBe(false)
  const screen = at.screen()
  expect(screen).toContain(String.raw`echo 'one two' > made.txt # `)
  expect(screen).toContain(`writes     ${join(folder.path, 'made.txt')}`)
  expect(screen).toContain('asked by   preset:workspace-write')
  expect(screen).not.toContain('\u0007')
  at.type('\r')
  at.type('a')
  await at.seen('Allowed.')
  expect(await at.ended).toBe(0)
  expect(readFileSync(join(folder.path, 'made.txt'), 'utf8')).toBe('one two\n')
})

test('A-15: a rejection carries its reason to the model and exits 3', async () => {
  const at = exec('touch made.txt', '--json')
  await at.seen(KEYS)
  at.type('r')
  await at.seen('Reason for the model')
  at.type('not on a Friday\r')
  expect(await at.ended).toBe(3)
  expect(at.screen()).toContain('"code":"APPROVAL_REJECTED"')
  expect(at.screen()).toContain('not on a Friday')
  expect(made('made.txt')).toBe(false)
})

test('A-15: what is edited at the prompt is what runs', async () => {
  const at = exec('touch first.txt')
  await at.seen(KEYS)
  at.type('e')
  await at.seen('> {"command":"touch first.txt"}')
  // Over the end `"}` and the name before it, then the new one.
  at.type(`${'\u007f'.repeat('first.txt"}'.length)}second.txt"}\r`)
  expect(await at.ended).toBe(0)
  expect([made('first.txt'), made('second.txt')]).toEqual([false, true])
})

test('A-15: allow more shows its scopes; an answer for the project holds for the next command, without a terminal', async () => {
  const at = exec('touch made.txt')
  await at.seen('[m] allow more')
  at.type('m')
  await at.seen('Remember as')
  const choice = /(\d+) {2}exactly this call, for every agent in this project/.exec(at.screen())?.[1]
  expect(choice, at.screen()).toBeDefined()
  at.type(`${choice}\r`)
  expect(await at.ended).toBe(0)
  const again = await runCli(['exec', 'bash', '{"command":"touch made.txt"}'], { cwd: folder.path })
  const other = await runCli(['exec', 'bash', '{"command":"touch other.txt"}'], { cwd: folder.path })
  expect([again.status, other.status]).toEqual([0, 3])
})

test('A-15: Ctrl-C at the prompt breaks off: nothing runs, exit 130', async () => {
  const at = exec('touch made.txt')
  await at.seen(KEYS)
  at.type('\u0003')
  expect(await at.ended).toBe(130)
  expect(at.screen()).toContain('APPROVAL_CANCELLED')
  expect(made('made.txt')).toBe(false)
})

test('A-15: Ctrl-C at a prompt of a turn stops the turn', async () => {
  const calls = ['first', 'second'].map((name) => ({ callId: name, name: 'bash', arguments: { command: `touch ${name}.txt` } }))
  const file = folder.file('turn.json', JSON.stringify(calls))
  seat = sitDown(['turn', file], { cwd: folder.path })
  await seat.seen(KEYS)
  seat.type('\u0003')
  expect(await seat.ended).toBe(130)
  expect([made('first.txt'), made('second.txt')]).toEqual([false, false])
})

test('command: Ctrl-C at the terminal while the command runs exits 130', async () => {
  const at = exec('echo begun > begun.txt; exec tail -f /dev/null', '--approve', 'once')
  await expect.poll(() => made('begun.txt'), { timeout: 30_000 }).toBe(true)
  at.type('\u0003')
  expect(await at.ended).toBe(130)
  expect(at.screen()).toContain('TOOL_ABORTED')
})
