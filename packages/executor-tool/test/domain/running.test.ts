/**
 * Accepting and running (E-1 to E-10).
 */
import { createAdmissions, createToolDomainRunner, createToolExecutionDomain, type ToolDomainEvent } from '@toolseam/executor-tool'
import { deniedSurface } from '@toolseam/core-tools'
import { drainReady } from '@toolseam/executor-tool/testing'
import { describe, expect, test, vi } from 'vitest'
import { cmd, domainBench } from './helpers.ts'

const nothingOwned = { revertDiff: async (): Promise<void> => {}, cancelCommand: async (): Promise<void> => {} }

describe('accepting', () => {
  test('E-1: the runner is not called in the turn of handle, and completion order is free', async () => {
    const { domain, runner, events } = domainBench()
    domain.handle(cmd('a'))
    domain.handle(cmd('b'))
    expect(runner.bodies).toHaveLength(0)
    await Promise.resolve()
    await Promise.resolve()
    expect(runner.bodies).toHaveLength(2)
    runner.body('b').resolve(1)
    await drainReady()
    runner.body('a').resolve(2)
    await drainReady()
    expect(events.map((event) => 'commandId' in event && event.commandId)).toEqual(['b', 'a'])
  })

  test.each([
    ['nothing', undefined],
    ['a number', 7],
    ['no ids', {}],
    ['an empty commandId', { commandId: '', dlineTid: 'x' }],
    ['a dlineTid that is no text', { commandId: 'a', dlineTid: 3 }],
    ['an empty turnId', { commandId: 'a', dlineTid: 'x', turnId: '' }],
    ['an unknown mode', { commandId: 'a', dlineTid: 'x', mode: 'sideways' }],
    [
      'a getter that throws',
      {
        get commandId() {
          throw new Error('no')
        },
      },
    ],
  ])('E-2: a malformed command (%s) is rejected as invalid and never throws', (_name, command) => {
    const { domain, events } = domainBench()
    expect(() => domain.handle(command as never)).not.toThrow()
    expect(events).toMatchObject([{ kind: 'tool.rejected', reason: 'invalid' }])
    expect(domain.snapshot().inFlight).toEqual([])
  })

  test('E-2: the checks come in their order', async () => {
    const { domain, events } = domainBench({ currentTurn: () => 't2' })
    const reasons = (): string[] => events.flatMap((event) => (event.kind === 'tool.rejected' ? [event.reason] : []))
    domain.handle(cmd('a'))
    void domain.haltToolDomain('cancel', { budgetMs: 0 })
    domain.handle(cmd('a'))
    domain.handle({ commandId: 'a' } as never)
    expect(reasons()).toEqual(['halted', 'invalid'])
    void domain.dispose()
    domain.handle(cmd('a'))
    expect(reasons().at(-1)).toBe('disposed')
  })

  test('E-2: a duplicate is rejected in flight, when closed, and after a stop', async () => {
    const { domain, runner, events } = domainBench()
    domain.handle(cmd('a'))
    domain.handle(cmd('a'))
    domain.handle(cmd('b'))
    await drainReady()
    runner.body('a').resolve(1)
    await drainReady()
    domain.handle(cmd('a'))
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    runner.body('b').resolve(1)
    await halted
    domain.rearm('h')
    domain.handle(cmd('b'))
    expect(events.filter((event) => event.kind === 'tool.rejected').map((event) => event.reason)).toEqual([
      'duplicate',
      'duplicate',
      'duplicate',
    ])
  })

  test('E-2: closed ids are remembered as long as told, not longer', async () => {
    const { domain, runner, events } = domainBench({ retain: 2 })
    for (const id of ['a', 'b', 'c']) runner.script.set(id, () => id)
    for (const id of ['a', 'b', 'c']) domain.handle(cmd(id))
    await drainReady()
    domain.handle(cmd('a'))
    domain.handle(cmd('c'))
    await drainReady()
    expect(events.map((event) => event.kind)).toEqual([
      'tool.block_result',
      'tool.block_result',
      'tool.block_result',
      'tool.rejected',
      'tool.block_result',
    ])
  })

  test('E-2: a command of another turn than the current one, or than its admission, is superseded; one without a turn is not', async () => {
    const { domain, runner, events } = domainBench({ currentTurn: () => 't2' })
    runner.admitted.set('c#0', { turnId: 't3' })
    domain.handle(cmd('a', { turnId: 't1' }))
    domain.handle(cmd('c', { turnId: 't2' }))
    expect(events.map((event) => event.kind === 'tool.rejected' && event.reason)).toEqual(['superseded', 'superseded'])
    domain.handle(cmd('a'))
    domain.handle(cmd('b', { turnId: 't2' }))
    await drainReady()
    expect(runner.bodies.map((body) => body.command.commandId)).toEqual(['a', 'b'])
  })

  test('E-2: a host that cannot say its turn lets no bound command through', () => {
    const { domain, events, told } = domainBench({
      currentTurn() {
        throw new Error('no')
      },
    })
    domain.handle(cmd('a', { turnId: 't1' }))
    expect(events).toMatchObject([{ reason: 'superseded' }])
    expect(told()).toEqual(['callback_failed'])
  })

  test('E-2: a rejected command leaves no trace: handed over again it runs, and its admission is still there', async () => {
    const admissions = createAdmissions<string>()
    const domain = createToolExecutionDomain({
      runner: createToolDomainRunner({ resources: nothingOwned, admissions }),
      surface: deniedSurface('x'),
    })
    const events: ToolDomainEvent<string>[] = []
    domain.subscribe((event) => events.push(event))
    admissions.put('a#0', { run: () => 'ran' })
    await domain.halt({ haltId: 'h', reason: 'cancel' })
    domain.handle(cmd('a'))
    expect(admissions.size).toBe(1)
    domain.rearm()
    domain.handle(cmd('a'))
    await drainReady()
    expect(events.map((event) => event.kind)).toEqual(['tool.halted', 'tool.rejected', 'tool.block_result'])
  })

  test('E-3: mode and turn reach the runner as they were; a serial batch overlaps here', async () => {
    const { domain, runner } = domainBench()
    domain.handle(cmd('a', { turnId: 't', mode: 'serial' }))
    domain.handle(cmd('b', { turnId: 't', mode: 'serial' }))
    await drainReady()
    expect(runner.bodies.map((body) => body.command)).toEqual([
      { commandId: 'a', dlineTid: 'a#0', turnId: 't', mode: 'serial' },
      { commandId: 'b', dlineTid: 'b#0', turnId: 't', mode: 'serial' },
    ])
    expect(runner.bodies.every((body) => body.running)).toBe(true)
  })
})

