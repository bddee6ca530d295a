/**
 * Stopping without a limit of time (E-11 to E-19, E-23, E-25, E-26).
 */
import { drainReady } from '@toolseam/executor-tool/testing'
import { describe, expect, test } from 'vitest'
import type { BlockContext, HaltReason } from '@toolseam/executor-tool'
import { cmd, domainBench } from './helpers.ts'

const never = (): Promise<never> => new Promise(() => {})

describe('the cut', () => {
  test('E-11: handed over before the stop in the same tick is in the cut, after it is rejected; what has not started never starts', async () => {
    const { domain, runner, events } = domainBench()
    domain.handle(cmd('before'))
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    domain.handle(cmd('after'))
    await halted
    expect(events).toMatchObject([
      { kind: 'tool.rejected', commandId: 'after', reason: 'halted' },
      { kind: 'tool.halted', discarded: [{ commandId: 'before' }] },
    ])
    expect(runner.bodies).toHaveLength(0)
  })

  test.each(['handle first', 'halt first'])('E-11: in one microtask, %s: there is no third case', async (order) => {
    const { domain, kinds, runner } = domainBench()
    const handle = (): void => domain.handle(cmd('a'))
    const halt = (): void => void domain.halt({ haltId: 'h', reason: 'cancel' })
    const steps = order === 'handle first' ? [handle, halt] : [halt, handle]
    for (const step of steps) queueMicrotask(step)
    await drainReady()
    expect(kinds().toSorted()).toEqual(order === 'handle first' ? ['tool.halted'] : ['tool.halted', 'tool.rejected'])
    expect(runner.bodies).toHaveLength(0)
  })

  test('E-11: failures that settle after the stop are discarded too', async () => {
    const { domain, runner, events } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    runner.body('a').reject(new Error('late'))
    await halted
    expect(events).toMatchObject([{ kind: 'tool.halted', discarded: [{ commandId: 'a', dlineTid: 'a#0' }] }])
  })

  test('E-12: an outcome that settled in the very tick of the stop, but was not told, is discarded', async () => {
    const { domain, runner, kinds } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    runner.body('a').resolve('settled, untold')
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    await halted
    expect(kinds()).toEqual(['tool.halted'])
  })
})

