/**
 * What every provider of `Shell` has to hold (S-5). The commands are real bash; `CONTRACT_SCRIPT` is the table that plays them without processes.
 */
import { describe, expect, test } from 'vitest'
import type { ShellRequest, ShellResult } from '../definition/command.ts'
import type { Shell } from '../definition/shell.ts'
import type { ScriptedEvent } from '../providers/scripted/shell.ts'

const LONG = 'seq 1 20000'
const STUBBORN = 'trap "" TERM; echo ready; while :; do sleep 0.05; done'

/** Table for `scriptedShell`. */
export const CONTRACT_SCRIPT: Readonly<Record<string, readonly ScriptedEvent[]>> = {
  'echo hello': [{ out: 'hello\n' }],
  'echo out; echo err >&2': [{ out: 'out\n' }, { err: 'err\n' }],
  'exit 7': [{ exit: 7 }],
  'echo before; kill -9 $$': [{ out: 'before\n' }, { killedBy: 'SIGKILL' }],
  'echo partial; sleep 30': [{ out: 'partial\n' }, { wait: 30_000 }],
  'sleep 30 & echo left': [{ out: 'left\n' }, { leave: 'sleep 30', forMs: 30_000 }],
  cat: [{ echoInput: true }],
  [STUBBORN]: [{ trap: 'SIGTERM' }, { out: 'ready\n' }, { wait: 60_000 }],
  [LONG]: [{ out: Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('') }],
}

