/**
 * What any executor must keep to stand in the domain's place (E-51): the five promises of the domain and the rules around them, by the public
 * interface only. Run it in a vitest file: `executorConformance((options) => createMyDomain(options))`.
 */
import { deniedSurface, surfaceFor, type UserFacingSurface } from '@toolseam/core-tools'
import { describe, expect, test } from 'vitest'
import type { ToolDomainOptions, ToolExecutionDomain } from '../definition/domain.ts'
import type { ToolDomainEvent } from '../definition/events.ts'
import { type ScriptedRunner, scriptedRunner } from './scripted-runner.ts'
import { drainReady, type VirtualClock, virtualClock } from './virtual-clock.ts'

export type DomainFactory = (options: ToolDomainOptions<string>) => ToolExecutionDomain<string>

interface Bench {
  readonly domain: ToolExecutionDomain<string>
  readonly runner: ScriptedRunner<string>
  readonly clock: VirtualClock
  readonly events: ToolDomainEvent<string>[]
  readonly kinds: () => string[]
}

function setUp(factory: DomainFactory, options: Partial<ToolDomainOptions<string>> = {}): Bench {
  const runner = scriptedRunner<string>()
  const clock = virtualClock()
  const events: ToolDomainEvent<string>[] = []
  const domain = factory({ runner, clock, surface: deniedSurface('no_domain'), ...options })
  domain.subscribe((event) => events.push(event))
  return { domain, runner, clock, events, kinds: () => events.map((event) => event.kind) }
}

const command = (id: string): { commandId: string; dlineTid: string } => ({ commandId: id, dlineTid: `${id}#0` })

export function executorConformance(factory: DomainFactory): void {
  describe('executor conformance', () => {
    running(factory)
    stopping(factory)
    bounded(factory)
    surfaces(factory)
  })
}

function running(factory: DomainFactory): void {
  test('E-1: handle returns before its block ends, and a batch overlaps', async () => {
    const { domain, runner, events } = setUp(factory)
    for (const id of ['a', 'b', 'c']) domain.handle(command(id))
    expect(runner.bodies).toHaveLength(0)
    expect(domain.snapshot().inFlight).toHaveLength(3)
    await drainReady()
    expect(runner.bodies.filter((body) => body.running)).toHaveLength(3)
    runner.body('c').resolve('last first')
    await drainReady()
    expect(events).toMatchObject([{ kind: 'tool.block_result', commandId: 'c', output: 'last first', seq: 1 }])
  })

  test('E-4: a throwing tool is a failed event, not an escaped rejection', async () => {
    const { domain, runner, events } = setUp(factory)
    const thrown = Object.assign(new Error('no'), { code: 'MY_CODE' })
    domain.handle(command('a'))
    await drainReady()
    runner.body('a').reject(thrown)
    await drainReady()
    expect(events).toMatchObject([
      { kind: 'tool.block_failed', commandId: 'a', dlineTid: 'a#0', failure: { code: 'MY_CODE', cause: thrown } },
    ])
  })

  test('E-2: a command whose id is in flight or was closed is rejected as a duplicate', async () => {
    const { domain, runner, events } = setUp(factory)
    domain.handle(command('a'))
    domain.handle(command('a'))
    await drainReady()
    runner.body('a').resolve('once')
    await drainReady()
    domain.handle(command('a'))
    expect(events.filter((event) => event.kind === 'tool.rejected')).toMatchObject([{ reason: 'duplicate' }, { reason: 'duplicate' }])
    expect(runner.bodies).toHaveLength(1)
  })

  test('E-7: a throwing listener takes nothing from the others', async () => {
    const { domain, runner, events } = setUp(factory)
    domain.subscribe(() => {
      throw new Error('listener')
    })
    const later: string[] = []
    domain.subscribe((event) => later.push(event.kind))
    domain.handle(command('a'))
    await drainReady()
    runner.body('a').resolve('x')
    await drainReady()
    expect(events).toHaveLength(1)
    expect(later).toEqual(['tool.block_result'])
  })
}