describe('outcomes', () => {
  const hostile = {
    get code(): string {
      throw new Error('code')
    },
    get message(): string {
      throw new Error('message')
    },
  }

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'why'],
    ['a frozen error', Object.freeze(new Error('frozen'))],
    ['hostile getters', hostile],
    ['an object without prototype', Object.create(null)],
    ['a symbol', Symbol('s')],
  ])('E-4: a body that throws %s is a failed event, sync and async', async (_name, thrown) => {
    const { domain, runner, events } = domainBench()
    runner.script.set('sync', () => {
      throw thrown
    })
    runner.script.set('async', async () => {
      throw thrown
    })
    domain.handle(cmd('sync', { turnId: 't' }))
    domain.handle(cmd('async'))
    await drainReady()
    expect(events).toHaveLength(2)
    for (const event of events) {
      if (event.kind !== 'tool.block_failed') throw new Error(event.kind)
      expect(event.failure.code).toBe('TOOL_FAILED')
      expect(event.failure.message).not.toBe('')
      expect(Object.is(event.failure.cause, thrown)).toBe(true)
    }
    expect(events[0]).toMatchObject({ commandId: 'sync', turnId: 't', dlineTid: 'sync#0' })
  })

  test('E-4: a thrown promise is a cause like any other, and its rejection ends nothing', async () => {
    const { domain, runner, events } = domainBench()
    runner.script.set('a', () => {
      throw Promise.reject(new Error('inner'))
    })
    domain.handle(cmd('a'))
    await drainReady()
    expect(events).toMatchObject([{ kind: 'tool.block_failed', failure: { code: 'TOOL_FAILED' } }])
  })

  test('E-4: a string code is kept', async () => {
    const { domain, runner, events } = domainBench()
    runner.script.set('a', () => {
      throw { code: 'FS_STALE_VERSION', message: 'it changed' }
    })
    domain.handle(cmd('a'))
    await drainReady()
    expect(events).toMatchObject([{ failure: { code: 'FS_STALE_VERSION', message: 'it changed' } }])
  })

  test('E-4: a returned result with isError is a failed event with the result attached', async () => {
    const { domain, runner, events } = domainBench()
    const result = { isError: true, error: { code: 'TOOL_DENIED', message: 'no' }, content: [] }
    runner.script.set('a', () => result)
    runner.script.set('b', () => ({ isError: false, value: 1, content: [] }))
    domain.handle(cmd('a'))
    domain.handle(cmd('b'))
    await drainReady()
    expect(events).toMatchObject([
      { kind: 'tool.block_failed', failure: { code: 'TOOL_DENIED', message: 'no' } },
      { kind: 'tool.block_result' },
    ])
    expect(events[0]?.kind === 'tool.block_failed' && events[0].failure.result).toBe(result)
  })

  test('E-4: a plain value, and a thenable that settles twice, give one outcome', async () => {
    const { domain, runner, events } = domainBench()
    runner.script.set('a', () => 5)
    runner.script.set('b', () => {
      const thenable = {
        then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
          resolve('first')
          resolve('second')
          reject(new Error('third'))
          throw new Error('fourth')
        },
      }
      return thenable as never
    })
    domain.handle(cmd('a'))
    domain.handle(cmd('b'))
    await drainReady()
    expect(events).toMatchObject([{ output: 5 }, { output: 'first' }])
  })

  test('E-4: a runner that throws before it returns is a failed block', async () => {
    const { domain, events } = domainBench({
      runner: {
        runBlock() {
          throw new Error('runner')
        },
        release() {},
      },
    })
    domain.handle(cmd('a'))
    await drainReady()
    expect(events).toMatchObject([{ kind: 'tool.block_failed', failure: { message: 'runner' } }])
  })

  test('E-7: ids are unchanged, and at emission the command is no longer in flight', async () => {
    const { domain, runner } = domainBench()
    const seen: unknown[] = []
    domain.subscribe((event) => seen.push([event, domain.snapshot().inFlight.length]))
    domain.handle(cmd('a', { turnId: 't' }))
    await drainReady()
    runner.body('a').resolve('v')
    await drainReady()
    expect(seen).toMatchObject([[{ commandId: 'a', turnId: 't', dlineTid: 'a#0', output: 'v', seq: 1, epoch: 0 }, 0]])
  })
})

