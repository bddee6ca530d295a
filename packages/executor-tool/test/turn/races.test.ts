/**
 * Stops that come at odd moments, and what is told of late outcomes.
 */
import { afterEach, describe, expect, test } from 'vitest'
import type { ToolExecutorOptions } from '@toolseam/executor-tool'
import type { ToolPlugin, ToolResult } from '@toolseam/core-tools'
import { call, settled, turnBench, type TurnBench } from './helpers.ts'

const open: TurnBench[] = []

async function bench(options: ToolExecutorOptions = {}, plugins: ToolPlugin[] = []): Promise<TurnBench> {
  const made = await turnBench(options, plugins)
  open.push(made)
  return made
}

afterEach(async () => {
  for (const { gates } of open) for (const gate of gates) gate.open()
  await Promise.all(open.splice(0).map(({ runtime }) => runtime.dispose()))
})

const codes = (results: readonly ToolResult[]): string[] => results.map((result) => (result.isError ? result.error.code : 'ok'))

/** An abort as a tool throws it that leaves behind how far it came. */
const abortWith = (details: object): Error => Object.assign(new Error('stopped'), { name: 'AbortError', code: 'TOOL_ABORTED', details })

describe('a stop before the turn has begun', () => {
  test('E-11, E-23: a turn asked for before the stop, in the same tick, runs nothing', async () => {
    const { executor, gated, gates, log } = await bench()
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a'), call('b', 'a')] })
    const report = await executor.halt('cancel')
    const { status, results } = await turn
    expect(report.status).toBe('halted')
    expect(status).toBe('halted')
    expect(codes(results)).toEqual(['TOOL_ABORTED_BEFORE_DISPATCH', 'TOOL_ABORTED_BEFORE_DISPATCH'])
    expect(results).toMatchObject([{ error: { details: { reason: 'cancel' } } }, { error: { details: { reason: 'cancel' } } }])
    expect(gates).toEqual([])
    expect(log).toEqual(['result a', 'result b'])
    expect(executor.domain.snapshot().phase).toBe('halted')
  })

  test('E-11, E-23: a turn that waits behind the stopped one is stopped with it; one asked for later runs', async () => {
    const { executor, gated, gate, gates, until } = await bench()
    gated('a')
    const first = executor.driver.execute({ turnId: 't1', calls: [call('a')] })
    const second = executor.driver.execute({ turnId: 't2', calls: [call('a')] })
    await until(() => gates.length === 1)
    const stopping = executor.halt('cancel')
    const third = executor.driver.execute({ turnId: 't3', calls: [call('a')] })
    await settled()
    gate('a').open()
    await stopping
    expect([codes((await first).results), codes((await second).results)]).toEqual([['TOOL_ABORTED'], ['TOOL_ABORTED_BEFORE_DISPATCH']])
    await until(() => gates.length === 2)
    gate('a').open()
    expect((await third).status).toBe('completed')
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 40])(
    'E-11: a stop %i microtasks after the beginning leaves nothing running',
    async (ticks) => {
      const { executor, gated, gates } = await bench()
      gated('a')
      const turn = executor.driver.execute({ turnId: 't', calls: [call('a'), call('b', 'a')] })
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
      const stopping = executor.halt('cancel')
      await settled()
      const started = gates.length
      for (const gate of gates) gate.open()
      await stopping
      const { status, results } = await turn
      expect(status).toBe('halted')
      expect(results).toHaveLength(2)
      for (const code of codes(results)) expect(code).toMatch(/^TOOL_ABORTED/)
      await settled()
      expect(gates).toHaveLength(started)
      expect(executor.domain.snapshot()).toMatchObject({ phase: 'halted', inFlight: [] })
    },
  )
})

describe('late outcomes', () => {
  test('E-41: a body that ends by the stop tells in its details how far it came', async () => {
    const { executor, gated, gate, gates, until, events } = await bench()
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a')] })
    await until(() => gates.length === 1)
    const stopping = executor.halt('terminate')
    await settled()
    gate('a').fail(abortWith({ result: { output: 'half' } }))
    await stopping
    expect((await turn).results).toMatchObject([
      { error: { code: 'TOOL_ABORTED', details: { reason: 'terminate', result: { output: 'half' } } } },
    ])
    expect(events.map((event) => event.kind)).toEqual(['tool.halted'])
  })

  test('E-11, E-37: a success or a failure of its own after the cut is told nowhere', async () => {
    const { executor, gated, gate, gates, until, events } = await bench()
    gated('a')
    gated('b')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a'), call('b')] })
    await until(() => gates.length === 2)
    const stopping = executor.halt('cancel')
    await settled()
    gate('a').open('a secret')
    gate('b').fail(Object.assign(new Error('another secret'), { code: 'OWN' }))
    await stopping
    const outcome = await turn
    expect(outcome.results).toMatchObject([
      { error: { code: 'TOOL_ABORTED', details: { reason: 'cancel' } } },
      { error: { code: 'TOOL_ABORTED', details: { reason: 'cancel' } } },
    ])
    expect(JSON.stringify([outcome, events, executor.driver.state])).not.toContain('secret')
  })

  test('E-24, E-41: what an abandoned body leaves behind later is told nowhere', async () => {
    const { executor, gated, gate, gates, until, events } = await bench()
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a')] })
    await until(() => gates.length === 1)
    const report = await executor.driver.halt('cancel', { budgetMs: 0 })
    gate('a').fail(abortWith({ result: 'secret' }))
    expect(report).toMatchObject({ status: 'failed', abandoned: [{ dlineTid: 't#0' }] })
    const { results } = await turn
    await settled()
    expect(results).toMatchObject([{ error: { code: 'TOOL_ABORTED', details: { reason: 'cancel' } } }])
    expect(JSON.stringify([results, events])).not.toContain('secret')
  })

  test('E-42: a stop settles the calls that it names; the turn of another domain goes on', async () => {
    const { executor, gated, gate, gates, until } = await bench()
    gated('a')
    gated('b')
    const one = executor.openSubagent()
    const two = executor.openSubagent()
    const first = one.driver.execute({ turnId: 't', calls: [call('a')] })
    const second = two.driver.execute({ turnId: 't', calls: [call('b')] })
    await until(() => gates.length === 2)
    const stopping = one.driver.halt('cancel')
    await settled()
    gate('a').open()
    await stopping
    expect(codes((await first).results)).toEqual(['TOOL_ABORTED'])
    expect(gate('b').running).toBe(true)
    gate('b').open()
    expect(codes((await second).results)).toEqual(['ok'])
  })
})
