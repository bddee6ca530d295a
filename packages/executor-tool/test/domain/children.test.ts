/**
 * Child domains (E-26, E-27).
 */
import { deniedSurface } from '@toolseam/core-tools'
import type { ToolExecutionDomain } from '@toolseam/executor-tool'
import { drainReady, scriptedRunner, type ScriptedRunner } from '@toolseam/executor-tool/testing'
import { expect, test } from 'vitest'
import { cmd, domainBench } from './helpers.ts'

function openChild(
  parent: ToolExecutionDomain<unknown>,
  idPrefix: string,
  log: string[],
): { domain: ToolExecutionDomain<unknown>; runner: ScriptedRunner<unknown> } {
  const runner = scriptedRunner<unknown>()
  runner.onInterrupt = ({ haltId }) => void log.push(`interrupt ${haltId}`)
  runner.onRelease = ({ haltId }) => void log.push(`release ${haltId}`)
  const domain = parent.openChild({ surface: deniedSurface('nested_call'), runner, idPrefix })
  domain.subscribe((event) => 'haltId' in event && log.push(`${event.kind} ${event.haltId}`))
  return { domain, runner }
}

test('E-27: all stops are accepted in one tick, newest child first; every child closes before the release of its parent', async () => {
  const log: string[] = []
  const { domain, runner } = domainBench()
  runner.onInterrupt = ({ haltId }) => void log.push(`interrupt ${haltId}`)
  runner.onRelease = ({ haltId }) => void log.push(`release ${haltId}`)
  domain.subscribe((event) => 'haltId' in event && log.push(`${event.kind} ${event.haltId}`))
  const one = openChild(domain, 'one', log)
  const two = openChild(domain, 'two', log)
  one.domain.handle(cmd('x'))
  await drainReady()
  const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
  expect(log).toEqual(['interrupt h/two', 'interrupt h/one', 'interrupt h'])
  expect([one, two].map((child) => child.domain.snapshot().phase)).toEqual(['halting', 'halting'])
  await drainReady()
  expect(log).not.toContain('release h')
  one.runner.body('x').resolve(1)
  await halted
  expect(log.slice(-4)).toEqual(['release h/one', 'tool.halted h/one', 'release h', 'tool.halted h'])
})

test('E-27: children share one deadline: they are closed when the drain of the parent ends', async () => {
  const log: string[] = []
  const { domain, clock, events } = domainBench()
  const child = openChild(domain, 'c', log)
  child.domain.handle(cmd('x'))
  await drainReady()
  child.runner.onRelease = () => new Promise(() => {})
  const report = domain.haltToolDomain('cancel', { budgetMs: 1000, haltId: 'h' })
  await clock.advance(800)
  expect(log).toContain('tool.halt_failed h/c')
  await clock.advance(200)
  expect(await report).toMatchObject({ status: 'failed', cause: { code: 'CHILD_FAILED' } })
  expect(events.map((event) => event.kind)).toEqual(['tool.halt_failed'])
  expect(clock.pending).toBe(0)
})

test('E-27: a failed child fails its parent', async () => {
  const { domain, runner, clock } = domainBench()
  const child = openChild(domain, 'c', [])
  child.runner.admitted.set('x#0', { stop: 'abandon' })
  child.domain.handle(cmd('x'))
  await drainReady()
  const halted = domain.halt({ haltId: 'h', reason: 'cancel' })
  await clock.settle()
  await expect(halted).rejects.toMatchObject({ code: 'CHILD_FAILED' })
  expect(runner.releases).toMatchObject([{ scope: { drained: false } }])
})

test("E-27: a child's own stop leaves the parent alone; a child is not armed before its parent", async () => {
  const { domain } = domainBench()
  const child = openChild(domain, 'c', [])
  await child.domain.halt({ haltId: 'own', reason: 'cancel' })
  expect(domain.snapshot().phase).toBe('armed')
  expect(child.domain.rearm('own')).toBe('rearmed')
  await domain.halt({ haltId: 'h', reason: 'cancel' })
  expect(child.domain.rearm()).toBe('parent_halted')
  expect(() => domain.openChild({ surface: deniedSurface('x') })).toThrow(expect.objectContaining({ code: 'DOMAIN_NOT_ARMED' }))
  domain.rearm()
  expect(child.domain.snapshot().phase).toBe('halted')
  expect(child.domain.rearm('own')).toBe('superseded')
  expect(child.domain.rearm('h/c')).toBe('rearmed')
})

test("E-27: a child that is halting when the parent's stop comes closes both in order", async () => {
  const log: string[] = []
  const { domain } = domainBench()
  const child = openChild(domain, 'c', log)
  child.domain.handle(cmd('x'))
  await drainReady()
  const own = child.domain.halt({ haltId: 'own', reason: 'cancel' })
  const all = domain.halt({ haltId: 'h', reason: 'terminate' })
  child.runner.body('x').resolve(1)
  await Promise.all([own, all])
  expect(log).toEqual(['interrupt own', 'interrupt h/c', 'release own', 'tool.halted own', 'release h/c', 'tool.halted h/c'])
})

test("E-27: a bounded stop of the parent takes over a child's stop that hangs", async () => {
  const log: string[] = []
  const { domain, clock } = domainBench()
  const child = openChild(domain, 'c', log)
  child.domain.handle(cmd('x'))
  await drainReady()
  child.domain.halt({ haltId: 'own', reason: 'cancel' }).catch(() => {})
  const report = domain.haltToolDomain('cancel', { budgetMs: 1000, haltId: 'h' })
  await clock.advance(1100)
  expect((await report).status).toBe('failed')
  expect(log).toEqual(['interrupt own', 'interrupt h/c', 'tool.halt_failed own', 'release h/c', 'tool.halt_failed h/c'])
})

test("E-26: a child's block that awaits the parent's stop is not left waiting; a parent's block that stops its child waits", async () => {
  const log: string[] = []
  const { domain, runner, events } = domainBench()
  const child = openChild(domain, 'c', [])
  child.runner.script.set('x', async () => {
    await domain.halt({ haltId: 'h', reason: 'cancel' })
    log.push('child went on')
    return 1
  })
  child.domain.handle(cmd('x'))
  await drainReady()
  expect(log).toEqual(['child went on'])
  await drainReady()
  expect(events).toMatchObject([{ kind: 'tool.halted', haltId: 'h' }])
  domain.rearm()
  const other = openChild(domain, 'd', [])
  other.domain.handle(cmd('y'))
  runner.script.set('p', async () => {
    await other.domain.halt({ haltId: 'mine', reason: 'cancel' })
    log.push('child has stopped')
    return 1
  })
  domain.handle(cmd('p'))
  await drainReady()
  expect(log).toEqual(['child went on'])
  other.runner.body('y').resolve(1)
  await drainReady()
  expect(log).toEqual(['child went on', 'child has stopped'])
})

test('E-28: a disposed child is forgotten by its parent, a disposed parent takes its children with it', async () => {
  const { domain, clock } = domainBench()
  const one = openChild(domain, 'one', [])
  const two = openChild(domain, 'two', [])
  expect(domain.snapshot().children).toBe(2)
  const gone = one.domain.dispose()
  await clock.settle()
  await gone
  expect(domain.snapshot().children).toBe(1)
  const disposed = domain.dispose()
  await clock.settle()
  await disposed
  expect(two.domain.snapshot().phase).toBe('disposed')
  expect(domain.snapshot().children).toBe(0)
  expect(clock.pending).toBe(0)
})
