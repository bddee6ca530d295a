/**
 * Listeners: order, isolation, re-entrance (E-7).
 */
import { drainReady } from '@toolseam/executor-tool/testing'
import { expect, test } from 'vitest'
import { cmd, domainBench } from './helpers.ts'

test('E-7: a listener that throws on each kind takes nothing from the others', async () => {
  const { domain, runner, told } = domainBench()
  domain.subscribe((event) => {
    throw new Error(event.kind)
  })
  const seen: string[] = []
  domain.subscribe((event) => seen.push(event.kind))
  domain.handle(cmd('a'))
  domain.handle(cmd('b'))
  domain.handle(cmd('a'))
  await drainReady()
  runner.body('a').resolve(1)
  runner.body('b').reject(1)
  await drainReady()
  await domain.halt({ haltId: 'h', reason: 'cancel' })
  runner.onRelease = () => new Promise(() => {})
  domain.rearm()
  expect(seen).toEqual(['tool.rejected', 'tool.block_result', 'tool.block_failed', 'tool.halted'])
  expect(told()).toEqual(Array.from({ length: 4 }, () => 'listener_failed'))
})

test('E-7: what a listener triggers is queued behind the event being delivered', async () => {
  const { domain, runner } = domainBench()
  const order: string[] = []
  domain.subscribe((event) => {
    order.push(`first ${event.kind} ${event.seq}`)
    if (event.kind === 'tool.block_result') {
      domain.handle(cmd('a'))
      order.push('handled')
    }
  })
  domain.subscribe((event) => order.push(`second ${event.kind} ${event.seq}`))
  domain.handle(cmd('a'))
  await drainReady()
  runner.body('a').resolve(1)
  await drainReady()
  expect(order).toEqual([
    'first tool.block_result 1',
    'handled',
    'second tool.block_result 1',
    'first tool.rejected 2',
    'second tool.rejected 2',
  ])
})

test('E-7, E-23: handle, halt and rearm from a listener; the receipt finds the domain halted', async () => {
  const { domain, runner, kinds } = domainBench()
  const answers: string[] = []
  domain.subscribe((event) => {
    if (event.kind === 'tool.block_result') void domain.halt({ haltId: 'h', reason: 'cancel' })
    if (event.kind !== 'tool.halted') return
    domain.handle(cmd('x'))
    answers.push(domain.snapshot().phase, domain.rearm('h'))
    domain.handle(cmd('y'))
  })
  domain.handle(cmd('a'))
  await drainReady()
  runner.body('a').resolve(1)
  await drainReady()
  expect(kinds()).toEqual(['tool.block_result', 'tool.halted', 'tool.rejected'])
  expect(answers).toEqual(['halted', 'rearmed'])
  expect(runner.bodies.map((body) => body.command.commandId)).toEqual(['a', 'y'])
})

test('E-7: a slow async listener is not awaited, and its rejection is a diagnostic', async () => {
  const { domain, runner, kinds, told } = domainBench()
  domain.subscribe(async () => {
    await drainReady()
    throw new Error('late')
  })
  domain.handle(cmd('a'))
  await drainReady()
  runner.body('a').resolve(1)
  await domain.halt({ haltId: 'h', reason: 'cancel' })
  await drainReady()
  await drainReady()
  expect(kinds()).toHaveLength(1 + 0)
  expect(told()).toContain('listener_failed')
})

test('E-7: 10 000 commands, each handed over by the listener of the one before, do not overflow', async () => {
  const { domain, runner } = domainBench()
  let count = 0
  domain.subscribe(() => {
    count += 1
    if (count < 10_000) domain.handle({ commandId: '', dlineTid: '' })
  })
  domain.handle({ commandId: '', dlineTid: '' })
  expect(count).toBe(10_000)
  let ran = 0
  const next = (): void => {
    ran += 1
    runner.script.set(`c${ran}`, () => ran)
    if (ran <= 10_000) domain.handle(cmd(`c${ran}`))
  }
  domain.subscribe((event) => {
    if (event.kind === 'tool.block_result') next()
  })
  next()
  for (let pass = 0; pass < 50 && ran <= 10_000; pass += 1) await drainReady()
  expect(ran).toBeGreaterThan(10_000)
})

test('E-7: a subscription ends with its disposer, also in the middle of a delivery', async () => {
  const { domain } = domainBench()
  const seen: string[] = []
  const off = domain.subscribe(() => seen.push('second'))
  domain.subscribe(() => off())
  const both = domain.subscribe(() => seen.push('third'))
  domain.handle({ commandId: '', dlineTid: '' })
  domain.handle({ commandId: '', dlineTid: '' })
  both()
  both()
  domain.handle({ commandId: '', dlineTid: '' })
  expect(seen).toEqual(['second', 'third', 'third'])
})
