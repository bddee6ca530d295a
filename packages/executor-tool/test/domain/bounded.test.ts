/**
 * Stops with a budget, quarantine, dispose (E-20 to E-24, E-28).
 */
import { createToolExecutionDomain } from '@toolseam/executor-tool'
import { deniedSurface } from '@toolseam/core-tools'
import { drainReady } from '@toolseam/executor-tool/testing'
import { describe, expect, test, vi } from 'vitest'
import { cmd, domainBench } from './helpers.ts'

const hang = (): Promise<never> => new Promise(() => {})

describe('haltToolDomain', () => {
  test('E-20: what drains in time is halted, and no timer is left', async () => {
    const { domain, runner, clock, events } = domainBench({ idPrefix: 'd' })
    domain.handle(cmd('a'))
    await drainReady()
    const report = domain.haltToolDomain('cancel')
    runner.body('a').resolve(1)
    await clock.settle()
    expect(await report).toMatchObject({
      status: 'halted',
      haltId: 'd-halt-1',
      discarded: [{ commandId: 'a' }],
      abandoned: [],
      fallback: 'none',
    })
    expect(events).toMatchObject([{ kind: 'tool.halted', haltId: 'd-halt-1', quarantined: 0 }])
    expect(clock.pending).toBe(0)
  })

  test('E-20: the last fifth, at most a second, is kept for the release, which runs with drained: false', async () => {
    for (const [budgetMs, drainMs] of [
      [1000, 800],
      [10_000, 9000],
    ] as const) {
      const { domain, runner, clock, events } = domainBench()
      domain.handle(cmd('a'))
      await drainReady()
      const report = domain.haltToolDomain('cancel', { budgetMs })
      await clock.advance(drainMs - 1)
      expect(runner.releases).toHaveLength(0)
      await clock.advance(1)
      expect(runner.releases).toMatchObject([{ scope: { drained: false } }])
      expect(await report).toMatchObject({
        status: 'failed',
        abandoned: [{ commandId: 'a' }],
        cause: { code: 'DRAIN_TIMEOUT' },
        tookMs: drainMs,
      })
      expect(events.map((event) => event.kind)).toEqual(['tool.halt_failed'])
    }
  })

  test('E-20: a release that hangs is given up at the deadline, its signal aborted', async () => {
    const { domain, runner, clock, events, told } = domainBench()
    let finish: () => void = () => {}
    runner.onRelease = () => new Promise<void>((resolve) => void (finish = resolve))
    const report = domain.haltToolDomain('cancel', { budgetMs: 1000 })
    await clock.advance(999)
    expect(events).toEqual([])
    await clock.advance(1)
    expect(await report).toMatchObject({ status: 'failed', cause: { code: 'RELEASE_TIMEOUT' } })
    expect(runner.releases[0]?.scope.signal.aborted).toBe(true)
    finish()
    await drainReady()
    expect(told()).toEqual(['late_release'])
    expect(events).toHaveLength(1)
  })

  test('E-20: an older stop without a limit is taken over: closed first, without release, its blocks released with the newer', async () => {
    const { domain, runner, clock, events } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    const older = domain.halt({ haltId: 'A', reason: 'cancel' })
    const report = domain.haltToolDomain('terminate', { budgetMs: 1000, haltId: 'B' })
    await clock.advance(1000)
    await expect(older).rejects.toMatchObject({ code: 'TAKEN_OVER', haltId: 'A' })
    expect(await report).toMatchObject({ status: 'failed', haltId: 'B', cause: { code: 'DRAIN_TIMEOUT' } })
    expect(events).toMatchObject([
      { kind: 'tool.halt_failed', haltId: 'A', abandoned: [{ commandId: 'a' }], cause: { code: 'TAKEN_OVER' } },
      { kind: 'tool.halt_failed', haltId: 'B', abandoned: [], discarded: [] },
    ])
    expect(runner.releases.map(({ order, scope }) => [order.haltId, scope.drained, scope.blocks.map((block) => block.commandId)])).toEqual([
      ['B', false, ['a']],
    ])
  })

  test('E-20: an older stop whose release hangs is given up, and the newer releases', async () => {
    const { domain, runner, clock, events } = domainBench()
    runner.onRelease = ({ haltId }) => (haltId === 'A' ? hang() : undefined)
    domain.halt({ haltId: 'A', reason: 'cancel' }).catch(() => {})
    await drainReady()
    const report = domain.haltToolDomain('cancel', { budgetMs: 1000, haltId: 'B' })
    await clock.advance(1000)
    expect((await report).status).toBe('failed')
    expect(runner.releases.map((call) => [call.order.haltId, call.scope.signal.aborted])).toEqual([
      ['A', true],
      ['B', false],
    ])
    expect(events.map((event) => 'haltId' in event && event.haltId)).toEqual(['A', 'B'])
  })

  test('E-17: the same id gives the same report, also when it has closed', async () => {
    const { domain, runner, clock } = domainBench()
    const first = domain.haltToolDomain('cancel', { haltId: 'h' })
    const second = domain.haltToolDomain('cancel', { haltId: 'h' })
    await clock.settle()
    expect(await second).toEqual(await first)
    expect(await domain.haltToolDomain('cancel', { haltId: 'h' })).toEqual(await first)
    expect(runner.releases).toHaveLength(1)
  })

  test('E-21: when it fails, reporter and fallback are called once each, in time, before the closing event', async () => {
    const order: string[] = []
    const onHaltFailure = vi.fn(() => void order.push('reporter'))
    const fallbackRelease = vi.fn(async () => void order.push('fallback'))
    const { domain, clock } = domainBench({ onHaltFailure, fallbackRelease })
    domain.subscribe((event) => order.push(event.kind))
    domain.handle(cmd('a'))
    await drainReady()
    const report = domain.haltToolDomain('cancel', { budgetMs: 1000, haltId: 'h' })
    await clock.advance(800)
    expect(await report).toMatchObject({ status: 'failed', fallback: 'ran' })
    expect(order).toEqual(['reporter', 'fallback', 'tool.halt_failed'])
    const failure = expect.objectContaining({ code: 'DRAIN_TIMEOUT' })
    expect(onHaltFailure).toHaveBeenCalledExactlyOnceWith(failure, { haltId: 'h', reason: 'cancel' })
    expect(fallbackRelease).toHaveBeenCalledExactlyOnceWith(failure, { haltId: 'h', reason: 'cancel' }, [
      { commandId: 'a', dlineTid: 'a#0' },
    ])
  })

  test.each(['sync', 'async'])('E-21: reporter and fallback that both throw (%s) suppress nothing', async (how) => {
    const fail = (): never => {
      throw new Error('callback')
    }
    const { domain, clock, events, told } = domainBench({
      onHaltFailure: fail,
      fallbackRelease: how === 'sync' ? fail : () => Promise.reject(new Error('callback')),
    })
    domain.handle(cmd('a'))
    await drainReady()
    const report = domain.haltToolDomain('cancel', { budgetMs: 1000 })
    await clock.advance(1000)
    expect(await report).toMatchObject({ status: 'failed', fallback: 'threw' })
    expect(events.map((event) => event.kind)).toEqual(['tool.halt_failed'])
    expect(told()).toEqual(['callback_failed', 'callback_failed'])
  })

  test('E-21: a fallback that hangs is waited for until the deadline, never beyond', async () => {
    const { domain, clock, events } = domainBench({ fallbackRelease: hang })
    domain.handle(cmd('a'))
    await drainReady()
    const report = domain.haltToolDomain('cancel', { budgetMs: 1000 })
    await clock.advance(999)
    expect(events).toEqual([])
    await clock.advance(1)
    expect(await report).toMatchObject({ status: 'failed', fallback: 'ran', tookMs: 1000 })
    expect(clock.pending).toBe(0)
  })

  test('E-21: a release that threw is reported as failed although the domain has halted', async () => {
    const fallbackRelease = vi.fn()
    const { domain, runner, clock, events } = domainBench({ fallbackRelease })
    const error = new Error('release')
    runner.onRelease = () => {
      throw error
    }
    const report = domain.haltToolDomain('cancel')
    await clock.settle()
    expect(await report).toMatchObject({ status: 'failed', cause: { code: 'RELEASE_FAILED', cause: error } })
    expect(events).toMatchObject([{ kind: 'tool.halted', releaseError: error }])
    expect(fallbackRelease).toHaveBeenCalledTimes(1)
  })

  test('E-22: budget 0 is one pass of the event loop: what ends in it has ended', async () => {
    for (const ends of [true, false]) {
      const { domain, runner, clock } = domainBench()
      domain.handle(cmd('a'))
      await drainReady()
      if (ends) runner.body('a').context.signal.addEventListener('abort', () => runner.body('a').resolve(1))
      const report = domain.haltToolDomain('cancel', { budgetMs: 0 })
      await clock.settle()
      expect((await report).status).toBe(ends ? 'halted' : 'failed')
    }
  })

  test.each([Number.NaN, -1, '5' as never])('E-22: budget %s is the default and a diagnostic', async (budgetMs) => {
    const { domain, clock, told } = domainBench({ haltBudgetMs: 500 })
    domain.handle(cmd('a'))
    await drainReady()
    const report = domain.haltToolDomain('cancel', { budgetMs })
    await clock.advance(500)
    expect((await report).status).toBe('failed')
    expect(told()).toEqual(['invalid_budget'])
  })

  test('E-22: Infinity is no limit, and more than a timer can wait is waited', async () => {
    for (const budgetMs of [Number.POSITIVE_INFINITY, 2 ** 31 + 1]) {
      const { domain, runner, clock, kinds } = domainBench()
      domain.handle(cmd('a'))
      await drainReady()
      const report = domain.haltToolDomain('cancel', { budgetMs })
      await clock.advance(2 ** 31 - 2000)
      expect(kinds()).toEqual([])
      runner.body('a').resolve(1)
      await clock.settle()
      expect((await report).status).toBe('halted')
      expect(clock.pending).toBe(0)
    }
  })

  test('E-22: a budget that is none at creation is a RangeError', () => {
    const runner = { runBlock: () => 1, release() {} }
    const surface = deniedSurface('x')
    for (const haltBudgetMs of [Number.NaN, -1]) {
      expect(() => createToolExecutionDomain({ runner, surface, haltBudgetMs })).toThrow(RangeError)
      expect(() => createToolExecutionDomain({ runner, surface, interruptMs: haltBudgetMs })).toThrow(RangeError)
    }
  })

  test('E-20: on the real clock, with an event loop blocked beyond the deadline, what has ended meanwhile counts', async () => {
    const { domain, runner } = domainBench({ clock: undefined as never })
    domain.handle(cmd('a'))
    await drainReady()
    setTimeout(() => runner.body('a').resolve(1), 1)
    const report = domain.haltToolDomain('cancel', { budgetMs: 20 })
    const until = performance.now() + 60
    while (performance.now() < until);
    expect(await report).toMatchObject({ status: 'halted', discarded: [{ commandId: 'a' }] })
  })

  test('E-22: a clock that jumps closes the stop at the next pass', async () => {
    const { domain, clock } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    const report = domain.haltToolDomain('cancel', { budgetMs: 1000 })
    clock.jump(3_600_000)
    await clock.settle()
    expect((await report).status).toBe('failed')
    expect(clock.pending).toBe(0)
  })
})