describe('phases', () => {
  test.each(['cancel', 'terminate', 'detach'] as HaltReason[])(
    'E-13: the order itself (%s) is the reason of the signal, of interrupt and release',
    async (reason) => {
      const { domain, runner } = domainBench()
      domain.handle(cmd('a', { turnId: 't' }))
      await drainReady()
      const order = { haltId: 'h', reason }
      const { signal } = runner.body('a').context
      const halted = domain.halt(order)
      expect(signal.aborted).toBe(true)
      expect(signal.reason).toBe(order)
      expect(runner.interrupts).toHaveLength(1)
      runner.body('a').resolve(1)
      await halted
      const [release] = runner.releases
      expect(runner.interrupts[0]?.order).toBe(order)
      expect(release?.order).toBe(order)
      expect(release?.scope).toMatchObject({ drained: true, blocks: [{ commandId: 'a', turnId: 't', dlineTid: 'a#0' }] })
    },
  )

  test('E-13: a signal asked for after the stop has aborted already', async () => {
    const { domain, runner } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    expect(runner.body('a').context.signal.aborted).toBe(true)
    runner.body('a').resolve(1)
    await halted
  })

  test('E-13: an abort listener that throws, or is added late, disturbs nobody', async () => {
    const { domain, runner, told } = domainBench()
    domain.handle(cmd('a'))
    domain.handle(cmd('b'))
    await drainReady()
    const { signal } = runner.body('a').context
    const heard: string[] = []
    signal.addEventListener('abort', () => {
      throw new Error('listener')
    })
    const removed = (): void => void heard.push('removed')
    signal.addEventListener('abort', removed)
    signal.removeEventListener('abort', removed)
    signal.addEventListener('abort', { handleEvent: () => heard.push('object') })
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the property is what is tested
    signal.onabort = () => {
      heard.push('property')
      throw new Error('property')
    }
    runner.body('b').context.signal.addEventListener('abort', () => heard.push('b'))
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    signal.addEventListener('abort', () => heard.push('late'))
    expect(heard).toEqual(['object', 'property', 'b'])
    expect(told()).toEqual(['abort_listener_failed', 'abort_listener_failed'])
    runner.body('a').resolve(1)
    runner.body('b').resolve(1)
    await halted
  })

  test('E-15: an idle stop interrupts, releases and closes', async () => {
    const { domain, runner, kinds } = domainBench()
    await domain.halt({ haltId: 'h', reason: 'cancel' })
    expect([runner.interrupts.length, runner.releases.length]).toEqual([1, 1])
    expect(kinds()).toEqual(['tool.halted'])
    expect(domain.snapshot()).toMatchObject({ phase: 'halted', epoch: 1 })
  })

  test('E-15: an interrupt that throws, at once or later, is reported and ignored', async () => {
    for (const onInterrupt of [
      () => {
        throw new Error('sync')
      },
      async () => {
        throw new Error('async')
      },
    ]) {
      const { domain, runner, kinds, told } = domainBench()
      runner.onInterrupt = onInterrupt
      await domain.halt({ haltId: 'h', reason: 'cancel' })
      expect(kinds()).toEqual(['tool.halted'])
      expect(told()).toEqual(['interrupt_failed'])
    }
  })

  test('E-15: one that hangs is waited for, then the release starts regardless and the stop has failed', async () => {
    const { domain, runner, clock, events, told } = domainBench()
    let finish: () => void = () => {}
    runner.onInterrupt = () => new Promise<void>((resolve) => void (finish = resolve))
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    await clock.advance(2499)
    expect(runner.releases).toHaveLength(0)
    await clock.advance(1)
    await expect(halted).rejects.toMatchObject({ code: 'INTERRUPT_TIMEOUT', haltId: 'h' })
    expect(runner.releases).toHaveLength(1)
    expect(runner.interrupts[0]?.scope.signal.aborted).toBe(true)
    expect(events).toMatchObject([{ kind: 'tool.halt_failed', cause: { code: 'INTERRUPT_TIMEOUT' }, abandoned: [] }])
    finish()
    await drainReady()
    expect(told()).toEqual(['late_interrupt'])
  })

  test.each(['sync', 'async'])(
    'E-16: a release that throws (%s): halted with the error, the promise rejects with it, the next stop works',
    async (how) => {
      const { domain, runner, events } = domainBench()
      const error = new Error('release')
      runner.onRelease = () => {
        if (how === 'sync') throw error
        return Promise.reject(error)
      }
      await expect(domain.halt({ haltId: 'h', reason: 'cancel' })).rejects.toBe(error)
      expect(events).toMatchObject([{ kind: 'tool.halted', releaseError: error }])
      runner.onRelease = () => {}
      await domain.halt({ haltId: 'i', reason: 'cancel' })
      expect(events[1]).toMatchObject({ kind: 'tool.halted', haltId: 'i' })
      expect(events[1]).not.toHaveProperty('releaseError')
    },
  )

  test('E-8: dropping the promise of a stop that fails leaves no rejection unhandled', async () => {
    const rejections: unknown[] = []
    const onRejection = (error: unknown): void => void rejections.push(error)
    process.on('unhandledRejection', onRejection)
    const { domain, runner } = domainBench()
    runner.onRelease = () => Promise.reject(new Error('release'))
    void domain.halt({ haltId: 'h', reason: 'cancel' })
    void domain.halt({} as never)
    await drainReady()
    await drainReady()
    process.off('unhandledRejection', onRejection)
    expect(rejections).toEqual([])
  })

  test('a halt order that is none is refused and stops nothing', async () => {
    const { domain } = domainBench()
    await expect(domain.halt({ haltId: '', reason: 'cancel' })).rejects.toMatchObject({ code: 'HALT_INVALID' })
    await expect(domain.halt({ haltId: 'h', reason: 'why' } as never)).rejects.toMatchObject({ code: 'HALT_INVALID' })
    expect(domain.snapshot().phase).toBe('armed')
  })
})

