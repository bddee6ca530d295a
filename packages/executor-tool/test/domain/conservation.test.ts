/**
 * What the domain promises of every command, and of many.
 */
import { deniedSurface } from '@toolseam/core-tools'
import { createAdmissions, createToolDomainRunner, createToolExecutionDomain, type ToolDomainEvent } from '@toolseam/executor-tool'
import { drainReady } from '@toolseam/executor-tool/testing'
import { expect, test } from 'vitest'

const nothingOwned = { revertDiff: async (): Promise<void> => {}, cancelCommand: async (): Promise<void> => {} }

function bareDomain(retain?: number) {
  const admissions = createAdmissions<string>(retain === undefined ? {} : { retain })
  const runner = createToolDomainRunner({ resources: nothingOwned, admissions })
  const domain = createToolExecutionDomain({ runner, surface: deniedSurface('x'), ...(retain === undefined ? {} : { retain }) })
  return { admissions, domain }
}

test('E-5: every accepted command ends once: told, failed, or listed by the first stop that meets it', async () => {
  const { admissions, domain } = bareDomain()
  const ends = new Map<string, string[]>()
  const note = (id: string, how: string): void => void ends.set(id, [...(ends.get(id) ?? []), how])
  domain.subscribe((event: ToolDomainEvent<string>) => {
    if (event.kind === 'tool.halted' || event.kind === 'tool.halt_failed') {
      for (const { commandId } of event.discarded) note(commandId, `discarded by ${event.haltId}`)
      if (event.kind === 'tool.halt_failed') for (const { commandId } of event.abandoned) note(commandId, `abandoned by ${event.haltId}`)
    } else note(event.commandId, event.kind)
  })
  let open = (): void => {}
  const held = new Promise<string>((resolve) => {
    open = () => resolve('late')
  })
  admissions.put('result', { run: () => 'done' })
  admissions.put('failed', { run: () => Promise.reject(new Error('no')) })
  admissions.put('cut', { run: () => held })
  admissions.put('given up', { run: () => new Promise<string>(() => {}), stop: 'abandon' })
  for (const id of ['result', 'failed', 'cut', 'given up']) domain.handle({ commandId: id, dlineTid: id })
  await drainReady()
  admissions.put('unstarted', { run: () => 'never' })
  domain.handle({ commandId: 'unstarted', dlineTid: 'unstarted' })
  const stops = [domain.halt({ haltId: 'h1', reason: 'cancel' }), domain.halt({ haltId: 'h2', reason: 'terminate' })]
  await drainReady()
  open()
  await Promise.allSettled(stops)
  expect(Object.fromEntries(ends)).toEqual({
    result: ['tool.block_result'],
    failed: ['tool.block_failed'],
    cut: ['discarded by h1'],
    'given up': ['abandoned by h1'],
    unstarted: ['discarded by h1'],
  })
  await domain.dispose()
})

test('E-50: many commands are handled and halted in linear time', async () => {
  const cost = async (count: number): Promise<number> => {
    const { admissions, domain } = bareDomain()
    const before = process.cpuUsage()
    for (let n = 0; n < count; n += 1) {
      admissions.put(`c${n}`, { run: () => 'done' })
      domain.handle({ commandId: `c${n}`, dlineTid: `c${n}` })
    }
    await domain.halt({ haltId: 'h', reason: 'cancel' })
    const { user, system } = process.cpuUsage(before)
    return (user + system) / count
  }
  await cost(5000)
  const small = Math.min(await cost(2000), await cost(2000), await cost(2000))
  const large = Math.min(await cost(20_000), await cost(20_000))
  // Quadratic would be ten times as much.
  expect(large).toBeLessThan(6 * small)
})

test('E-50: what is kept per id is bounded by retain', async () => {
  const { admissions, domain } = bareDomain(10)
  for (let n = 0; n < 100; n += 1) {
    admissions.put(`c${n}`, { run: () => 'done' })
    domain.handle({ commandId: `c${n}`, dlineTid: `c${n}` })
  }
  await drainReady()
  const rejected: string[] = []
  domain.subscribe((event) => event.kind === 'tool.rejected' && rejected.push(event.commandId))
  for (let n = 0; n < 100; n += 1) domain.handle({ commandId: `c${n}`, dlineTid: `c${n}` })
  expect(rejected).toEqual(Array.from({ length: 10 }, (_, n) => `c${90 + n}`))
  await domain.dispose()
})
