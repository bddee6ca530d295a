/**
 * The contract of a `CodeRuntime`, run against every provider (C-8). What a provider does not promise in its `isolation` is not tried, and
 * a test says so.
 */
import type { JsonValue } from '@toolseam/core-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CodeCall, CodeCallAnswer, CodeRunResult, CodeRuntime } from '../definition/code-runtime.ts'
import { type CodeLimits, resolveLimits } from '../definition/limits.ts'
import { prepareProgram } from '../prepare/prepare.ts'
import { type Bomb, LOOPS, MEMORY_BOMBS } from './bombs.ts'

export interface ConformanceOptions {
  create(): CodeRuntime
  /** Replaces `call`'s tools: `add`, `echo`, `fail`, `sleep`. */
  readonly timeoutMs?: number
}

type Run = (text: string, options?: { limits?: Partial<CodeLimits>; signal?: AbortSignal; call?: Answer }) => Promise<CodeRunResult>
type Answer = (call: CodeCall, signal: AbortSignal) => Promise<CodeCallAnswer>

const MIB = 1024 * 1024

/** Registers the suite under `name`. */
export function runCodeRuntimeConformance(name: string, { create, timeoutMs = 300_000 }: ConformanceOptions): void {
  describe(`code runtime: ${name}`, { timeout: timeoutMs }, () => {
    let runtime: CodeRuntime
    const run: Run = (text, options) => runProgram(runtime, text, options)
    beforeAll(() => {
      runtime = create()
    })
    afterAll(() => runtime.dispose())

    values(run, () => runtime)
    calls(run)
    endings(run)
    resources(run, () => runtime)
    lifecycle(run, { create, runtime: () => runtime })
  })
}

function values(run: Run, runtime: () => CodeRuntime): void {
  test('C-9: the value is what is returned, or the trailing expression', async () => {
    expect(await run('return { a: [1, "x", null, true] }')).toMatchObject({ ok: true, value: { a: [1, 'x', null, true] } })
    expect(await run('const a = 20; a + 1')).toMatchObject({ ok: true, value: 21 })
    expect(await run('const a = 1')).toMatchObject({ ok: true, value: null })
  })

  test('C-11: what is not JSON is refused with its place, never changed silently', async () => {
    const lossy = ['NaN', 'new Date(0)', 'new Map()', '[undefined]', '() => 1', '10n', 'Symbol()', 'new (class A {})()', '[, 1]']
    for (const expression of lossy) {
      const result = await run(
        `const o = {}; try { await tools.echo({ deep: ${expression} }); return "sent" } catch (e) { return [e.code, e.message] }`,
      )
      expect(result, expression).toMatchObject({ ok: true, value: ['CODE_INVALID_ARGUMENTS', expect.stringContaining('/deep')] })
    }
    expect(await run('const o = {}; o.o = o; return tools.echo(o).catch((e) => e.code)')).toMatchObject({ value: 'CODE_INVALID_ARGUMENTS' })
    expect(await run('return tools.echo({ a: undefined, b: -0 })')).toMatchObject({ ok: true, value: { b: 0 } })
    expect(await run('return { a: new Set() }')).toMatchObject({ ok: false, error: { kind: 'exception', name: 'TypeError' } })
  })

  test('C-11: each property is read once; prototype keys are data', async () => {
    expect(await run('let n = 0; await tools.echo({ get a() { return ++n } }); return n')).toMatchObject({ value: 1 })
    const text = '{"__proto__":{"x":1},"constructor":2}'
    const result = await run(`return JSON.stringify(await tools.echo(JSON.parse('${text}')))`)
    expect(result).toMatchObject({ ok: true, value: text })
  })

  test('C-11: values may be nested 500 deep, and not without end', async () => {
    const nest = (depth: number): string => `let v = 1; for (let i = 0; i < ${depth}; i++) v = [v]; `
    expect(await run(`${nest(500)}return JSON.stringify(await tools.echo(v)).length`)).toMatchObject({ ok: true, value: 1001 })
    expect(await run(`${nest(100_000)}return tools.echo(v).catch((e) => e.code)`)).toMatchObject({ value: 'CODE_INVALID_ARGUMENTS' })
    // One level is for the result that holds the value.
    expect(await run(`${nest(511)}return v`)).toMatchObject({ ok: true })
    expect(await run(`${nest(512)}return v`)).toMatchObject({ ok: false, error: { kind: 'exception', name: 'TypeError' } })
  })

  test('C-6: a call for which the stack has no room takes no number', async () => {
    // Without a boundary it would be the stack of the host.
    if (runtime().isolation.boundary === 'none') return
    const program =
      'let n = 0; const f = () => { try { f() } catch {} if (n++ < 300) { try { tools.echo(n).catch(() => 0) } catch {} } }; try { f() } catch {} return tools.echo("after")'
    expect(await run(program)).toMatchObject({ ok: true, value: 'after' })
  })

  test('C-12: the value beyond resultBytes is cut, and says how long it was', async () => {
    const result = await run('return "x".repeat(5000)', { limits: { resultBytes: 1000 } })
    expect(result).toMatchObject({ ok: true, cut: { chars: 5002 } })
    expect(result.ok && typeof result.value === 'string' && result.value.length).toBe(1000)
  })
}

