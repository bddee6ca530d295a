import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ended, runCli, seen, startCli, temporaryFolder } from './cli.ts'
import { endSleepers, sleepers, uniqueSeconds } from './processes.ts'

let folder: ReturnType<typeof temporaryFolder>
let seconds: string
beforeEach(() => {
  folder = temporaryFolder()
  seconds = uniqueSeconds()
})
afterEach(() => {
  endSleepers(seconds)
  folder.remove()
})

type Line = { [key: string]: unknown } & { kind?: string; turnId: string; status?: string; results: { [key: string]: unknown }[] }
const lines = (stdout: string): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
const call = (name: string, args: object): object => ({ name, arguments: args })
const read = (name: string): string => readFileSync(join(folder.path, name), 'utf8')

describe('turn', () => {
  test('command: --json is one line a domain event, then the results in model order; the exit status is the highest of its calls', async () => {
    const calls = [
      { callId: 'mine', ...call('write', { path: 'a.txt', content: 'one\n' }) },
      call('bash', { command: 'cat a.txt' }),
      call('read', { path: 'missing.txt' }),
      call('bash', { command: 'touch b.txt' }),
    ]
    const { status, stdout } = await runCli(['turn', '--json'], { cwd: folder.path, input: JSON.stringify(calls) })
    expect(status).toBe(3)
    const all = lines(stdout)
    const events = all.slice(0, -1)
    // Neighbours that only read overlap: which of them settles first is open.
    expect(events.map(({ kind }) => kind).toSorted()).toEqual(['tool.block_failed', 'tool.block_result', 'tool.block_result'])
    const last = all.at(-1)
    expect(Object.keys(last ?? {})).toEqual(['turnId', 'status', 'results'])
    expect(last?.status).toBe('completed')
    expect(last?.results).toMatchObject([
      { callId: 'mine', name: 'write', isError: false },
      { name: 'bash', isError: false, content: [{ text: 'one\n' }] },
      { name: 'read', isError: true, error: { code: 'FS_NOT_FOUND' } },
      { name: 'bash', isError: true, error: { code: 'APPROVAL_UNAVAILABLE' }, decision: { kind: 'ask' } },
    ])
    expect(events.every(({ turnId }) => turnId === last?.turnId)).toBe(true)
  })

  test.each([
    ['{"name":"bash"}', 'JSON array'],
    ['[{"name":"bash",}]', 'not JSON'],
    ['[1]', 'call 0 of the turn is no object'],
    ['[{"name":"bash","args":{}}]', 'unknown key "args"'],
    ['[{"callId":"x","name":"a"},{"callId":"x","name":"b"}]', 'two calls of the turn'],
    ['[{"callId":7,"name":"a"}]', '"callId" of call 0'],
  ])('command: %s is no turn: exit 2, and nothing runs', async (input, words) => {
    const { status, stdout, stderr } = await runCli(['turn', '--json'], { cwd: folder.path, input })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(words)
  })
})

/** A turn in the middle of a command with a child in the background, one in a session of its own and one in front. */
async function turnOfSleepers(...options: string[]): Promise<ReturnType<typeof startCli>> {
  folder.file('notes.txt', 'first\nsecond\nthird\nfourth\nfifth\nsixth\n')
  const turn = [
    call('read', { path: 'notes.txt' }),
    call('edit', { path: 'notes.txt', old: 'first', new: 'FIRST' }),
    call('write', { path: 'made.txt', content: 'made\n' }),
    { callId: 'sleepy', ...call('bash', { command: `sleep ${seconds} & setsid sleep ${seconds} & sleep ${seconds}` }) },
    { callId: 'never', ...call('write', { path: 'never.txt', content: '' }) },
  ]
  const file = folder.file('turn.json', JSON.stringify(turn))
  const child = startCli(['turn', file, '--json', '--preset', 'full-access', ...options], { cwd: folder.path })
  child.stdin?.end()
  return child
}

const asleep = (): Promise<void> => expect.poll(() => sleepers(seconds).length, { timeout: 60_000 }).toBe(3)