describe('admissions', () => {
  test('E-6: an admission is taken once; a miss says why', async () => {
    const admissions = createAdmissions<string>()
    const runner = createToolDomainRunner({ resources: nothingOwned, admissions })
    const domain = createToolExecutionDomain({ runner, surface: deniedSurface('x') })
    const events: ToolDomainEvent<string>[] = []
    domain.subscribe((event) => events.push(event))
    const run = vi.fn(() => 'once')
    admissions.put('d', { run })
    admissions.put('gone', { run })
    expect(admissions.discard('gone')).toBe(true)
    expect(admissions.discard('gone')).toBe(false)
    for (const [commandId, dlineTid] of [
      ['1', 'd'],
      ['2', 'd'],
      ['3', 'gone'],
      ['4', 'never'],
    ] as const) {
      domain.handle({ commandId, dlineTid })
    }
    await drainReady()
    expect(run).toHaveBeenCalledTimes(1)
    const byCommand = events.toSorted((left, right) =>
      'commandId' in left && 'commandId' in right && left.commandId < right.commandId ? -1 : 1,
    )
    expect(byCommand).toMatchObject([
      { kind: 'tool.block_result', output: 'once' },
      { kind: 'tool.block_failed', failure: { code: 'ADMISSION_MISSING', why: 'consumed' } },
      { kind: 'tool.block_failed', failure: { code: 'ADMISSION_MISSING', why: 'discarded' } },
      { kind: 'tool.block_failed', failure: { code: 'ADMISSION_MISSING', why: 'never_prepared' } },
    ])
  })

  test('E-6: put over a live one replaces it, over a taken one throws; tombstones are bounded', () => {
    const admissions = createAdmissions<string>({ retain: 2 })
    admissions.put('a', { run: () => 'first' })
    admissions.put('a', { run: () => 'second' })
    expect(admissions.size).toBe(1)
    expect(admissions.peek('a')).toBeDefined()
    expect(admissions.take('a').run({} as never)).toBe('second')
    expect(() => admissions.put('a', { run: () => 'third' })).toThrow(expect.objectContaining({ code: 'ADMISSION_CONSUMED' }))
    for (const id of ['b', 'c']) {
      admissions.put(id, { run: () => id })
      admissions.take(id)
    }
    expect(() => admissions.take('a')).toThrow(expect.objectContaining({ why: 'never_prepared' }))
    admissions.put('d', { run: () => 'd' })
    admissions.discard('d')
    admissions.put('d', { run: () => 'again' })
    expect(admissions.size).toBe(1)
  })
})

