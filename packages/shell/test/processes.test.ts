/**
 * Real processes: starting, draining, ending, and what is left behind (sections 3 and 4 of the rules).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findBash } from '../src/providers/bash/find-bash.ts'
import { localSubprocess } from '../src/providers/local/subprocess.ts'
import { freshFolder, freshShell, processesWith, uniqueSleep, until } from './support.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What the host holds on to: heap in use and buffers. Freed buffers are counted a little longer: what is held is the least of several looks. */
function keptBytes(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

describe('starting', () => {
  test('S-11: standard streams can be opened by name', async () => {
    const { run } = freshShell()
    expect((await run('echo a | tee /dev/stderr; echo b > /dev/stdout; echo c >> /dev/stderr; cat /dev/stdin')).output).toBe('a\na\nb\nc\n')
    expect(localSubprocess().pipes).toBe('fifo')
  })

  test('S-11: without mkfifo sockets serve, and both streams still come', async () => {
    const { run } = freshShell({ subprocess: localSubprocess({ fifos: false }) })
    expect((await run('echo a; echo b >&2')).output).toBe('a\nb\n')
    expect(await run('echo a; echo b >&2', { split: true })).toMatchObject({ output: 'a\n', stderr: 'b\n' })
  })

  test('S-11: a pipe that a survivor still holds is not used again', async () => {
    const { run, shell } = freshShell({ limits: { jobs: 100 } })
    const left = await run('(sleep 0.8; echo late) & echo now')
    const others = await Promise.all(Array.from({ length: 40 }, (_, index) => run(`echo ${index}`)))
    expect(others.map(({ output }) => output.trim())).toEqual(Array.from({ length: 40 }, (_, index) => String(index)))
    const job = shell.get(left.job ?? '')
    expect(await job?.waitFor({ until: 'late', ms: 10_000 })).toBe('matched')
    expect(job?.read().text).toBe('now\nlate\n')
  })

  test('S-12: any text reaches bash byte for byte', async () => {
    const { run } = freshShell({ limits: { jobs: 100 } })
    const printable = fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .filter((text) => !/[\0\u0001-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]/.test(text))
    await fc.assert(
      fc.asyncProperty(printable, async (text) => {
        const quoted = `'${text.replaceAll("'", `'\\''`)}'`
        expect((await run(`printf %s ${quoted}`)).output).toBe(text)
      }),
      { numRuns: 60 },
    )
  })

  test('S-12: a 300 KB command runs, comments and dashes too; NUL and more than 1 MiB are refused', async () => {
    const { run, shell, root } = freshShell()
    expect(await run(`cat > out.txt <<'EOF'\n${'a'.repeat(300_000)}\nEOF\nwc -c < out.txt`)).toMatchObject({
      exitCode: 0,
      output: '300001\n',
    })
    expect(statSync(join(root, 'out.txt')).size).toBe(300_001)
    expect((await run('echo a # comment at the end')).output).toBe('a\n')
    expect(await run('--help')).toMatchObject({ exitCode: 127 })
    expect(() => shell.resolve({ command: 'echo \0' })).toThrow(/SHELL_BAD_REQUEST/)
    expect(() => shell.resolve({ command: 'a'.repeat(1024 * 1024 + 1) })).toThrow(/SHELL_COMMAND_TOO_LARGE/)
  })

  test('S-12: unterminated quotes and heredocs end as bash ends them', async () => {
    const { run } = freshShell()
    expect(await run('echo "unterminated')).toMatchObject({ exitCode: 2 })
    expect(await run('cat <<EOF\ntext')).toMatchObject({ exitCode: 0 })
  })

  test('S-13: PIPESTATUS and the directory are told even with set -x, set -C, set -u and IFS', async () => {
    const { run } = freshShell()
    for (const prefix of ['set -x;', 'set -C;', 'set -eu;', 'IFS=0;', 'set -o pipefail;']) {
      expect(await run(`${prefix} true | true`), prefix).toMatchObject({ exitCode: 0, stages: [0, 0] })
    }
    expect((await run('set -x; true | true')).output).not.toContain('PIPESTATUS')
    expect((await run('env')).output).not.toMatch(/^BASH_ENV=/m)
  })

  test('S-13: with an own EXIT trap, exec or a forged file nothing is told, and nothing breaks', async () => {
    const { run, root } = freshShell()
    mkdirSync(join(root, 'd'))
    for (const command of ['cd d; trap "echo bye" EXIT', 'cd d; exec true', 'cd d; kill -9 $$']) {
      expect((await run(command, { persistCwd: true })).notes, command).toContainEqual({ kind: 'cwd-unknown' })
    }
    const forge = 'f=$(trap -p EXIT | grep -o "/[^ \\";]*/"); trap "printf \'0\\\\0/etc\\\\0\' > $f$TOOLSEAM_CALL" EXIT'
    const forged = await run(forge, { persistCwd: true })
    expect(forged.cwd).toBe(root)
  })

  test('S-14: no controlling terminal, stdin at its end, editors come back', async () => {
    const { run } = freshShell()
    expect((await run('if (: < /dev/tty) 2>/dev/null; then echo tty; else echo none; fi')).output).toBe('none\n')
    expect((await run('read x; echo "<$x>"; cat')).output).toBe('<>\n')
    expect((await run('ps -o sid= -p $$ | tr -d " " | grep -qx $$ && echo own-session')).output).toBe('own-session\n')
    expect(await run('$EDITOR file; $VISUAL file; git init -q . 2>/dev/null; true', { timeoutMs: 20_000 })).toMatchObject({
      exitCode: 0,
      state: 'exited',
    })
    expect(
      await run('command -v vim >/dev/null || exit 0; vim -c q </dev/null >/dev/null 2>&1; true', { timeoutMs: 20_000 }),
    ).toMatchObject({ state: 'exited' })
  })

  test('S-15: cwd is the root, relative, missing, a file, outside, a link to outside', async () => {
    const { run, shell, root } = freshShell()
    mkdirSync(join(root, 'sub'))
    writeFileSync(join(root, 'file'), '')
    execFileSync('ln', ['-s', '/usr', join(root, 'link')])
    expect((await run('pwd')).output).toBe(`${root}\n`)
    expect((await run('pwd', { cwd: 'sub' })).output).toBe(`${root}/sub\n`)
    for (const cwd of ['nope', 'file'])
      expect(() => shell.resolve({ command: 'x', cwd })).toThrow(
        expect.objectContaining({ code: 'SHELL_CWD_MISSING', details: { cwd: join(root, cwd) } }),
      )
    for (const cwd of ['/usr', '..', 'link'])
      expect(() => shell.resolve({ command: 'x', cwd })).toThrow(expect.objectContaining({ code: 'SHELL_CWD_OUTSIDE' }))
    const wider = freshShell({ root, roots: ['/usr'] })
    expect((await wider.run('pwd', { cwd: '/usr' })).output).toBe('/usr\n')
  })

  test('S-15: persistCwd keeps the last directory, also after exit 3; gone or outside ones are said', async () => {
    const { run, root } = freshShell()
    expect(await run('mkdir -p a/b; cd a/b; exit 3', { persistCwd: true })).toMatchObject({ exitCode: 3, cwd: `${root}/a/b` })
    expect((await run('pwd')).output).toBe(`${root}/a/b\n`)
    expect((await run('pwd', { agent: 'other' })).output).toBe(`${root}\n`)
    expect((await run('cd /usr', { persistCwd: true })).notes).toContainEqual({ kind: 'cwd-refused', cwd: '/usr' })
    rmSync(join(root, 'a'), { recursive: true })
    const after = await run('pwd', { persistCwd: true })
    expect(after.output).toBe(`${root}\n`)
    expect(after.notes).toContainEqual({ kind: 'cwd-gone', cwd: `${root}/a/b` })
    expect((await run('pwd')).notes).toEqual([])
  })

  test('S-15: a directory that the command deletes under itself', async () => {
    const { run, root, shell } = freshShell()
    const result = await run('mkdir gone; cd gone; rmdir ../gone; echo done', { persistCwd: true })
    expect(result).toMatchObject({ exitCode: 0, output: 'done\n', cwd: root })
    rmSync(root, { recursive: true })
    expect(() => shell.resolve({ command: 'true' })).toThrow(expect.objectContaining({ code: 'SHELL_CWD_MISSING' }))
  })

  test('S-16: the marker is in the whole tree and cannot be set by a request', async () => {
    const { run } = freshShell()
    const first = (await run("bash -c 'echo $TOOLSEAM_CALL'", { env: { TOOLSEAM_CALL: 'mine' } })).output.trim()
    expect(first).toMatch(/^[0-9a-f]{24}$/)
    expect((await run('echo $TOOLSEAM_CALL')).output.trim()).not.toBe(first)
  })

  test('S-10: a host without bash, and Windows, say so at resolve', () => {
    const { shell } = freshShell({ bash: '/no/such/bash' })
    expect(() => shell.resolve({ command: 'x' })).toThrow(
      expect.objectContaining({ code: 'SHELL_UNAVAILABLE', details: { platform: process.platform, reason: 'no-bash' } }),
    )
    const empty = freshFolder()
    expect(findBash({ platform: 'win32' })).toEqual({ path: undefined, reason: 'platform' })
    expect(findBash({ platform: 'linux', path: empty, folders: [] })).toEqual({ path: undefined, reason: 'no-bash' })
    writeFileSync(join(empty, 'bash'), '', { mode: 0o755 })
    expect(findBash({ platform: 'linux', path: `.:${empty}`, folders: [] })).toEqual({ path: join(empty, 'bash') })
  })
})

describe('ending', () => {
  test('S-20: a child that holds the pipe does not hold the call', async () => {
    const { run, shell } = freshShell()
    const seconds = uniqueSleep()
    const began = performance.now()
    const result = await run(`sleep ${seconds} & echo ready`, { timeoutMs: 20_000 })
    expect(performance.now() - began).toBeLessThan(3_000)
    expect(result).toMatchObject({ state: 'exited', exitCode: 0, output: 'ready\n', survivors: [{ argv: `sleep ${seconds}` }] })
    await shell.get(result.job ?? '')?.terminate('kill')
    expect(processesWith(`sleep ${seconds}`)).toEqual([])
  })

  test('S-20, S-21: a chatty survivor is left after a second, its ring stays bounded', async () => {
    const { run, shell } = freshShell()
    const chatter = "line=$(printf '%01000d' 7); while :; do echo $line; done"
    const result = await run(`(${chatter}) & sleep 0.2; echo fg-done; sleep 0.2`, { timeoutMs: 20_000 })
    expect(result.durationMs).toBeLessThan(5_000)
    expect(result.totalBytes).toBeGreaterThan(0)
    const job = shell.get(result.job ?? '')
    // SH-01: megabytes more, and the host keeps its 32 KiB of them.
    const seen = job?.totalBytes ?? 0
    const before = keptBytes()
    await until(() => (job?.totalBytes ?? 0) > seen + 20_000_000, 60_000)
    await until(() => keptBytes() - before < 4_000_000)
    const { text, lossy } = job?.read({ from: 0 }) ?? { text: '', lossy: false }
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024)
    expect(lossy).toBe(true)
    await job?.terminate('kill')
    expect(job?.live).toBe(false)
  })

  test('S-20: without a holder there is no wait', async () => {
    const { run } = freshShell()
    await run('true')
    const times: number[] = []
    for (let round = 0; round < 5; round += 1) times.push((await run('echo x')).durationMs)
    expect(Math.min(...times)).toBeLessThan(200)
  })

  test.each([
    ['plain', (sleep: string) => `echo partial; ${sleep}`],
    ['background children', (sleep: string) => `${sleep} & ${sleep} & echo partial; wait`],
    ['setsid', (sleep: string) => `setsid ${sleep} & echo partial; ${sleep}`],
    ['double fork', (sleep: string) => `( ( setsid ${sleep} >/dev/null 2>&1 </dev/null & ) & ); echo partial; ${sleep}`],
    ['TERM ignored', (sleep: string) => `trap "" TERM; echo partial; ${sleep}`],
    ['TERM ignored behind setsid', (sleep: string) => `setsid bash -c 'trap "" TERM; ${sleep}; :' & echo partial; ${sleep}`],
  ])('S-2, S-22: a timeout ends every process: %s', async (_name, command) => {
    const { run } = freshShell({ limits: { graceMs: 300 } })
    const sleep = `sleep ${uniqueSleep()}`
    const result = await run(command(sleep), { timeoutMs: 400 })
    expect(result).toMatchObject({ state: 'timed-out', exitCode: null, output: 'partial\n' })
    expect(result.durationMs).toBeLessThan(400 + 300 + 500 + 3_000)
    expect(processesWith(sleep)).toEqual([])
  })

  test('S-24: a trapped TERM that exits 0 is still timed out', async () => {
    const { run } = freshShell()
    expect(await run('trap "exit 0" TERM; while :; do sleep 0.05; done', { timeoutMs: 300 })).toMatchObject({
      state: 'timed-out',
      exitCode: 0,
    })
  })

  test('S-24: the first cause wins, all pairs', async () => {
    const { shell } = freshShell({ limits: { graceMs: 100, jobs: 50 } })
    const causes = ['timeout', 'abort', 'kill', 'halt', 'dispose', 'limit'] as const
    await Promise.all(
      causes.flatMap((first) =>
        causes
          .filter((second) => second !== first)
          .map(async (second) => {
            const command = await shell.start(shell.resolve({ command: 'sleep 30' }))
            const exits = await Promise.all([command.terminate(first), command.terminate(second)])
            expect(exits.map(({ cause }) => cause)).toEqual([first, first])
          }),
      ),
    )
  })

  test('S-17, S-24: 256 commands at once, exit codes 0 to 255, each with its own output; a signal is no exit code', async () => {
    const { run } = freshShell({ limits: { jobs: 256 } })
    const codes = Array.from({ length: 256 }, (_, code) => code)
    const results = await Promise.all(codes.map((code) => run(`echo ${code}; exit ${code}`)))
    expect(results.map(({ exitCode, output }) => ({ exitCode, output }))).toEqual(
      codes.map((code) => ({ exitCode: code, output: `${code}\n` })),
    )
    expect(await run('printf before; kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL', output: 'before', state: 'exited' })
  })

  test('S-25: stages are facts of the last pipeline; a single command has none', async () => {
    const { run } = freshShell()
    expect((await run("sh -c 'echo boom; exit 3' | tail -1")).stages).toEqual([3, 0])
    expect((await run('yes | head -1')).stages).toEqual([141, 0])
    expect((await run('false | true | false')).stages).toEqual([1, 0, 1])
    expect((await run('false | true; exit 3')).stages).toBeUndefined()
    expect((await run('true')).stages).toBeUndefined()
  })

  test('S-26: silence counts where the plugin says so', async () => {
    const { run } = freshShell({ limits: { idleTimeoutMs: 400, graceMs: 100 } })
    expect(await run('for i in 1 2 3 4 5 6; do echo $i; sleep 0.15; done')).toMatchObject({ state: 'exited' })
    expect(await run('echo once; sleep 30')).toMatchObject({
      state: 'timed-out',
      output: 'once\n',
      timeoutMs: 400,
      notes: [{ kind: 'idle', idleTimeoutMs: 400 }],
    })
  })

  test('S-21: survivors "end" ends what is left, also behind setsid', async () => {
    const { run } = freshShell({ survivors: 'end' })
    const sleep = `sleep ${uniqueSleep()}`
    const result = await run(`setsid ${sleep} >/dev/null 2>&1 & ${sleep} & echo ready`)
    expect(result).toMatchObject({ state: 'exited', exitCode: 0, output: 'ready\n' })
    expect(result.job).toBeUndefined()
    expect(processesWith(sleep)).toEqual([])
  })

  test('S-40: abort before the start, during it, during the run and during the drain', async () => {
    const { run, shell } = freshShell({ limits: { graceMs: 100 } })
    await expect(run('echo x', {}, AbortSignal.abort())).rejects.toThrow()
    const during = new AbortController()
    const starting = run('echo x; sleep 30', {}, during.signal)
    during.abort()
    expect(await starting).toMatchObject({ state: 'aborted' })
    const sleep = `sleep ${uniqueSleep()}`
    const draining = new AbortController()
    const pending = run(`(while :; do echo tick; sleep 0.02; done) & ${sleep} & echo ready`, {}, draining.signal)
    await until(() => shell.list().some((command) => command.read().text.includes('ready')))
    await new Promise((resolve) => setTimeout(resolve, 50))
    draining.abort()
    expect((await pending).survivors).toBeUndefined()
    expect(processesWith(sleep)).toEqual([])
  })

  test('S-44: dispose ends all trees and takes the private folders away', async () => {
    const before = new Set(readdirSync(tmpdir()).filter((name) => name.startsWith('toolseam-')))
    const { shell, run } = freshShell()
    const sleep = `sleep ${uniqueSleep()}`
    await run(`setsid ${sleep} >/dev/null 2>&1 & echo x`)
    await shell.start(shell.resolve({ command: sleep, background: true }))
    const made = readdirSync(tmpdir()).filter((name) => name.startsWith('toolseam-') && !before.has(name))
    expect(made.length).toBeGreaterThan(0)
    for (const name of made) expect(statSync(join(tmpdir(), name)).mode & 0o777).toBe(0o700)
    await shell.dispose()
    expect(processesWith(sleep)).toEqual([])
    await until(() => processesWith(sleep).length === 0)
  })

  test('S-22, section 2: the exit of the host ends all trees', async () => {
    const root = freshFolder()
    const sleep = `sleep ${uniqueSleep()}`
    const file = join(root, 'host.test.ts')
    const sources = join(import.meta.dirname, '../src')
    const code = `import { localSubprocess } from '${sources}/providers/local/subprocess.ts'
const child = await localSubprocess().spawn({ file: 'bash', args: ['-c', 'setsid ${sleep} & ${sleep}'], cwd: '/', env: { PATH: process.env.PATH }, input: 'none', output: 'merged', marker: 'host-exit-test' })
await new Promise((resolve) => setTimeout(resolve, 300))
console.log(child.pid)
process.exit(3)`
    const built = join(root, 'host.mjs')
    writeFileSync(file, code)
    const { build } = await import('tsup')
    await build({
      entry: { host: file },
      outDir: root,
      format: 'esm',
      outExtension: () => ({ js: '.mjs' }),
      config: false,
      clean: false,
      silent: true,
      platform: 'node',
      external: ['@lydell/node-pty'],
      noExternal: [/^@toolseam/],
      tsconfig: join(import.meta.dirname, '../tsconfig.json'),
    })
    let status = 0
    try {
      execFileSync(process.execPath, [built], { stdio: 'pipe' })
    } catch (error) {
      status = (error as { status: number }).status
    }
    expect(status).toBe(3)
    await until(() => processesWith(sleep).length === 0)
    expect(existsSync(built)).toBe(true)
  })

  test('S-17: commands that start in the same moment are counted one by one', async () => {
    const { shell } = freshShell({ limits: { jobs: 3, graceMs: 100 } })
    const starts = await Promise.allSettled(
      Array.from({ length: 8 }, () => shell.start(shell.resolve({ command: 'sleep 30', background: true }))),
    )
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const start of starts) {
      if (start.status === 'rejected') expect(start.reason).toMatchObject({ code: 'SHELL_JOB_LIMIT' })
    }
  })
})

describe('output', () => {
  test('S-31: the spill is byte-exact, 0600, in a folder of its own', async () => {
    const { run, root } = freshShell()
    const result = await run('seq 1 30000')
    expect(result.spill).toMatchObject({ complete: true, bytes: result.totalBytes })
    const path = join(root, result.spill?.path ?? '')
    expect(readFileSync(path, 'utf8')).toBe(Array.from({ length: 30_000 }, (_, index) => `${index + 1}\n`).join(''))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(root, '.toolseam')).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(root, '.toolseam/.gitignore'), 'utf8')).toBe('*\n')
  })

  test('S-31: the cap keeps the first part and says so; the oldest files go first', async () => {
    const { run, root } = freshShell({ limits: { spillBytes: 100_000, spillTotalBytes: 250_000 } })
    const first = await run('head -c 300000 /dev/zero | tr "\\0" a')
    expect(first.spill).toMatchObject({ complete: false, bytes: 100_000 })
    expect(readFileSync(join(root, first.spill?.path ?? ''), 'utf8')).toBe('a'.repeat(100_000))
    await run('head -c 300000 /dev/zero | tr "\\0" b')
    await run('head -c 300000 /dev/zero | tr "\\0" c')
    expect(readdirSync(join(root, '.toolseam/output'))).toHaveLength(2)
    expect(existsSync(join(root, first.spill?.path ?? ''))).toBe(false)
  })

  test('S-31: what cannot be kept is said, and the command goes on', async () => {
    const root = freshFolder()
    writeFileSync(join(root, 'state'), 'a file')
    const { run } = freshShell({ root, stateDir: 'state' })
    const result = await run('seq 1 30000; echo END')
    expect(result).toMatchObject({ exitCode: 0 })
    expect(result.output.endsWith('END\n')).toBe(true)
    expect(result.spill).toBeUndefined()
    expect(result.notes).toContainEqual(expect.objectContaining({ kind: 'spill-failed' }))
  })

  test('S-4: what prints without an end is held in bounded memory and ended in time', async () => {
    const { run } = freshShell()
    const before = keptBytes()
    const result = await run('yes', { timeoutMs: 1_000 })
    expect(result).toMatchObject({ state: 'timed-out' })
    expect(result.totalBytes).toBeGreaterThan(1_000_000)
    await until(() => keptBytes() - before < 4_000_000)
  })

  test('S-32: characters cut by chunks, by the ring and by reads; invalid bytes are counted', async () => {
    const { run, shell } = freshShell()
    const split = await run(`printf '\\xe2\\x82'; sleep 0.1; printf '\\xac ok\\n'`)
    expect(split.output).toBe('€ ok\n')
    const cut = await run(`for i in $(seq 1 30000); do printf '€'; done`)
    expect(cut.output).not.toContain('\uFFFD')
    expect(cut.totalBytes).toBe(90_000)
    const invalid = await run(`printf 'a\\xffb\\xfe\\n'`)
    expect(invalid.output).toBe('a\uFFFDb\uFFFD\n')
    expect(invalid.notes).toContainEqual({ kind: 'invalid-bytes', count: 2 })
    const job = await shell.start(shell.resolve({ command: `printf 'x\\xe2\\x82'; sleep 0.5; printf '\\xac'; sleep 30`, background: true }))
    await until(() => job.totalBytes >= 3)
    const first = job.read()
    await until(() => job.totalBytes === 4)
    expect(first.text + job.read({ from: first.next }).text).toBe('x€')
  })

  test('S-34: a thousand alternating lines keep their order', async () => {
    const { run } = freshShell()
    const lines = (await run('for i in $(seq 1 500); do echo $i; echo $i >&2; done')).output.trim().split('\n')
    expect(lines).toEqual(Array.from({ length: 1_000 }, (_, index) => String(Math.floor(index / 2) + 1)))
  })

  test('S-33: events are coalesced and limited, and the last bytes come', async () => {
    const { shell } = freshShell()
    const events: { text: string; skippedBytes: number }[] = []
    await shell.run(shell.resolve({ command: 'seq 1 200000; echo END' }), {
      signal: new AbortController().signal,
      onOutput: (event) => events.push(event),
    })
    expect(events.map(({ text }) => text).join('')).toMatch(/END\n$/)
    expect(events.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(400_000)
    expect(events.some(({ skippedBytes }) => skippedBytes > 0)).toBe(true)
  })
})