function calls(run: Run): void {
  test('C-4: calls are numbered in the order of submission and may overlap', async () => {
    const seen: [number, string, number | undefined][] = []
    const call: Answer = async (made) => {
      seen.push([made.seq, made.name, made.line])
      return { ok: true, value: made.seq }
    }
    const result = await run('const a = tools.one({})\nconst b = tools["two-x"]({ n: 1 })\nreturn [await b, await a]', { call })
    expect(result).toMatchObject({ ok: true, value: [2, 1], usage: { calls: 2 } })
    expect(seen).toEqual([
      [1, 'one', 1],
      [2, 'two-x', 2],
    ])
  })

  test('C-10: tools is not thenable, names of servers are paths, methods of the language stay', async () => {
    const result = await run(
      'const t = await (async () => tools)(); return [typeof t.then, await t.echo(1), typeof t.add.then, await t.git.log({})]',
      {
        call: async ({ name }) => ({ ok: true, value: name }),
      },
    )
    expect(result).toMatchObject({ ok: true, value: ['undefined', 'echo', 'undefined', 'git.log'] })
  })

  test('C-11: a failed call throws a ToolError that can be caught', async () => {
    const result = await run(
      '\ntry { await tools.fail({ message: "disk full" }) } catch (e) { return [e instanceof ToolError, e instanceof Error, e.name, e.tool, e.code, e.message, e.line] }',
    )
    expect(result).toMatchObject({ value: [true, true, 'ToolError', 'fail', 'BROKEN', 'disk full', 2] })
  })

  test('C-5: what was not awaited is cancelled through its signal and listed', async () => {
    const aborted: number[] = []
    const call: Answer = (made, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted.push(made.seq)
          resolve({ ok: true, value: 'late' })
        })
      })
    const result = await run('tools.a({}); tools.b({}); return "done"', { call })
    expect(result).toMatchObject({ ok: true, value: 'done', unfinished: [1, 2] })
    expect(aborted).toEqual([1, 2])
  })

  test('C-12: an uncaught rejected call names the line of the call', async () => {
    const result = await run('console.log("before")\nconst p = tools.fail({ message: "no" })\n\nawait p')
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'tool-error', tool: 'fail', code: 'BROKEN', line: 2 },
      logs: { text: 'before' },
    })
  })

  test('C-4: a host that throws is a failed call, and the program goes on', async () => {
    const call: Answer = () => Promise.reject(new Error('host fault'))
    expect(await run('return tools.x({}).catch((e) => e.message)', { call })).toMatchObject({ value: 'host fault' })
  })

  test('section 4: arguments, results and the number of calls are limited', async () => {
    const large = await run('return tools.echo({ x: "y".repeat(2000) }).catch((e) => e.code)', { limits: { argumentBytes: 1000 } })
    expect(large).toMatchObject({ value: 'CODE_ARGUMENTS_TOO_LARGE', usage: { calls: 0 } })
    const wide = await run('return tools.echo({ x: "é".repeat(600) }).catch((e) => e.code)', { limits: { argumentBytes: 1000 } })
    expect(wide).toMatchObject({ value: 'CODE_ARGUMENTS_TOO_LARGE' })
    const call: Answer = async () => ({ ok: true, value: 'z'.repeat(5000) })
    expect(await run('return tools.x({}).catch((e) => e.code)', { call, limits: { toolResultBytes: 4000 } })).toMatchObject({
      value: 'CODE_RESULT_TOO_LARGE',
    })
    const flood = await run('for (;;) await tools.echo(1).catch(() => 0)', { limits: { calls: 20 } })
    expect(flood).toMatchObject({ ok: false, error: { kind: 'call-limit' }, usage: { calls: 20 } })
  })
}