describe('several stops', () => {
  test('E-17: the same id joins the drain: one promise', async () => {
    const { domain, runner, kinds } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    const first = domain.halt({ haltId: 'h', reason: 'cancel' })
    const second = domain.halt({ haltId: 'h', reason: 'terminate' })
    expect(second).toBe(first)
    runner.body('a').resolve(1)
    await first
    expect(kinds()).toEqual(['tool.halted'])
    expect(runner.releases).toHaveLength(1)
  })

  test('E-17: A, B, A and A, rearm, A release A once and change nothing', async () => {
    const { domain, runner } = domainBench()
    const halt = (haltId: string): Promise<void> => domain.halt({ haltId, reason: 'cancel' })
    await halt('A')
    await halt('B')
    await halt('A')
    expect(runner.releases.map((call) => call.order.haltId)).toEqual(['A', 'B'])
    domain.rearm('B')
    await halt('A')
    expect(domain.snapshot().phase).toBe('armed')
    expect(runner.releases).toHaveLength(2)
  })

  test('E-17: the recorded answer of a failed stop is given again', async () => {
    const { domain, runner } = domainBench()
    const error = new Error('release')
    runner.onRelease = () => Promise.reject(error)
    await expect(domain.halt({ haltId: 'A', reason: 'cancel' })).rejects.toBe(error)
    await expect(domain.halt({ haltId: 'A', reason: 'cancel' })).rejects.toBe(error)
    expect(runner.releases).toHaveLength(1)
  })

  test('E-18: a newer stop interrupts at once, releases after the older has closed; closings keep their order', async () => {
    const { domain, runner, events } = domainBench()
    const order: string[] = []
    let finish: () => void = () => {}
    runner.onRelease = ({ haltId }) => {
      order.push(`release ${haltId}`)
      return haltId === 'A' ? new Promise<void>((resolve) => void (finish = resolve)) : undefined
    }
    domain.subscribe((event) => 'haltId' in event && order.push(`closed ${event.haltId}`))
    domain.handle(cmd('a'))
    await drainReady()
    const first = domain.halt({ haltId: 'A', reason: 'cancel' })
    const second = domain.halt({ haltId: 'B', reason: 'terminate' })
    expect(runner.interrupts.map((call) => call.order.haltId)).toEqual(['A', 'B'])
    runner.body('a').resolve(1)
    await drainReady()
    expect(order).toEqual(['release A'])
    finish()
    await Promise.all([first, second])
    expect(order).toEqual(['release A', 'closed A', 'release B', 'closed B'])
    expect(events).toMatchObject([{ discarded: [{ commandId: 'a' }] }, { discarded: [] }])
  })

  test('E-18: halt from an abort listener of another halt', async () => {
    const { domain, runner, events } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    runner.body('a').context.signal.addEventListener('abort', () => void domain.halt({ haltId: 'B', reason: 'terminate' }))
    const first = domain.halt({ haltId: 'A', reason: 'cancel' })
    runner.body('a').resolve(1)
    await first
    await drainReady()
    expect(events.map((event) => 'haltId' in event && event.haltId)).toEqual(['A', 'B'])
    expect(domain.rearm('A')).toBe('superseded')
    expect(domain.rearm('B')).toBe('rearmed')
  })

  test('E-18: an escalation from cancel to terminate has an interrupt and a release of its own', async () => {
    const { domain, runner } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    const cancel = domain.halt({ haltId: 'c', reason: 'cancel' })
    const terminate = domain.halt({ haltId: 't', reason: 'terminate' })
    runner.body('a').resolve(1)
    await Promise.all([cancel, terminate])
    expect(runner.interrupts.map((call) => call.order.reason)).toEqual(['cancel', 'terminate'])
    expect(runner.releases.map((call) => call.order.reason)).toEqual(['cancel', 'terminate'])
  })
})

describe('rearm', () => {
  test('E-23: first match answers, and anything but rearmed changes nothing', async () => {
    const { domain, runner } = domainBench()
    expect(domain.rearm()).toBe('not_halted')
    expect(domain.rearm('x')).toBe('not_halted')
    domain.handle(cmd('a'))
    await drainReady()
    const halted = domain.halt({ haltId: 'A', reason: 'cancel' })
    expect(domain.rearm('x')).toBe('superseded')
    expect(domain.rearm('A')).toBe('draining')
    expect(domain.rearm()).toBe('draining')
    domain.handle(cmd('b'))
    runner.body('a').resolve(1)
    await halted
    expect(domain.snapshot().phase).toBe('halted')
    expect(domain.rearm('A')).toBe('rearmed')
    expect(domain.rearm('A')).toBe('not_halted')
    await domain.dispose()
    expect(domain.rearm('A')).toBe('disposed')
  })

  test('E-23: a command during the release is rejected', async () => {
    const { domain, runner, events } = domainBench()
    runner.onRelease = () => domain.handle(cmd('x'))
    await domain.halt({ haltId: 'A', reason: 'cancel' })
    expect(events).toMatchObject([{ kind: 'tool.rejected', reason: 'halted' }, { kind: 'tool.halted' }])
  })
})