describe('scope, progress, outlived work', () => {
  test('E-9: the scope closes last in first out before the outcome; all closers run, their errors are diagnostics', async () => {
    const { domain, runner, events, told } = domainBench()
    const order: string[] = []
    domain.subscribe((event) => order.push(event.kind))
    runner.script.set('a', async ({ scope }) => {
      await scope.acquire(
        () => 'one',
        () => void order.push('close one'),
      )
      scope.defer(() => {
        order.push('close two')
        throw new Error('closer')
      })
      scope.defer(async () => void order.push('close three'))
      return 'v'
    })
    domain.handle(cmd('a'))
    await drainReady()
    expect(order).toEqual(['close three', 'close two', 'close one', 'tool.block_result'])
    expect(told()).toEqual(['scope_failed'])
    expect(events).toHaveLength(1)
  })

  test('E-9: what is acquired too late is given back at once, and refused', async () => {
    const { domain, runner } = domainBench()
    const order: string[] = []
    let opened: (value: string) => void = () => {}
    let late: Promise<unknown> | undefined
    runner.script.set('a', ({ scope }) => {
      late = scope.acquire(
        () => new Promise<string>((resolve) => void (opened = resolve)),
        (resource) => void order.push(`closed ${resource}`),
      )
      late.catch(() => {})
      return 'v'
    })
    domain.subscribe((event) => order.push(event.kind))
    domain.handle(cmd('a'))
    await drainReady()
    opened('late')
    await expect(late).rejects.toMatchObject({ code: 'SCOPE_CLOSED' })
    await drainReady()
    expect(order).toEqual(['closed late', 'tool.block_result'])
  })

  test('E-10: progress is coalesced to the newest, one in 50 ms, none after the block closes', async () => {
    const { domain, runner, clock } = domainBench()
    const seen: unknown[] = []
    domain.onProgress(({ update }) => seen.push(update))
    domain.handle(cmd('a'))
    await drainReady()
    const { progress } = runner.body('a').context
    for (let n = 1; n <= 10; n += 1) progress(n)
    expect(seen).toEqual([1])
    await clock.advance(49)
    expect(seen).toEqual([1])
    await clock.advance(1)
    expect(seen).toEqual([1, 10])
    progress(11)
    runner.body('a').resolve('v')
    await clock.advance(100)
    progress(12)
    await clock.advance(100)
    expect(seen).toEqual([1, 10])
    expect(clock.pending).toBe(0)
  })

  test('E-10: a cut block does not speak any more', async () => {
    const { domain, runner } = domainBench()
    const seen: unknown[] = []
    domain.onProgress(({ update }) => seen.push(update))
    domain.handle(cmd('a'))
    await drainReady()
    void domain.halt({ haltId: 'h', reason: 'cancel' })
    runner.body('a').context.progress('no')
    expect(seen).toEqual([])
  })

  test('E-9: outlived work holds the drain after the outcome of its block', async () => {
    const { domain, runner, kinds } = domainBench()
    let end: () => void = () => {}
    domain.handle(cmd('a'))
    await drainReady()
    runner.body('a').context.outlived(new Promise<void>((resolve) => void (end = resolve)))
    runner.body('a').resolve('timed out')
    await drainReady()
    expect(kinds()).toEqual(['tool.block_result'])
    expect(domain.snapshot().inFlight).toEqual([])
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    await drainReady()
    expect(runner.releases).toHaveLength(0)
    end()
    await halted
    expect(kinds()).toEqual(['tool.block_result', 'tool.halted'])
  })
})