function endings(run: Run): void {
  test('C-12: an exception names its line and shows it', async () => {
    const result = await run('const rows: { t?: string[] }[] = [{}]\n\nfor (const r of rows) {\n  r.t!.length\n}')
    expect(result).toMatchObject({ ok: false, error: { kind: 'exception', name: 'TypeError', line: 4, source: '  r.t!.length' } })
    expect(await run('throw "text"')).toMatchObject({ ok: false, error: { kind: 'exception', message: 'thrown: text' } })
  })

  test('C-15: a promise that nobody will settle is a deadlock, told at once', async () => {
    expect(await run('await new Promise(() => {})')).toMatchObject({ ok: false, error: { kind: 'deadlock' } })
    expect(await run('await tools.echo(1); await new Promise(() => {})')).toMatchObject({ ok: false, error: { kind: 'deadlock' } })
  })

  test('section 4: printing is kept up to a limit and ended far beyond it', async () => {
    const some = await run('for (let i = 0; i < 100; i++) console.log("line " + i); return 1', { limits: { logBytes: 200 } })
    expect(some).toMatchObject({ ok: true, logs: { truncated: true } })
    expect(some.logs.text.length).toBeLessThanOrEqual(200)
    const flood = await run('for (let i = 0; i < 1e6; i++) console.log("x".repeat(50))', { limits: { logBytes: 200 } })
    expect(flood).toMatchObject({ ok: false, error: { kind: 'output-limit' } })
  })

  test('C-10: console shows what it is given, whatever it is', async () => {
    const result = await run('const c = {}; c.c = c; console.log("a", { b: [1, "x"] }, c, new Map([[1, "m"]]), undefined, 3n); return null')
    expect(result.logs.text).toBe('a {"b":[1,"x"]} {"c": [circular]} Map(1) {1 => "m"} undefined 3n')
  })

  test('C-13: waiting for a tool costs no busy time', async () => {
    const call: Answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1500))
      return { ok: true, value: 1 }
    }
    expect(await run('return await tools.slow({})', { call, limits: { busyMs: 1000 } })).toMatchObject({ ok: true, value: 1 })
  })

  test('C-16: the wall limit ends a run that waits, and stands still while a person is asked', async () => {
    const pending: Answer = (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ ok: true, value: 0 })))
    const waited = await run('await tools.wait({})', { call: pending, limits: { wallMs: 2000 } })
    expect(waited).toMatchObject({ ok: false, error: { kind: 'timeout' }, unfinished: [1] })
    const asked: Answer = async ({ onAsk }) => {
      onAsk(true)
      await new Promise((resolve) => setTimeout(resolve, 6000))
      onAsk(false)
      return { ok: true, value: 'answered' }
    }
    expect(await run('return await tools.ask({})', { call: asked, limits: { wallMs: 5000 } })).toMatchObject({
      ok: true,
      value: 'answered',
    })
  })
}

function resources(run: Run, runtime: () => CodeRuntime): void {
  const isHard = (): boolean => runtime().isolation.preemptible
  const explode = async ({ program, kinds, name }: Bomb, limits: Partial<CodeLimits>): Promise<void> => {
    const result = await run(program, { limits })
    expect(kinds, `${name}: ${JSON.stringify(result).slice(0, 400)}`).toContain(result.ok ? 'value' : result.error.kind)
  }

  test('C-13: loops of every kind end at the busy limit, the host stays awake, and the next run works', async () => {
    if (!isHard()) return expect(runtime().isolation).toMatchObject({ boundary: 'none', preemptible: false })
    let ticks = 0
    const ticking = setInterval(() => (ticks += 1), 20)
    for (const loop of LOOPS) await explode(loop, { busyMs: 300 })
    clearInterval(ticking)
    // Each ran for at least 300 ms; a host that had waited for them would hardly have ticked.
    expect(ticks).toBeGreaterThan(LOOPS.length)
    expect(await run('return 1')).toMatchObject({ ok: true, value: 1 })
  })

  test('section 4: memory bombs of every kind end, the host does not grow with them, and the next run works', async () => {
    if (runtime().isolation.memory !== 'hard') return expect(runtime().isolation.memory).toBe('none')
    const before = process.memoryUsage().rss
    for (const bomb of MEMORY_BOMBS) {
      await explode(bomb, { busyMs: 2000, memoryBytes: 64 * MIB })
      expect((process.memoryUsage().rss - before) / MIB, bomb.name).toBeLessThan(256)
    }
    expect(await run('return 1')).toMatchObject({ ok: true, value: 1 })
  })

  test('section 4: recursion without end is an error of the program that it can catch', async () => {
    const result = await run('const f = () => f() + 1; try { f(); return "?" } catch (e) { return e.name }')
    expect(result).toMatchObject({ ok: true, value: 'RangeError' })
  })
}