describe('stopping a turn', () => {
  test('E-30, E-31: Ctrl-C ends the whole tree in its budget, tells what was discarded, undoes the turn and keeps what the user wrote', async () => {
    const child = await turnOfSleepers('--revert', 'turn')
    const end = ended(child)
    await asleep()
    expect(read('notes.txt')).toMatch(/^FIRST\n/)
    writeFileSync(join(folder.path, 'notes.txt'), `${read('notes.txt')}my own line\n`)
    const since = performance.now()
    child.kill('SIGINT')
    const { status, stdout, stderr } = await end
    // The budget of a stop is 5 s; the rest is for a busy machine and the end of the process.
    expect(performance.now() - since).toBeLessThan(15_000)
    expect(status).toBe(130)
    expect(sleepers(seconds)).toEqual([])
    const all = lines(stdout)
    expect(all.at(-1)).toMatchObject({ status: 'halted' })
    expect(all.at(-1)?.results.map(({ error }) => (error as { code: string } | undefined)?.code)).toEqual([
      undefined,
      undefined,
      undefined,
      'TOOL_ABORTED',
      'TOOL_ABORTED_BEFORE_DISPATCH',
    ])
    const receipt = all.find(({ kind }) => kind === 'tool.halted')
    expect(receipt).toMatchObject({ reason: 'cancel', discarded: [{ dlineTid: expect.stringMatching(/#3$/) }] })
    expect(stderr).toContain('discarded  sleepy  bash')
    expect(stderr).toContain('undone: notes.txt')
    expect(existsSync(join(folder.path, 'made.txt'))).toBe(false)
    expect(existsSync(join(folder.path, 'never.txt'))).toBe(false)
    expect(read('notes.txt')).toBe('first\nsecond\nthird\nfourth\nfifth\nsixth\nmy own line\n')
  })

  test('E-31: without --revert what was applied stays', async () => {
    const child = await turnOfSleepers()
    const end = ended(child)
    await asleep()
    child.kill('SIGINT')
    expect((await end).status).toBe(130)
    expect(sleepers(seconds)).toEqual([])
    expect(read('made.txt')).toBe('made\n')
    expect(read('notes.txt')).toMatch(/^FIRST\n/)
  })
})

describe('stopping harder', () => {
  test('command: the second Ctrl-C terminates the turn that the first one is stopping', async () => {
    const command = `trap '' TERM INT; sleep ${seconds} & while :; do sleep ${seconds}; done`
    const file = folder.file('turn.json', JSON.stringify([call('bash', { command })]))
    const child = startCli(['turn', file, '--json', '--preset', 'full-access'], { cwd: folder.path })
    child.stdin?.end()
    const end = ended(child)
    const stopping = seen(child, { channel: 'stderr', text: 'stopping the turn' })
    await expect.poll(() => sleepers(seconds).length, { timeout: 60_000 }).toBeGreaterThan(0)
    child.kill('SIGINT')
    await stopping
    child.kill('SIGINT')
    const { status, stdout } = await end
    expect(status).toBe(130)
    expect(sleepers(seconds)).toEqual([])
    expect(lines(stdout).find(({ reason }) => reason === 'terminate')?.kind).toMatch(/^tool\.halt/)
    expect(lines(stdout).at(-1)).toMatchObject({ status: 'halted', results: [{ error: { code: 'TOOL_ABORTED' } }] })
  })
})

describe('a turn whose process is killed', () => {
  test('E-49: the journal opens, and the log says of which call nobody knows the end', async () => {
    const child = await turnOfSleepers()
    const end = ended(child)
    await asleep()
    child.kill('SIGKILL')
    await end
    const { status, stdout } = await runCli(['log', '--json'], { cwd: folder.path })
    expect(status).toBe(0)
    const all = lines(stdout)
    expect(all.flatMap(({ open }) => (open === undefined ? [] : [open]))).toMatchObject([
      { callId: 'sleepy', name: 'bash', state: 'unknown' },
    ])
    const told = await runCli(['log'], { cwd: folder.path })
    expect(told.stdout).toMatch(/unknown {2}sleepy {2}bash/)
    const one = await runCli(['log', 'sleepy'], { cwd: folder.path })
    expect(one.stdout).toContain(`setsid sleep ${seconds}`)
    // What the call left is the system's; the next command works on the same folder.
    expect((await runCli(['exec', 'bash', '{"command":"ls"}'], { cwd: folder.path })).status).toBe(0)
  })
})

describe('log', () => {
  test('E-52: a call and its result, by id; an id that is not on record exits 2', async () => {
    const { stdout } = await runCli(['exec', 'bash', '{"command":"echo hello"}', '--json'], { cwd: folder.path })
    const { callId } = JSON.parse(stdout) as { callId: string }
    const told = await runCli(['log', callId], { cwd: folder.path })
    expect(told.stdout).toMatch(new RegExp(`call +${callId} +bash \\{"command":"echo hello"\\}`))
    expect(told.stdout).toMatch(new RegExp(`result +${callId} +bash success in [\\d.]+ ms\\n +hello`))
    expect((await runCli(['log', 'nobody'], { cwd: folder.path })).status).toBe(2)
  })

  test('command: --follow goes on with the journals of other processes until Ctrl-C', async () => {
    const follower = startCli(['log', '--follow', '--json'], { cwd: folder.path })
    follower.stdin?.end()
    let followed = ''
    follower.stdout?.on('data', (chunk: Buffer) => (followed += chunk.toString()))
    const end = ended(follower)
    await runCli(['exec', 'bash', '{"command":"echo followed"}'], { cwd: folder.path })
    await expect.poll(() => followed, { timeout: 30_000 }).toContain('tool/result')
    follower.kill('SIGINT')
    expect((await end).status).toBe(130)
    expect(lines(followed).map(({ data }) => (data as { kind: string }).kind)).toEqual(['tool/call', 'tool/result'])
  })
})