describe('quarantine', () => {
  test('E-24: a late result after timeout and rearm makes one diagnostic and nothing else', async () => {
    const { domain, runner, clock, kinds, told } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    const { context } = runner.body('a')
    const report = domain.haltToolDomain('cancel', { budgetMs: 100 })
    await clock.advance(100)
    await report
    expect(domain.snapshot()).toMatchObject({ phase: 'halted', inFlight: [], quarantined: [{ commandId: 'a' }] })
    domain.rearm()
    domain.handle(cmd('b'))
    await drainReady()
    await expect(
      context.scope.acquire(
        () => 1,
        () => {},
      ),
    ).rejects.toMatchObject({ code: 'SCOPE_CLOSED' })
    context.progress('still here')
    context.requestHalt('cancel')
    runner.body('a').resolve('late')
    await drainReady()
    expect(kinds()).toEqual(['tool.halt_failed'])
    expect(told()).toEqual(['late_settlement'])
    expect(runner.releases).toHaveLength(1)
    expect(runner.body('b').context.signal.aborted).toBe(false)
    runner.body('b').resolve(1)
    await drainReady()
    expect(kinds()).toEqual(['tool.halt_failed', 'tool.block_result'])
  })

  test('E-24: the scope of an abandoned block is closed in the release', async () => {
    const { domain, runner, clock } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    const closed: string[] = []
    await runner.body('a').context.scope.acquire(
      () => 'r',
      () => void closed.push('r'),
    )
    const report = domain.haltToolDomain('cancel', { budgetMs: 100 })
    await clock.advance(100)
    await report
    expect(closed).toEqual(['r'])
  })

  test('E-24: capacity is withheld while abandoned blocks run, and returned when they end', async () => {
    const { domain, runner, clock } = domainBench()
    for (const id of ['a', 'b']) domain.handle(cmd(id))
    await drainReady()
    expect(domain.capacity(10)).toBe(10)
    void domain.haltToolDomain('cancel', { budgetMs: 100 })
    await clock.advance(100)
    expect(domain.capacity(10)).toBe(8)
    expect(domain.capacity(2)).toBe(1)
    domain.rearm()
    const report = domain.haltToolDomain('cancel', { budgetMs: 100 })
    await clock.settle()
    expect((await report).status).toBe('halted')
    runner.body('a').resolve(1)
    runner.body('b').reject(1)
    await drainReady()
    expect(domain.capacity(10)).toBe(10)
  })

  test('E-24: work that outlived its block and does not end is given up too, but its outcome stands', async () => {
    const { domain, runner, clock, events } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    let end: () => void = () => {}
    runner.body('a').context.outlived(new Promise<void>((resolve) => void (end = resolve)))
    runner.body('a').resolve(1)
    await drainReady()
    const report = domain.haltToolDomain('cancel', { budgetMs: 100 })
    await clock.advance(100)
    expect(await report).toMatchObject({ status: 'failed', discarded: [], abandoned: [] })
    expect(events.map((event) => event.kind)).toEqual(['tool.block_result', 'tool.halt_failed'])
    expect(domain.capacity(10)).toBe(9)
    end()
    await drainReady()
    expect(domain.capacity(10)).toBe(10)
  })
})