/** `create` gives a fresh provider with a short grace (`limits.graceMs` 200, `jobs` 4); the suite disposes it. */
export function shellContract(name: string, create: () => Shell | Promise<Shell>): void {
  type Run = (command: string, extra?: Partial<ShellRequest>, signal?: AbortSignal) => Promise<ShellResult>
  const within = async (body: (shell: Shell, run: Run) => Promise<void>): Promise<void> => {
    const shell = await create()
    const run: Run = (command, extra, signal = new AbortController().signal) => shell.run(shell.resolve({ command, ...extra }), { signal })
    try {
      await body(shell, run)
    } finally {
      await shell.dispose()
    }
  }
  describe(`Shell contract: ${name}`, () => {
    test('S-1: success, failure and signals are values', () =>
      within(async (_shell, run) => {
        expect(await run('echo hello')).toMatchObject({
          state: 'exited',
          exitCode: 0,
          signal: null,
          output: 'hello\n',
          totalBytes: 6,
          omittedBytes: 0,
        })
        expect(await run('exit 7')).toMatchObject({ state: 'exited', exitCode: 7, signal: null })
        expect(await run('echo before; kill -9 $$')).toMatchObject({
          state: 'exited',
          exitCode: null,
          signal: 'SIGKILL',
          output: 'before\n',
        })
      }))

    test('S-34: one stream in true order; two where split', () =>
      within(async (_shell, run) => {
        expect((await run('echo out; echo err >&2')).output).toBe('out\nerr\n')
        expect(await run('echo out; echo err >&2', { split: true })).toMatchObject({ output: 'out\n', stderr: 'err\n' })
      }))

    test('S-2, S-24: a timeout ends the tree and keeps the partial output', () =>
      within(async (_shell, run) => {
        expect(await run('echo partial; sleep 30', { timeoutMs: 500 })).toMatchObject({
          state: 'timed-out',
          exitCode: null,
          output: 'partial\n',
          timeoutMs: 500,
        })
      }))

    test('S-40: an abort ends the command; before the start nothing is started', () =>
      within(async (shell, run) => {
        const gone = AbortSignal.abort(new Error('gone'))
        await expect(run('echo hello', {}, gone)).rejects.toThrow('gone')
        expect(shell.list()).toEqual([])
        const stop = new AbortController()
        const running = run('echo partial; sleep 30', {}, stop.signal)
        await started(shell)
        await shell.list()[0]?.waitFor({ until: 'partial', ms: 10_000 })
        stop.abort()
        expect(await running).toMatchObject({ state: 'aborted', output: 'partial\n' })
      }))

    test('S-22: what ignores TERM is killed after the grace', () =>
      within(async (shell) => {
        const command = await shell.start(shell.resolve({ command: STUBBORN }))
        await command.waitFor({ until: 'ready', ms: 10_000 })
        const [first, second] = await Promise.all([command.terminate('kill'), command.terminate('timeout')])
        expect(first).toMatchObject({ state: 'killed', cause: 'kill', exitCode: null, signal: 'SIGKILL', stuck: [] })
        expect(second.cause).toBe('kill')
      }))

    test('S-21: what is left behind makes a job, which a kill ends', () =>
      within(async (shell, run) => {
        const result = await run('sleep 30 & echo left')
        expect(result).toMatchObject({ state: 'exited', exitCode: 0, output: 'left\n', survivors: [{ argv: 'sleep 30' }] })
        const command = shell.get(result.job ?? '')
        expect(command?.live).toBe(true)
        await command?.terminate('kill')
        expect(command?.live).toBe(false)
        expect(command?.state).toBe('exited')
      }))

    test('S-30, S-33: the ring keeps head and tail, counts exactly, and says lossy', () =>
      within(async (_shell, run) => {
        const result = await run(LONG)
        const whole = CONTRACT_SCRIPT[LONG]?.[0]
        const text = whole !== undefined && 'out' in whole ? String(whole.out) : ''
        expect(result.totalBytes).toBe(text.length)
        expect(result.output.length).toBeLessThanOrEqual(32 * 1024)
        expect(result.omittedBytes).toBe(text.length - result.output.length)
        expect(text.startsWith(result.output.slice(0, result.omittedAt))).toBe(true)
        expect(text.endsWith(result.output.slice(result.omittedAt))).toBe(true)
      }))

    test('S-33: a job is read from any offset, with input, until its end', () =>
      within(async (shell) => {
        const command = await shell.start(shell.resolve({ command: 'cat', background: true, input: 'pipe' }))
        await command.write('one\n')
        expect(await command.waitFor({ until: /^one$/m, ms: 10_000 })).toBe('matched')
        const first = command.read()
        await command.write('two\n')
        await command.closeInput()
        expect(await command.waitFor({ exit: true, ms: 10_000 })).toBe('exited')
        expect(command.read({ from: first.next }).text).toBe('two\n')
        expect(command.read({ from: 0 }).text).toBe('one\ntwo\n')
        await expect(command.write('x')).rejects.toMatchObject({ code: 'SHELL_INPUT_CLOSED' })
      }))

    test('S-17: the limit per agent is kept and lists the live ones', () =>
      within(async (shell) => {
        const spec = (agent: string) => shell.resolve({ command: 'echo partial; sleep 30', background: true, agent })
        for (let job = 0; job < 4; job += 1) await shell.start(spec('a'))
        await expect(shell.start(spec('a'))).rejects.toMatchObject({ code: 'SHELL_JOB_LIMIT', details: { limit: 4 } })
        await shell.start(spec('b'))
      }))

    test('S-42, S-43: a cancel ends the turn, keeps explicit ones, and refuses later starts', () =>
      within(async (shell) => {
        const mine = { command: 'echo partial; sleep 30', turnId: 't1' }
        const foreground = await shell.start(shell.resolve({ ...mine, owner: { kind: 'turn', turnId: 't1' } }))
        const background = await shell.start(shell.resolve({ ...mine, background: true }))
        const other = await shell.start(shell.resolve({ ...mine, turnId: 't2', owner: { kind: 'turn', turnId: 't2' } }))
        expect(await shell.cancelForeground({ turnId: 't1' })).toEqual({ survivors: [], ended: [foreground.id], kept: [background.id] })
        expect([foreground.state, background.state, other.state]).toEqual(['killed', 'running', 'running'])
        await expect(shell.start(shell.resolve(mine))).rejects.toMatchObject({ code: 'SHELL_HALTED' })
      }))

    test('S-45: a job is visible to its agent and the host, a foreign id is unknown', () =>
      within(async (shell) => {
        const { id } = await shell.start(shell.resolve({ command: 'echo partial; sleep 30', background: true, agent: 'a' }))
        expect(shell.get(id, 'a')?.id).toBe(id)
        expect(shell.get(id)?.id).toBe(id)
        expect(shell.get(id, 'b')).toBeUndefined()
        expect(shell.list({ agent: 'b' })).toEqual([])
      }))

    test('S-44: dispose ends all and starts nothing more', () =>
      within(async (shell) => {
        const spec = shell.resolve({ command: 'echo partial; sleep 30', background: true })
        const command = await shell.start(spec)
        await shell.dispose()
        expect(await command.exit).toMatchObject({ cause: 'dispose' })
        await expect(shell.start(spec)).rejects.toMatchObject({ code: 'SHELL_DISPOSED' })
      }))

    test('S-15: outside the roots is refused; S-26: a too large timeout is clamped and said', () =>
      within(async (shell) => {
        expect(() => shell.resolve({ command: 'x', cwd: '/no-such-place' })).toThrow(/SHELL_CWD_/)
        const spec = shell.resolve({ command: 'x', timeoutMs: 10_000_000 })
        expect(spec.timeoutMs).toBe(600_000)
        expect(spec.notes).toEqual([{ kind: 'timeout-clamped', askedMs: 10_000_000, timeoutMs: 600_000 }])
        expect(shell.resolve({ command: 'x', background: true }).timeoutMs).toBeNull()
      }))
  })
}

async function started(shell: Shell): Promise<void> {
  while (shell.list().length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
}
