/**
 * What every provider of `Subprocess` has to hold (S-5). The programs are POSIX utilities; `CONTRACT_PROGRAMS` plays them in memory.
 */
import { describe, expect, test } from 'vitest'
import type { ChildHandle, SpawnSpec, Subprocess } from '../definition/subprocess.ts'
import type { MemoryProgram } from '../providers/memory/subprocess.ts'

const SCRIPTS: Readonly<Record<string, MemoryProgram>> = {
  'echo out; echo err >&2': (_argv, io) => {
    io.out('out\n')
    io.err('err\n')
    return 0
  },
  'exit 7': () => 7,
  'kill -9 $$': () => ({ exitCode: null, signal: 'SIGKILL' }),
  'exec cat': async (_argv, io) => {
    for (let text = await io.read(); text !== undefined; text = await io.read()) io.out(text)
    return 0
  },
  'exec sleep 30': async (_argv, io) => {
    await io.sleep(30_000)
    return 0
  },
  'trap "" TERM; echo ready; while :; do sleep 0.05; done': async (_argv, io) => {
    io.trap('SIGTERM', () => {})
    io.out('ready\n')
    await io.sleep(60_000)
    return 0
  },
  'sleep 30 & echo left': (_argv, io) => {
    io.out('left\n')
    io.leave('sleep 30', ({ sleep }) => sleep(30_000))
    return 0
  },
  'printf %s "$GIVEN"': (_argv, io) => {
    io.out(io.env['GIVEN'] ?? '')
    return 0
  },
}

/** `sh -c` with the scripts of the suite, for providers without processes. */
export const CONTRACT_PROGRAMS: Readonly<Record<string, MemoryProgram>> = {
  sh: (argv, io) => {
    const script = SCRIPTS[argv[2] ?? '']
    return script === undefined ? 127 : script(argv, io)
  },
}

/** `create` gives a fresh provider; the suite disposes it. */
export function subprocessContract(name: string, create: () => Subprocess | Promise<Subprocess>): void {
  const within = async (
    body: (spawn: (script: string, extra?: Partial<SpawnSpec>) => Promise<ChildHandle>, provider: Subprocess) => Promise<void>,
  ): Promise<void> => {
    const provider = await create()
    try {
      await body((script, extra) => provider.spawn(specOf(script, extra)), provider)
    } finally {
      await provider.dispose()
    }
  }
  describe(`Subprocess contract: ${name}`, () => {
    test('S-34: both streams come through one pipe in order, unless split', () =>
      within(async (spawn) => {
        expect(await outputOf(await spawn('echo out; echo err >&2'))).toEqual({ stdout: 'out\nerr\n', stderr: '' })
        expect(await outputOf(await spawn('echo out; echo err >&2', { output: 'split' }))).toEqual({ stdout: 'out\n', stderr: 'err\n' })
      }))

    test('S-24: exit codes and signals are told apart', () =>
      within(async (spawn) => {
        expect(await (await spawn('exit 7')).exit).toEqual({ exitCode: 7, signal: null })
        expect(await (await spawn('kill -9 $$')).exit).toEqual({ exitCode: null, signal: 'SIGKILL' })
      }))

    test('S-14: input is written until it is closed; a closed one refuses', () =>
      within(async (spawn) => {
        const child = await spawn('exec cat', { input: 'pipe' })
        const output = outputOf(child)
        await child.write(new TextEncoder().encode('given\n'))
        await child.closeInput()
        expect(await output).toEqual({ stdout: 'given\n', stderr: '' })
        await expect(child.write(new Uint8Array(1))).rejects.toMatchObject({ code: 'SHELL_INPUT_CLOSED' })
        await expect((await spawn('exit 7')).write(new Uint8Array(1))).rejects.toMatchObject({ code: 'SHELL_INPUT_CLOSED' })
      }))

    test('S-14: without input the program is at the end of its input', () =>
      within(async (spawn) => expect(await (await spawn('exec cat')).exit).toEqual({ exitCode: 0, signal: null })))

    test('S-22: kill sends TERM, and KILL to what ignores it', () =>
      within(async (spawn) => {
        const obedient = await spawn('exec sleep 30')
        expect(await obedient.kill({ graceMs: 5_000 })).toEqual({ stuck: [] })
        expect(await obedient.exit).toEqual({ exitCode: null, signal: 'SIGTERM' })
        const stubborn = await spawn('trap "" TERM; echo ready; while :; do sleep 0.05; done')
        await firstOutput(stubborn)
        expect(await stubborn.kill({ graceMs: 100 })).toEqual({ stuck: [] })
        expect(await stubborn.exit).toEqual({ exitCode: null, signal: 'SIGKILL' })
      }))

    test('S-22: a kill may be asked for twice and after the end', () =>
      within(async (spawn) => {
        const child = await spawn('exec sleep 30')
        expect(await Promise.all([child.kill({ graceMs: 5_000 }), child.kill({ graceMs: 0 })])).toEqual([{ stuck: [] }, { stuck: [] }])
        await child.exit
        expect(await child.kill({ graceMs: 0 })).toEqual({ stuck: [] })
      }))

    test('S-21: what is left behind is listed, and ended by a kill', () =>
      within(async (spawn) => {
        const child = await spawn('sleep 30 & echo left')
        await child.exit
        expect((await child.survivors()).map(({ argv }) => argv)).toEqual(['sleep 30'])
        await child.kill({ graceMs: 1_000 })
        expect(await child.survivors()).toEqual([])
        await child.stdout.ended
      }))

    test('S-18: the environment is the given one', () =>
      within(async (spawn) =>
        expect((await outputOf(await spawn('printf %s "$GIVEN"', { env: { ...specOf('').env, GIVEN: 'a b' } }))).stdout).toBe('a b'),
      ))

    test('S-53: a program that is not there is SHELL_START_FAILED with its errno; a disposed provider starts nothing', () =>
      within(async (spawn, provider) => {
        await expect(spawn('', { file: '/no/such/program' })).rejects.toMatchObject({
          code: 'SHELL_START_FAILED',
          details: { errno: 'ENOENT' },
        })
        await provider.dispose()
        await expect(spawn('exit 7')).rejects.toMatchObject({ code: 'SHELL_DISPOSED' })
      }))

    test('S-44: dispose ends what runs', () =>
      within(async (spawn, provider) => {
        const child = await spawn('exec sleep 30')
        await provider.dispose()
        expect(await child.exit).toEqual({ exitCode: null, signal: 'SIGKILL' })
      }))
  })
}

function specOf(script: string, extra: Partial<SpawnSpec> = {}): SpawnSpec {
  const marker = `contract-${Math.random().toString(36).slice(2)}`
  return { file: 'sh', args: ['-c', script], cwd: '/', env: { PATH: '/usr/bin:/bin' }, input: 'none', output: 'merged', marker, ...extra }
}

async function outputOf(child: ChildHandle): Promise<{ stdout: string; stderr: string }> {
  const text = { stdout: '', stderr: '' }
  child.stdout.onData((chunk) => (text.stdout += new TextDecoder().decode(chunk)))
  child.stderr?.onData((chunk) => (text.stderr += new TextDecoder().decode(chunk)))
  await Promise.all([child.exit, child.stdout.ended, child.stderr?.ended])
  return text
}

function firstOutput(child: ChildHandle): Promise<void> {
  return new Promise((resolve) => child.stdout.onData(() => resolve()))
}
