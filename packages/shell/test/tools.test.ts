/**
 * The four tools through the whole pipeline: acceptance cases SH-01 to SH-13, jobs, cancelling, and what policy is told.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OwnedWork, type ToolPlugin } from '@toolseam/core-tools'
import { describe, expect, test } from 'vitest'
import { Shell } from '../src/definition/shell.ts'
import { freshTools, processesWith, textOf, uniqueSleep, until } from './support.ts'

/** Peak growth of this process's memory, and how late its timers came. */
function watchHost(): { stop(): { grownBytes: number; lagMs: number } } {
  const before = process.memoryUsage().rss
  let peak = before
  let lagMs = 0
  let last = performance.now()
  const timer = setInterval(() => {
    lagMs = Math.max(lagMs, performance.now() - last - 20)
    last = performance.now()
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 20)
  return {
    stop: () => {
      clearInterval(timer)
      return { grownBytes: peak - before, lagMs }
    },
  }
}

describe('acceptance', () => {
  test('SH-01, S-21: a background child does not hold the call, its job is read and ended', async () => {
    const { ok } = await freshTools()
    const sleep = `sleep ${uniqueSleep()}`
    const first = await ok('bash', { command: `${sleep} & echo ready`, timeoutMs: 20_000 })
    expect(first.value).toMatchObject({ state: 'exited', exitCode: 0, output: 'ready\n' })
    expect(first.text).toMatch(/^ready\n\[still running: pid \d+ sleep [\d.]+; job j1\]$/)
    expect((await ok('bash_output', { job: first.value['job'] })).text).toMatch(
      /^\[no new output\]\n\[still running: pid \d+ sleep [\d.]+\]$/,
    )
    const second = await ok('bash', { command: '(while :; do echo tick; sleep 0.05; done) & sleep 0.3; echo fg-done', timeoutMs: 20_000 })
    expect(second.value['output']).toContain('fg-done')
    const job = second.value['job']
    expect((await ok('bash_output', { job, until: 'tick', waitMs: 10_000 })).value).toMatchObject({
      state: 'exited',
      exitCode: 0,
      elapsed: false,
    })
    for (const one of [first.value['job'], job]) await ok('bash_kill', { job: one })
    expect((await ok('bash_kill', { job })).value).toMatchObject({ already: true })
    expect(processesWith(sleep)).toEqual([])
  })

  test('SH-05, S-4, S-6, S-30, S-31: 2 GB end in bounded memory and text, with the end in it', { timeout: 120_000 }, async () => {
    const { ok, root } = await freshTools()
    await ok('bash', { command: 'head -c 100000000 /dev/zero | tr "\\0" "y"' })
    const watch = watchHost()
    const { value, text } = await ok('bash', {
      command: 'head -c 2000000000 /dev/zero | tr "\\0" "y"; echo; echo END-OK',
      timeoutMs: 100_000,
    })
    const { grownBytes, lagMs } = watch.stop()
    // The promise is 64 MiB and 50 ms (bench); a busy machine gets some slack here.
    expect(grownBytes).toBeLessThan(160 * 1024 * 1024)
    expect(lagMs).toBeLessThan(1_000)
    expect(value).toMatchObject({ exitCode: 0, totalBytes: 2_000_000_008, spill: { complete: false, bytes: 64 * 1024 * 1024 } })
    const { path } = value['spill'] as { path: string }
    expect(statSync(join(root, path)).size).toBe(64 * 1024 * 1024)
    expect(text).toContain('END-OK')
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(33 * 1024)
  })

  test('SH-07, S-32: escape sequences and redraws do not reach the model', async () => {
    const { ok, runtime } = await freshTools()
    const command = `for i in $(seq 1 500); do printf '\\r\\033[2KRetrieving: %d%%' $((i/5)); done; printf '\\n\\033[31mred\\033[0m plain\\n'; printf '\\033]0;title\\007after\\n'`
    const { text } = await ok('bash', { command })
    expect(text).toBe('Retrieving: 100%\nred plain\nafter\n')
    expect(Buffer.from(runtime.services.require(Shell).list()[0]?.read().bytes ?? []).includes(0x1b)).toBe(true)
  })

  test('SH-09, S-24, S-25: a signal is no success, a masked pipeline is not called one', async () => {
    const { ok } = await freshTools()
    expect((await ok('bash', { command: 'printf before; kill -9 $$' })).text).toMatch(/^before\n\[signal SIGKILL\]/)
    const masked = await ok('bash', { command: "sh -c 'echo boom; exit 3' | tail -1" })
    expect(masked.value).toMatchObject({ exitCode: 0, stages: [3, 0] })
    expect(masked.text).toBe('boom\n[stages 3 0]')
    expect((await ok('bash', { command: 'yes | head -1' })).text).toBe('y\n[stages 141 0]')
    expect((await ok('bash', { command: 'echo one > f; grep zzz f | wc -l' })).text).toMatch(/^\s*0\n\[stages 1 0\]$/)
    expect((await ok('bash', { command: 'exit 7' })).text).toMatch(/^\[no output\]\n\[exit 7\]/)
  })

  test('SH-11, S-12: a 300 KB command', async () => {
    const { ok, root } = await freshTools()
    expect((await ok('bash', { command: `cat > out.txt <<'EOF'\n${'a'.repeat(300_000)}\nEOF\nwc -c < out.txt` })).value['output']).toBe(
      '300001\n',
    )
    expect(statSync(join(root, 'out.txt')).size).toBe(300_001)
  })

  test('SH-13, S-18: secrets of the host are withheld, a request grants its own, names are told once on a failure', async () => {
    const secrets = {
      MODEL_API_KEY: 'not-a-key-1',
      FORGE_TOKEN: 'not-a-token-2',
      CLOUD_SECRET_ACCESS_KEY: 'not-a-secret-3',
      DATABASE_URL: 'postgres://u:not-a-password-4@db.invalid/d',
      MY_SERVICE_PASSWORD: 'not-a-password-5',
    }
    const host = { ...secrets, KEYBOARD_LAYOUT: 'us', TOKENIZERS_PARALLELISM: 'false', NODE_OPTIONS: '--max-old-space-size=512' }
    const saved = Object.fromEntries(Object.keys(host).map((name) => [name, process.env[name]]))
    Object.assign(process.env, host)
    try {
      const { ok } = await freshTools()
      const plain = (await ok('bash', { command: 'env | sort' })).text
      for (const value of [...Object.values(secrets), 'max-old-space-size']) expect(plain).not.toContain(value)
      for (const line of ['KEYBOARD_LAYOUT=us', 'TOKENIZERS_PARALLELISM=false', 'TERM=dumb']) expect(plain).toContain(line)
      expect(plain).toMatch(/^PATH=/m)
      expect((await ok('bash', { command: 'env | sort', env: { FORGE_TOKEN: 'granted' } })).text).toContain('FORGE_TOKEN=granted')
      const failed = (await ok('bash', { command: 'exit 1' })).text
      expect(failed).toContain('FORGE_TOKEN')
      expect(failed).not.toContain('not-a-token')
      expect((await ok('bash', { command: 'exit 1' })).text).toBe('[no output]\n[exit 1]')
      const granted = await freshTools({ env: { grant: ['FORGE_TOKEN'] } })
      expect((await granted.ok('bash', { command: 'env' })).text).toContain('FORGE_TOKEN=not-a-token-2')
    } finally {
      for (const [name, value] of Object.entries(saved)) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
  })
})

describe('jobs', () => {
  test('S-33: reads are gap-free and repeat-free, from re-reads, every agent has its own cursor', async () => {
    const { ok, call, runtime } = await freshTools()
    runtime.scope('parent')
    runtime.scope('child', { extends: 'parent' })
    const { job } = (
      await ok('bash', { command: 'for i in 1 2 3 4 5; do echo $i; sleep 0.05; done', background: true }, { agent: 'child' })
    ).value
    let text = ''
    for (let ended = false; !ended;) {
      const { value } = await ok('bash_output', { job, waitMs: 20 }, { agent: 'child' })
      text += String(value['output'])
      ended = value['ended'] === true
    }
    const whole = (await ok('bash_output', { job, from: 0 }, { agent: 'child' })).value
    expect(whole['output']).toBe('1\n2\n3\n4\n5\n')
    expect(whole['ended']).toBeUndefined()
    expect(whole['output']).toContain(text)
    expect((await ok('bash_output', { job }, { agent: 'child' })).text).toBe('[no new output]')
    expect((await ok('bash_output', { job }, { agent: 'parent' })).value['output']).toBe('1\n2\n3\n4\n5\n')
    expect(await call('bash_output', { job }, { agent: 'stranger' })).toMatchObject({ isError: true, error: { code: 'SHELL_JOB_UNKNOWN' } })
  })

  test('S-33: waiting for text, a pattern, the end, or the time', async () => {
    const { ok, call } = await freshTools()
    const { job } = (await ok('bash', { command: 'read x; echo "listening on 8080"; read y; echo bye', background: true, input: 'pipe' }))
      .value
    expect((await ok('bash_output', { job, until: 'listening', waitMs: 50 })).value).toMatchObject({ elapsed: true, output: '' })
    await ok('bash_input', { job, text: 'go', waitMs: 0 })
    expect((await ok('bash_output', { job, until: '/ON \\d+/i', waitMs: 20_000, from: 0 })).value).toMatchObject({
      elapsed: false,
      output: 'listening on 8080\n',
    })
    await ok('bash_input', { job, text: 'go', waitMs: 0 })
    expect((await ok('bash_output', { job, waitMs: 20_000, from: 0 })).value).toMatchObject({
      state: 'exited',
      exitCode: 0,
      elapsed: false,
    })
    expect(await call('bash_output', { job, until: '/(/', waitMs: 10 })).toMatchObject({ error: { code: 'SHELL_BAD_REQUEST' } })
  })

  test('S-6: a catastrophic pattern is refused, it does not block', async () => {
    const { ok, call } = await freshTools()
    const { job } = (await ok('bash', { command: `echo ${'a'.repeat(60)}!; sleep 30`, background: true })).value
    const began = performance.now()
    expect(await call('bash_output', { job, until: '/^(a+)+$/', waitMs: 1_000, from: 0 })).toMatchObject({
      error: { code: 'SHELL_BAD_REQUEST' },
    })
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test('S-53: input: text, end, keys, a closed one, nothing to send, terminal keys on a pipe', async () => {
    const { ok, call } = await freshTools()
    const { job } = (await ok('bash', { command: 'cat', background: true, input: 'pipe' })).value
    expect((await ok('bash_input', { job, text: 'a', enter: false })).value).toMatchObject({ output: 'a', written: 1 })
    expect(await call('bash_input', { job })).toMatchObject({ error: { code: 'SHELL_BAD_REQUEST' } })
    expect(await call('bash_input', { job, key: 'up' })).toMatchObject({ error: { code: 'SHELL_BAD_REQUEST' } })
    expect((await ok('bash_input', { job, text: 'b', end: true, waitMs: 20_000 })).value).toMatchObject({ state: 'exited', output: 'b\n' })
    expect(await call('bash_input', { job, text: 'c' })).toMatchObject({ error: { code: 'SHELL_INPUT_CLOSED' } })
    const interrupted = (await ok('bash', { command: 'sleep 30', background: true, input: 'pipe' })).value['job']
    expect((await ok('bash_input', { job: interrupted, key: 'ctrl-c', waitMs: 20_000 })).value).toMatchObject({
      state: 'exited',
      signal: 'SIGINT',
    })
    expect(await call('bash', { command: 'cat', input: 'pipe' })).toMatchObject({ error: { code: 'SHELL_BAD_REQUEST' } })
  })

  test('S-53: a job on a terminal: echo, ctrl-c, ctrl-d, kill', async () => {
    const { ok } = await freshTools()
    const { job } = (await ok('bash', { command: 'test -t 0 && echo terminal; cat; echo done', background: true, input: 'terminal' })).value
    await ok('bash_output', { job, until: 'terminal', waitMs: 20_000, from: 0 })
    await ok('bash_input', { job, text: 'hi' })
    expect((await ok('bash_output', { job, until: '/hi\\s+hi/', waitMs: 20_000, from: 0 })).value['elapsed']).toBe(false)
    expect((await ok('bash_input', { job, key: 'ctrl-d', waitMs: 20_000 })).value).toMatchObject({ state: 'exited', exitCode: 0 })
    const second = (await ok('bash', { command: 'sleep 30', background: true, input: 'terminal' })).value['job']
    expect((await ok('bash_input', { job: second, key: 'ctrl-c', waitMs: 20_000 })).value['state']).toBe('exited')
    const third = (await ok('bash', { command: 'sleep 30', background: true, input: 'terminal' })).value['job']
    expect((await ok('bash_kill', { job: third })).value['state']).toBe('killed')
  })

  test('S-22: kill keeps the output; INT may be answered; a second kill is a no-op', async () => {
    const { ok, call } = await freshTools()
    const { job } = (await ok('bash', { command: 'trap "echo caught" INT; echo up; while :; do sleep 0.05; done', background: true })).value
    await ok('bash_output', { job, until: 'up', waitMs: 20_000, from: 0 })
    await ok('bash_kill', { job, signal: 'INT' })
    expect((await ok('bash_output', { job, until: 'caught', waitMs: 20_000, from: 0 })).value).toMatchObject({ state: 'running' })
    expect((await ok('bash_kill', { job, signal: 'KILL' })).value).toMatchObject({ state: 'killed', signal: 'SIGKILL', ended: true })
    expect((await ok('bash_kill', { job })).value).toMatchObject({ already: true })
    expect((await ok('bash_output', { job, from: 0 })).value['output']).toContain('up\ncaught\n')
    const live = (await ok('bash', { command: 'sleep 30', background: true })).value['job']
    const unknown = await call('bash_kill', { job: 'j99' })
    expect(unknown).toMatchObject({ error: { code: 'SHELL_JOB_UNKNOWN', details: { jobs: [{ job: live }] } } })
  })

  test('S-17: sixteen live commands an agent, listed when the limit is met', async () => {
    const { ok, call, runtime } = await freshTools()
    const service = runtime.services.require(Shell)
    await ok('bash', { command: 'sleep 30', background: true })
    await Promise.all(Array.from({ length: 15 }, () => service.start(service.resolve({ command: 'sleep 30', background: true }))))
    const refused = await call('bash', { command: 'true' })
    expect(refused).toMatchObject({ error: { code: 'SHELL_JOB_LIMIT', details: { limit: 16 } } })
    await ok('bash_kill', { job: 'j1' })
    await ok('bash', { command: 'true' })
  })

  test('S-41: a running foreground command is moved to the background, and its call comes back', async () => {
    const { ok, root, runtime } = await freshTools()
    const shell = runtime.services.require(Shell)
    const running = ok('bash', { command: 'echo early; until [ -e go ]; do sleep 0.05; done; echo late', timeoutMs: 20_000 })
    await until(() => shell.list().some((command) => command.totalBytes > 0))
    shell.list({ state: 'running' })[0]?.detach()
    const { value, text } = await running
    expect(value).toMatchObject({ state: 'running', output: 'early\n', job: 'j1', timeoutMs: null })
    expect(text).toBe('early\n[moved to the background; job j1]')
    writeFileSync(join(root, 'go'), '')
    // What the call showed is not shown again.
    expect((await ok('bash_output', { job: 'j1', waitMs: 20_000 })).value['output']).toBe('late\n')
    expect((await ok('bash_output', { job: 'j1', from: 0 })).value['output']).toBe('early\nlate\n')
  })
})

describe('cancel', () => {
  test('S-40: an abort ends the tree and carries the partial output', async () => {
    const { call, runtime } = await freshTools()
    const sleep = `sleep ${uniqueSleep()}`
    const stop = new AbortController()
    const running = call('bash', { command: `echo partial; ${sleep}` }, { signal: stop.signal })
    await until(() =>
      runtime.services
        .require(Shell)
        .list()
        .some((command) => command.totalBytes > 0),
    )
    stop.abort()
    expect(await running).toMatchObject({
      isError: true,
      error: { code: 'TOOL_ABORTED', details: { result: { state: 'aborted', output: 'partial\n' } } },
    })
    expect(processesWith(sleep)).toEqual([])
  })

  test.each(['cancel', 'terminate', 'detach'] as const)(
    'S-42: OwnedWork.release(%s) on foreground, survivors and background',
    async (reason) => {
      const { call, ok, runtime } = await freshTools({ limits: { graceMs: 200 } })
      const shell = runtime.services.require(Shell)
      const turn = { turnId: 't1' }
      const foreground = call('bash', { command: 'trap "" TERM; echo up; while :; do sleep 0.05; done', timeoutMs: 60_000 }, turn)
      await until(() => shell.list().some((command) => command.totalBytes > 0))
      const background = (await ok('bash', { command: 'sleep 30', background: true }, turn)).value['job']
      const other = (await ok('bash', { command: 'sleep 30', background: true }, { turnId: 't2' })).value['job']
      const report = await runtime.services.require(OwnedWork).release({ reason, turnId: 't1', deadlineMs: 5_000 })
      const running = shell.list({ state: 'running' }).map(({ id }) => id)
      const expected = {
        cancel: { ended: ['j1'], kept: [background] },
        terminate: { ended: ['j1', background], kept: [] },
        detach: { ended: [], kept: ['j1', background] },
      }
      expect(report).toEqual({ stuck: [], ...expected[reason] })
      expect(running).toEqual(reason === 'detach' ? ['j1', background, other] : reason === 'cancel' ? [background, other] : [other])
      await foreground
      const again = await call('bash', { command: 'true' }, turn)
      if (reason === 'detach') expect(again.isError).toBe(false)
      else expect(again).toMatchObject({ error: { code: 'SHELL_HALTED' } })
    },
  )

  test('S-42: nested calls count by their root call; a deadline skips the grace', async () => {
    const { runtime, call } = await freshTools({ limits: { graceMs: 60_000 } })
    const shell = runtime.services.require(Shell)
    runtime.register({
      name: 'outer',
      description: 'calls bash',
      input: { type: 'object' },
      execute: async (_input, context) =>
        (await context.call('bash', { command: 'trap "" TERM; echo up; while :; do sleep 0.05; done' })).isError,
    })
    const running = call('outer', {}, { callId: 'root-1', turnId: 't9' })
    await until(() => shell.list().some((command) => command.totalBytes > 0))
    const began = performance.now()
    const report = await runtime.services.require(OwnedWork).release({ reason: 'cancel', rootCallIds: ['root-1'], deadlineMs: 100 })
    expect(report).toEqual({ ended: ['j1'], kept: [], stuck: [] })
    expect(performance.now() - began).toBeLessThan(10_000)
    await running
  })

  test('S-41: a turn that ends normally ends nothing', async () => {
    const { ok, runtime } = await freshTools()
    await ok('bash', { command: 'sleep 30 & echo x' }, { turnId: 't1' })
    await ok('bash', { command: 'true' }, { turnId: 't2' })
    expect(runtime.services.require(Shell).get('j1')?.live).toBe(true)
  })
})

describe('policy', () => {
  test('S-50: the call view carries title, command, kept cwd, effects and paths', async () => {
    const { ok, runtime, root } = await freshTools()
    await ok('bash', { command: 'mkdir sub; cd sub', persistCwd: true })
    const view = await runtime.describe({ name: 'bash', arguments: { command: 'cat a\nls', env: { API_TOKEN: 'x' } } })
    expect(view).toMatchObject({ kind: 'execute', title: 'cat a', command: 'cat a\nls', cwd: `${root}/sub`, sensitive: ['/env/API_TOKEN'] })
    expect(view.effects?.verdict).toBe('read-only')
    expect(view.paths).toEqual([{ path: `${root}/sub/a`, access: 'read' }])
    expect((await runtime.describe({ name: 'bash', arguments: { command: 'rm x', description: 'Remove x' } })).title).toBe('Remove x')
    expect((await runtime.describe({ name: 'bash', arguments: { command: 'ls', env: { PATH: '.' } } })).effects?.verdict).toBe('unknown')
  })

  test('S-50: annotations; read-only commands run side by side, others alone', async () => {
    const { runtime } = await freshTools()
    const bash = runtime.get('bash')
    expect(bash?.annotations).toMatchObject({ destructiveHint: true, openWorldHint: true })
    expect(runtime.get('bash_output')).toMatchObject({ annotations: { readOnlyHint: true }, concurrency: 'parallel' })
    const mode = (input: object): string => (typeof bash?.concurrency === 'function' ? bash.concurrency(input) : '')
    expect([mode({ command: 'ls' }), mode({ command: 'rm x' }), mode({ command: 'ls', background: true })]).toEqual([
      'parallel',
      'exclusive',
      'exclusive',
    ])
    expect([bash?.timeoutMs, runtime.get('bash_output')?.timeoutMs]).toEqual([2_147_483_647, 2_147_483_647])
  })

  test('S-51: tightening runs no ask (here: no runner, so refused by name); nothing runs unconfined', async () => {
    const { call } = await freshTools()
    for (const extra of [{ sandbox: 'read-only' }, { network: 'none' }]) {
      const result = await call('bash', { command: 'echo ran > ran.txt', ...extra })
      expect(result).toMatchObject({ error: { code: 'SHELL_SANDBOX_UNAVAILABLE', details: { reason: 'no-runner', tried: [] } } })
    }
  })

  test('S-51: loosening is turned into an ask, whoever else allows', async () => {
    const asks: (string | undefined)[] = []
    const approver: ToolPlugin = {
      name: 'approver',
      apply: (runtime) => {
        runtime.services.provide(
          { id: 'toolseam/approval' },
          { ask: async (request: { reason?: string }) => (asks.push(request.reason), { outcome: 'approved' }) },
        )
      },
    }
    const { call, runtime } = await freshTools({ sandbox: 'workspace-write' })
    await runtime.use(approver)
    expect(await call('bash', { command: 'echo out', sandbox: 'off', network: 'full' })).toMatchObject({
      isError: false,
      value: { output: 'out\n' },
    })
    expect(asks).toEqual(['wants to leave the sandbox'])
    expect(await call('bash', { command: 'echo in' })).toMatchObject({ error: { code: 'SHELL_SANDBOX_UNAVAILABLE' } })
  })

  test('S-30: no second truncation from 27,000 to 65,000 bytes: one owner', async () => {
    const { call } = await freshTools()
    for (const size of [27_000, 32_000, 32_768, 32_769, 40_000, 65_000]) {
      const result = await call('bash', { command: `head -c ${size} /dev/zero | tr '\\0' a` })
      expect(result.meta).toMatchObject({ truncatedBy: 'shell' })
      const text = textOf(result)
      expect(text.split('[omitted').length - 1).toBe(size > 32_768 ? 1 : 0)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32_768 + 16)
      if (size > 32_768) expect(result.meta).toMatchObject({ spill: { bytes: size, complete: true } })
    }
  })

  test('S-52: the spill named in the text is there, under the root', async () => {
    const { ok, root } = await freshTools()
    const { text } = await ok('bash', { command: 'seq 1 20000' })
    const path = /all of it: (\S+)\]/.exec(text)?.[1] ?? ''
    expect(path).toMatch(/^\.toolseam\/output\/j1-[0-9a-f]{8}\.log$/)
    expect(readFileSync(join(root, path), 'utf8')).toHaveLength(108_894)
  })
})
