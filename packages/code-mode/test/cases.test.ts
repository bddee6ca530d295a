/** The cases of the area, each on every shipped provider. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CodeRuntime } from '../src/index.ts'
import { failure, PROVIDERS, returned, textOf, type World, world, type WorldOptions } from './support.ts'

interface Case {
  name: string
  program: string
  expectation: {
    value?: unknown
    error?: { kind: string; name?: string; line?: number }
    logs?: string[]
    toolCalls?: Record<string, number>
  }
}
const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures/cases.json'), 'utf8')) as { cases: Case[] }
const named = (name: string): Case => {
  const found = cases.find((each) => each.name === name)
  if (found === undefined) throw new Error(`no case ${name}`)
  return found
}

describe.each(PROVIDERS)('cases on %s', { timeout: 180_000 }, (name, create) => {
  let engine: CodeRuntime
  beforeAll(() => {
    engine = create()
  })
  afterAll(() => engine.dispose())
  // One engine for all: the runtime of a test does not dispose an engine that was handed in.
  const shared: CodeRuntime = {
    get id() {
      return engine.id
    },
    language: 'typescript',
    get isolation() {
      return engine.isolation
    },
    run: (request) => engine.run(request),
    dispose: () => Promise.resolve(),
  }
  const open = (options: WorldOptions = {}): Promise<World> => world({ engine: shared, ...options })
  const clean = (here: World): void => {
    expect(here.violations).toEqual([])
    expect(here.sleeping.now).toBe(0)
  }

  const plain = ['paginate-filter', 'tool-error-catch', 'ts-types', 'fenced-arrow', 'exotic-and-unknown-tool']
  test.each(plain)('case %s', async (title) => {
    const { program, expectation } = named(title)
    await using here = await open()
    const result = await here.run(program)
    expect(returned(result)).toEqual(expectation.value)
    for (const line of expectation.logs ?? []) expect(textOf(result)).toContain(line)
    for (const [tool, count] of Object.entries(expectation.toolCalls ?? {})) {
      expect(
        here.events.events.filter((event) => event.kind === 'execute' && here.events.recordOf(event.callId)?.name === tool),
      ).toHaveLength(count)
    }
    if (title === 'paginate-filter') expect(textOf(result)).not.toContain('user-4')
    clean(here)
  })

  test('case parallel-fanout: overlaps where sleep is parallel, serialises where it is exclusive', async () => {
    const { program, expectation } = named('parallel-fanout')
    await using wide = await open()
    expect(returned(await wide.run(program))).toEqual(expectation.value)
    expect(wide.sleeping.peak).toBeGreaterThanOrEqual(4)
    expect(wide.sleeping.peak).toBeLessThanOrEqual(16)
    await using narrow = await open({ sleepConcurrency: 'exclusive' })
    expect(returned(await narrow.run(program))).toEqual(expectation.value)
    expect(narrow.sleeping.peak).toBe(1)
  })

  test('case uncaught-error-line', async () => {
    await using here = await open()
    const result = failure(await here.run(named('uncaught-error-line').program))
    expect(result).toMatchObject({
      code: 'CODE_EXCEPTION',
      details: { kind: 'exception', name: 'TypeError', line: 8, logs: { text: '1 1' } },
    })
  })

  test('case floating-call: what was not awaited is over with the run', async () => {
    let withdrawn = false
    const answer = ({ signal }: { signal: AbortSignal }): Promise<{ outcome: 'cancelled' }> =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          withdrawn = true
          resolve({ outcome: 'cancelled' })
        }),
      )
    await using here = await open({ answer })
    const result = await here.run(named('floating-call').program)
    expect(returned(result)).toBe('done')
    expect(result).toMatchObject({ value: { unfinished: [1, 2] } })
    expect(textOf(result)).toContain('2 calls were still open')
    expect(here.written.size).toBe(0)
    expect(here.asked.length === 0 || withdrawn).toBe(true)
    const settled = here.events.events.filter(({ kind }) => kind === 'result').map(({ callId }) => callId)
    expect(settled.at(-1)).toBe('c1')
    expect([...settled].sort()).toEqual(['c1', 'c1:code:1', 'c1:code:2'])
    clean(here)
  })

  test('case approval-pauses-clock: neither a person nor a tool costs busy time', async () => {
    const { program, expectation } = named('approval-pauses-clock')
    const answer = async (): Promise<{ outcome: 'approved' }> => {
      await new Promise((resolve) => setTimeout(resolve, 3000))
      return { outcome: 'approved' }
    }
    await using here = await open({ answer, limits: { busyMs: 1000, wallMs: 2900 } })
    expect(returned(await here.run(program))).toEqual(expectation.value)
    expect(here.asked).toHaveLength(1)
    await using other = await open({ limits: { busyMs: 1000 } })
    const slept = program.replace(/tools\.write_file\(.*?\}\)/, 'tools.sleep({ ms: 3000, id: 1 })')
    expect(slept).toContain('sleep')
    expect(returned(await other.run(slept))).toEqual({ a: 2, w: { id: 1, ms: 3000 } })
  })

  test('case loop-behind-pending-call', async () => {
    await using here = await open({ limits: { busyMs: 1000 } })
    if (!engine.isolation.preemptible) return expect(name).toBe('inline')
    const result = failure(await here.run(named('loop-behind-pending-call').program))
    expect(result).toMatchObject({ code: 'CODE_TIMEOUT', details: { kind: 'timeout', unfinished: [1] } })
    expect(here.sleeping.aborted).toEqual(['decoy'])
    expect(returned(await here.run('return 1'))).toBe(1)
    clean(here)
  })

  test('case memory-bomb, and the variants that its note names', async () => {
    if (engine.isolation.memory !== 'hard') return expect(name).toBe('inline')
    await using here = await open({ limits: { busyMs: 5000 } })
    const bombs = [
      named('memory-bomb').program,
      'let s = "x"; for (;;) s += s',
      'const m = new Map(); for (let i = 0; ; i++) m.set(i, "v" + i)',
      'const a = []; for (;;) a.push(new Uint8Array(64 << 20))',
    ]
    const before = process.memoryUsage().rss
    for (const program of bombs) {
      expect(failure(await here.run(program)).details['kind']).toMatch(/^(?:memory|timeout)$/)
      expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(256)
    }
    expect(returned(await here.run('return 1'))).toBe(1)
  })

  test('case state-isolation: run twice, both the same', async () => {
    if (engine.isolation.boundary === 'none') return expect(name).toBe('inline')
    const { program, expectation } = named('state-isolation')
    await using here = await open()
    expect(returned(await here.run(program))).toEqual(expectation.value)
    expect(returned(await here.run(program))).toEqual(expectation.value)
  })
})