describe('dispose', () => {
  test('E-28: in the middle of a stop: everything closes in time, and afterwards the domain takes nothing', async () => {
    const { domain, runner, clock, events } = domainBench({ haltBudgetMs: 1000 })
    domain.handle(cmd('a'))
    await drainReady()
    domain.halt({ haltId: 'A', reason: 'cancel' }).catch(() => {})
    const disposed = domain.dispose()
    const asyncDisposed = domain[Symbol.asyncDispose]()
    await clock.advance(1000)
    await Promise.all([disposed, asyncDisposed])
    expect(events.map((event) => event.kind)).toEqual(['tool.halt_failed', 'tool.halt_failed'])
    domain.handle(cmd('b'))
    expect(events.at(-1)).toMatchObject({ kind: 'tool.rejected', reason: 'disposed' })
    await domain.halt({ haltId: 'late', reason: 'cancel' })
    expect(await domain.haltToolDomain('cancel')).toMatchObject({ status: 'disposed' })
    expect(() => domain.openChild({ surface: deniedSurface('x') })).toThrow(expect.objectContaining({ code: 'DOMAIN_NOT_ARMED' }))
    expect(domain.snapshot().phase).toBe('disposed')
    expect(events).toHaveLength(3)
    expect(clock.pending).toBe(0)
    runner.body('a').resolve(1)
    await drainReady()
    expect(events).toHaveLength(3)
  })

  test('E-28: from inside a block it does not wait for that block', async () => {
    const { domain, runner, clock } = domainBench()
    const log: string[] = []
    runner.script.set('a', async () => {
      await domain.dispose()
      log.push('went on')
      return 1
    })
    domain.handle(cmd('a'))
    await clock.settle()
    expect(log).toEqual(['went on'])
    expect(domain.snapshot().phase).toBe('disposed')
  })
})