describe('stop policies', () => {
  test('E-25: abandon is left behind at once, and the stop says so', async () => {
    const { domain, runner, clock, events } = domainBench()
    runner.admitted.set('a#0', { stop: 'abandon', callId: 'call-a' })
    domain.handle(cmd('a'))
    await drainReady()
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    await clock.settle()
    await expect(halted).rejects.toMatchObject({ code: 'ABANDONED' })
    expect(events).toMatchObject([
      { kind: 'tool.halt_failed', abandoned: [{ commandId: 'a' }], discarded: [], cause: { code: 'ABANDONED' } },
    ])
    expect(runner.releases[0]?.scope).toMatchObject({ drained: false, blocks: [{ commandId: 'a', callId: 'call-a' }] })
  })

  test('E-25: a grace is waited for, and one that is kept leaves nothing behind', async () => {
    for (const [settleAfter, kind] of [
      [40, 'tool.halted'],
      [60, 'tool.halt_failed'],
    ] as const) {
      const { domain, runner, clock, kinds } = domainBench()
      runner.admitted.set('a#0', { stop: { graceMs: 50 } })
      domain.handle(cmd('a'))
      await drainReady()
      domain.halt({ haltId: 'h', reason: 'cancel' }).catch(() => {})
      await clock.advance(settleAfter)
      runner.body('a').resolve(1)
      await clock.settle()
      expect(kinds()).toEqual([kind])
      expect(clock.pending).toBe(0)
    }
  })

  test('E-25: a policy that is none waits', async () => {
    const { domain, runner, clock, told, kinds } = domainBench()
    runner.admitted.set('a#0', { stop: { graceMs: Number.NaN } })
    domain.handle(cmd('a'))
    await drainReady()
    void domain.halt({ haltId: 'h', reason: 'cancel' })
    await clock.advance(100_000)
    expect(kinds()).toEqual([])
    expect(told()).toEqual(['terms_failed'])
    runner.body('a').resolve(1)
    await clock.settle()
    expect(kinds()).toEqual(['tool.halted'])
  })
})

describe('asked from inside', () => {
  const stopInside = (
    context: BlockContext,
    domain: { halt(order: { haltId: string; reason: 'cancel' }): Promise<void> },
    haltId: string,
  ) => Promise.resolve(context).then(() => domain.halt({ haltId, reason: 'cancel' }))

  test('E-26: a tool that awaits the stop of its own domain, two of them, and the closing event tells the truth', async () => {
    const { domain, runner, events } = domainBench()
    const log: string[] = []
    for (const id of ['a', 'b']) {
      runner.script.set(id, async (context) => {
        await stopInside(context, domain, `h-${id}`)
        log.push(`${id} went on`)
        return id
      })
    }
    domain.handle(cmd('a'))
    domain.handle(cmd('b'))
    await drainReady()
    expect(log).toEqual(['a went on', 'b went on'])
    expect(events).toMatchObject([
      { kind: 'tool.halted', haltId: 'h-a', discarded: [{ commandId: 'a' }, { commandId: 'b' }] },
      { kind: 'tool.halted', haltId: 'h-b', discarded: [] },
    ])
  })

  test('E-26: haltToolDomain from inside answers requested, outside of any block it waits', async () => {
    const { domain, runner, clock } = domainBench()
    const statuses: string[] = []
    runner.script.set('a', async () => {
      statuses.push((await domain.haltToolDomain('cancel')).status)
      return never()
    })
    domain.handle(cmd('a'))
    await clock.settle()
    expect(statuses).toEqual(['requested'])
    const outside = domain.haltToolDomain('cancel', { budgetMs: 100 })
    await clock.advance(200)
    expect((await outside).status).toBe('failed')
  })

  test('E-26: a timer that a block left behind is not the block once it has ended', async () => {
    const { domain, runner, kinds } = domainBench()
    let later: (() => Promise<void>) | undefined
    let run: () => void = () => {}
    runner.script.set('a', () => {
      const gate = new Promise<void>((resolve) => void (run = resolve))
      later = () => gate
      const stopping = gate.then(() => domain.halt({ haltId: 'h', reason: 'cancel' })).then(() => kinds().length)
      stopping.then((count) => seen.push(count)).catch(() => {})
      return 'v'
    })
    const seen: number[] = []
    domain.handle(cmd('a'))
    await drainReady()
    expect(later).toBeDefined()
    run()
    await drainReady()
    // It waited for the receipt: both events were there.
    expect(seen).toEqual([2])
  })

  test('E-26: requestHalt asks for a bounded stop without waiting; a block that was cut asks for nothing', async () => {
    const { domain, runner, clock, events } = domainBench()
    domain.handle(cmd('a'))
    await drainReady()
    const { requestHalt } = runner.body('a').context
    requestHalt('terminate')
    expect(domain.snapshot().phase).toBe('halting')
    requestHalt('cancel')
    runner.body('a').resolve(1)
    await clock.settle()
    expect(events).toMatchObject([{ kind: 'tool.halted', reason: 'terminate', discarded: [{ commandId: 'a' }] }])
  })
})