function stopping(factory: DomainFactory): void {
  test('E-14: the receipt comes after the drain, and results that started earlier are dropped', async () => {
    const { domain, runner, kinds, events } = setUp(factory)
    domain.handle(command('a'))
    await drainReady()
    const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
    await drainReady()
    expect(kinds()).toEqual([])
    expect(runner.releases).toHaveLength(0)
    runner.body('a').resolve('too late')
    await halted
    expect(events).toMatchObject([{ kind: 'tool.halted', haltId: 'h', discarded: [{ commandId: 'a' }] }])
    expect(runner.releases).toHaveLength(1)
  })

  test('E-17: a repeated cancel releases once, a new one again', async () => {
    const { domain, runner, kinds } = setUp(factory)
    await Promise.all([domain.halt({ haltId: 'h', reason: 'cancel' }), domain.halt({ haltId: 'h', reason: 'cancel' })])
    await domain.halt({ haltId: 'h', reason: 'cancel' })
    expect(runner.releases).toHaveLength(1)
    await domain.halt({ haltId: 'i', reason: 'cancel' })
    expect(runner.releases).toHaveLength(2)
    expect(kinds()).toEqual(['tool.halted', 'tool.halted'])
  })

  test('E-23: the domain stays halted until it is rearmed', async () => {
    const { domain, runner, events } = setUp(factory)
    await domain.halt({ haltId: 'h', reason: 'cancel' })
    domain.handle(command('a'))
    expect(events.at(-1)).toMatchObject({ kind: 'tool.rejected', reason: 'halted' })
    expect(domain.rearm('other')).toBe('superseded')
    expect(domain.rearm('h')).toBe('rearmed')
    expect(domain.rearm('h')).toBe('not_halted')
    domain.handle(command('a'))
    await drainReady()
    expect(runner.bodies).toHaveLength(1)
  })

  test('E-12: a result of before a stop is never told after the rearm', async () => {
    const { domain, runner, clock, kinds } = setUp(factory)
    domain.handle(command('a'))
    await drainReady()
    const report = domain.haltToolDomain('cancel', { budgetMs: 100 })
    await clock.advance(200)
    expect((await report).status).toBe('failed')
    expect(domain.rearm()).toBe('rearmed')
    runner.body('a').resolve('late')
    await drainReady()
    expect(kinds()).toEqual(['tool.halt_failed'])
  })

  test('E-28: a disposed domain rejects every command', async () => {
    const { domain, events } = setUp(factory)
    await domain.dispose()
    domain.handle(command('a'))
    expect(events.at(-1)).toMatchObject({ kind: 'tool.rejected', reason: 'disposed' })
    await domain.halt({ haltId: 'h', reason: 'cancel' })
    expect(domain.snapshot().phase).toBe('disposed')
  })
}

function bounded(factory: DomainFactory): void {
  test('E-20: a bounded stop closes in its budget, whatever hangs', async () => {
    const { domain, runner, clock, events } = setUp(factory)
    runner.onRelease = () => new Promise(() => {})
    runner.onInterrupt = () => new Promise(() => {})
    domain.handle(command('a'))
    await drainReady()
    const report = domain.haltToolDomain('terminate', { budgetMs: 1000 })
    await clock.advance(1100)
    expect(await report).toMatchObject({ status: 'failed', abandoned: [{ commandId: 'a' }] })
    expect(events.map((event) => event.kind)).toEqual(['tool.halt_failed'])
    expect(clock.pending).toBe(0)
  })
}

function surfaces(factory: DomainFactory): void {
  const calls: string[] = []
  const user: UserFacingSurface = {
    kind: 'user_facing',
    ask: async () => void calls.push('ask'),
    say: async () => void calls.push('say'),
    openInteraction: async () => void calls.push('openInteraction'),
    diff: { show: async () => void calls.push('diff'), close: async () => {} },
  }

  test('E-33: with the surface withdrawn all four are refused, and the tool still runs', async () => {
    const { domain, runner, events } = setUp(factory)
    runner.script.set('a', ({ surface }) => {
      const refused = (['ask', 'say', 'openInteraction', 'diff'] as const).filter((capability) => {
        try {
          surfaceFor(surface).require(capability)
          return false
        } catch {
          return true
        }
      })
      return refused.join(' ')
    })
    domain.handle(command('a'))
    await drainReady()
    expect(events).toMatchObject([{ kind: 'tool.block_result', output: 'ask say openInteraction diff' }])
  })

  test('E-34: a surface is revoked when its block closes', async () => {
    calls.length = 0
    const { domain, runner } = setUp(factory, { surface: user })
    domain.handle(command('a'))
    await drainReady()
    const { context } = runner.body('a')
    const ask = surfaceFor(context.surface).require('ask')
    await ask('now')
    runner.body('a').resolve('done')
    await drainReady()
    await expect(ask('later')).rejects.toMatchObject({ code: 'SURFACE_DENIED', reason: 'revoked' })
    expect(calls).toEqual(['ask'])
  })
}