function lifecycle(run: Run, { create, runtime }: { create(): CodeRuntime; runtime(): CodeRuntime }): void {
  test('C-17: nothing of one run is seen by the next', async () => {
    if (runtime().isolation.boundary === 'none') return expect(runtime().isolation.boundary).toBe('none')
    const text = 'const g = globalThis; const seen = g.leak ?? null; g.leak = 1; Array.prototype.leak = 2; return [seen, [].leak]'
    expect(await run(text)).toMatchObject({ ok: true, value: [null, 2] })
    expect(await run(text)).toMatchObject({ ok: true, value: [null, 2] })
  })

  test('C-12: an abort ends a run that waits, and one that never began', async () => {
    const controller = new AbortController()
    const call: Answer = (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ ok: true, value: 0 }))
        controller.abort()
      })
    const signal = controller.signal
    expect(await run('await tools.wait({})', { call, signal })).toMatchObject({ ok: false, error: { kind: 'abort' }, unfinished: [1] })
    expect(await run('return 1', { signal: AbortSignal.abort() })).toMatchObject({ ok: false, error: { kind: 'abort' } })
    expect(await run('return 1')).toMatchObject({ ok: true, value: 1 })
  })

  test('C-12: an abort ends a run that computes', async () => {
    if (!runtime().isolation.preemptible) return expect(runtime().isolation.preemptible).toBe(false)
    const controller = new AbortController()
    const call: Answer = async () => {
      setTimeout(() => controller.abort(), 100)
      return { ok: true, value: 0 }
    }
    const result = await run('await tools.x({}); for (;;) {}', { call, signal: controller.signal, limits: { busyMs: 60_000 } })
    expect(result).toMatchObject({ ok: false, error: { kind: 'abort' } })
  })

  test('dispose ends every run, awaits it, and closes', async () => {
    const own = create()
    const waiting = runProgram(own, 'await tools.sleep({ ms: 60000, id: 1 })')
    const quick = await runProgram(own, 'return 1')
    expect(quick).toMatchObject({ ok: true })
    await own.dispose()
    expect(await waiting).toMatchObject({ ok: false, error: { kind: 'abort' } })
    await expect(runProgram(own, 'return 1')).rejects.toMatchObject({ code: 'CODE_CLOSED' })
    await own.dispose()
  })
}

async function runProgram(
  runtime: CodeRuntime,
  text: string,
  { limits, signal, call = fixtureCall }: { limits?: Partial<CodeLimits>; signal?: AbortSignal; call?: Answer } = {},
): Promise<CodeRunResult> {
  const prepared = prepareProgram(text)
  if (!prepared.ok) throw new Error(`the program of a test does not parse: ${prepared.error.message}`)
  const request = { program: prepared.program, call, onConsole: () => undefined, limits: resolveLimits(limits) }
  return runtime.run(signal === undefined ? request : { ...request, signal })
}

/** `add`, `echo`, `fail`, and `sleep`, which obeys its signal. */
const fixtureCall: Answer = async ({ name, args }, signal) => {
  if (name === 'echo') return { ok: true, value: args }
  if (name === 'sleep') return { ok: true, value: await slept(args, signal) }
  if (name === 'add') return { ok: true, value: Number(field(args, 'a')) + Number(field(args, 'b')) }
  if (name === 'fail') return { ok: false, error: { code: 'BROKEN', message: String(field(args, 'message')) } }
  return { ok: false, error: { code: 'UNKNOWN_TOOL', message: `There is no tool "${name}".` } }
}

function slept(args: JsonValue, signal: AbortSignal): Promise<JsonValue> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      resolve(args)
    }
    const timer = setTimeout(done, Number(field(args, 'ms')))
    signal.addEventListener('abort', done, { once: true })
  })
}

function field(args: JsonValue, key: string): JsonValue | undefined {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? args[key] : undefined
}
