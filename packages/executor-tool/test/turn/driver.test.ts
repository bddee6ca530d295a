/**
 * Turns through the whole house: pipeline, driver, reducer, kernel and domain.
 */
import { Approval, type AskAnswer, type ToolPlugin, type ToolResult } from '@toolseam/core-tools'
import { createToolRuntime } from '@toolseam/core-tools'
import { ToolExecutor, toolExecutor } from '@toolseam/executor-tool'
import { toolInvariants } from '@toolseam/core-tools/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { call, settled, turnBench, type TurnBench } from './helpers.ts'

const benches: TurnBench[] = []

async function bench(...args: Parameters<typeof turnBench>): Promise<TurnBench> {
  const made = await turnBench(...args)
  benches.push(made)
  return made
}

afterEach(async () => {
  for (const { runtime, gates } of benches.splice(0)) {
    for (const gate of gates) gate.open()
    await runtime.dispose()
  }
})

const codes = (results: readonly ToolResult[]): string[] => results.map((result) => (result.isError ? result.error.code : 'ok'))
const reasonOf = (result: ToolResult | undefined): unknown =>
  result?.isError && typeof result.error.details === 'object' && result.error.details !== null && 'reason' in result.error.details
    ? result.error.details.reason
    : undefined

/** An ask service that a test answers by hand. */
function asking(): { plugin: ToolPlugin; asks: { callId: string; answer(answer: AskAnswer): void; surface: unknown }[] } {
  const asks: { callId: string; answer(answer: AskAnswer): void; surface: unknown }[] = []
  const plugin: ToolPlugin = {
    name: 'asker',
    provides: [Approval],
    apply(runtime) {
      runtime.services.provide(Approval, {
        ask: ({ execution, surface }) => new Promise((resolve) => void asks.push({ callId: execution.callId, answer: resolve, surface })),
      })
      runtime.hooks.preExecute.tap('ask-some', (decision, { callId }) =>
        callId.startsWith('ask') ? { kind: 'ask', reason: 'let me see' } : decision,
      )
    },
  }
  return { plugin, asks }
}

describe('order', () => {
  test('E-40: parallel bodies overlap, results and finalize are in model order with reversed settles', async () => {
    const { executor, gated, gate, until, log, gates } = await bench()
    for (const name of ['a', 'b', 'c']) gated(name)
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a'), call('b'), call('c')] })
    await until(() => gates.length === 3)
    gate('c').open('C')
    await settled()
    gate('b').open('B')
    await settled()
    expect(log.filter((line) => line.startsWith('finalize'))).toEqual([])
    gate('a').open('A')
    const { results, status } = await turn
    expect(status).toBe('completed')
    expect(results).toMatchObject([{ value: 'A' }, { value: 'B' }, { value: 'C' }])
    expect(log.filter((line) => /^(finalize|result)/.test(line))).toEqual([
      'finalize a',
      'result a',
      'finalize b',
      'result b',
      'finalize c',
      'result c',
    ])
  })

  test('E-40: serial runs one block at a time in model order, whatever the tools are', async () => {
    const { executor, gated, gate, until, log, gates } = await bench()
    for (const name of ['a', 'b']) gated(name)
    const turn = executor.driver.execute({ turnId: 't', mode: 'serial', calls: [call('a'), call('b')] })
    await until(() => gates.length === 1)
    await settled()
    expect(gates).toHaveLength(1)
    gate('a').open()
    await until(() => gates.length === 2)
    gate('b').open()
    await turn
    expect(log).toEqual(['prepare a', 'start a', 'finalize a', 'result a', 'prepare b', 'start b', 'finalize b', 'result b'])
  })

  test('E-40: an exclusive block is a barrier both ways, and is judged only when all before it has settled', async () => {
    const { executor, gated, gate, until, log, gates } = await bench()
    gated('a')
    gated('b')
    gated('x', { concurrency: 'exclusive' })
    gated('c')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a'), call('b'), call('x'), call('c')] })
    await until(() => gates.length === 2)
    gate('b').open()
    await settled()
    expect(log).not.toContain('prepare x')
    gate('a').open()
    await until(() => gates.length === 3)
    await settled()
    expect(log.indexOf('prepare x')).toBeGreaterThan(log.indexOf('result b'))
    expect(log).not.toContain('prepare c')
    gate('x').open()
    await until(() => gates.length === 4)
    expect(log.indexOf('prepare c')).toBeGreaterThan(log.indexOf('result x'))
    gate('c').open()
    expect(codes((await turn).results)).toEqual(['ok', 'ok', 'ok', 'ok'])
  })

  test('E-40: no more blocks run at once than the turn allows', async () => {
    const { executor, gated, until, gates } = await bench({ maxParallel: 2 })
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [1, 2, 3, 4, 5].map((n) => call(`c${n}`, 'a')) })
    for (let done = 0; done < 5; done += 1) {
      await until(() => gates.length === Math.min(5, done + 2))
      await settled()
      expect(gates.filter((gate) => gate.running).length).toBeLessThanOrEqual(2)
      gates[done]?.open(done)
    }
    expect((await turn).results.map((result) => !result.isError && result.value)).toEqual([0, 1, 2, 3, 4])
  })

  test('E-39: the mode is fixed when the turn is created: argument, else option, else parallel', async () => {
    const { executor, gated, gate, until, gates, events } = await bench({ mode: 'serial' })
    gated('a')
    const first = executor.driver.execute({ turnId: 't1', calls: [call('a'), call('b', 'a')] })
    await until(() => gates.length === 1)
    expect(executor.driver.state.mode).toBe('serial')
    gate('a').open()
    await until(() => gates.length === 2)
    gate('a').open()
    await first
    const second = executor.driver.execute({ turnId: 't2', mode: 'parallel', calls: [call('a'), call('b', 'a')] })
    await until(() => gates.length === 4)
    for (const gate of gates) gate.open()
    await second
    expect(events.map((event) => event.kind)).toEqual(Array.from({ length: 4 }, () => 'tool.block_result'))
  })

  test('E-38: ids are deterministic: dlineTid is turn and index, commandId adds the attempt', async () => {
    const { executor, gated, gate, until, gates, events } = await bench()
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('x', 'a')] })
    await until(() => gates.length === 1)
    gate('a').open()
    await turn
    expect(events).toMatchObject([{ commandId: 't#0/1', turnId: 't', dlineTid: 't#0' }])
  })

  test('E-38: a call that policy settles needs no command, and its post-result passes finalize in order', async () => {
    const { executor, runtime, gated, until, gates, events, log } = await bench()
    gated('a')
    gated('b')
    runtime.guard(({ name }) => (name === 'b' ? 'no' : undefined), { name: 'g' })
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a'), call('b'), call('c', 'a'), call('d', 'missing')] })
    await until(() => gates.length === 2)
    await settled()
    expect(log).not.toContain('finalize b')
    for (const gate of gates) gate.open()
    expect(codes((await turn).results)).toEqual(['ok', 'TOOL_DENIED', 'ok', 'UNKNOWN_TOOL'])
    expect(log.filter((line) => line.startsWith('result'))).toEqual(['result a', 'result b', 'result c', 'result d'])
    // An unknown tool reaches the innermost dispatcher; a denied call reaches no domain.
    expect(events.filter((event) => 'dlineTid' in event && event.dlineTid === 't#1')).toEqual([])
  })

  test('E-38: a tool that becomes exclusive while it waits gives its place back, with the runs of those behind it', async () => {
    const { executor, gated, gate, until, gates, log, runtime } = await bench()
    gated('a')
    let mode: 'parallel' | 'exclusive' = 'parallel'
    gated('fickle', { concurrency: () => mode })
    gated('c')
    runtime.hooks.preExecute.tap('turn', (decision, { name }) => {
      if (name === 'a') mode = 'exclusive'
      return decision
    })
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a'), call('fickle'), call('c')] })
    await until(() => gates.length === 1)
    await settled()
    expect(gates).toHaveLength(1)
    gate('a').open()
    await until(() => gates.length === 2)
    await settled()
    expect(gates.map((gate) => gate.name)).toEqual(['a', 'fickle'])
    gate('fickle').open()
    await until(() => gates.length === 3)
    gate('c').open()
    expect(codes((await turn).results)).toEqual(['ok', 'ok', 'ok'])
    expect(log.filter((line) => line.startsWith('prepare'))).toEqual(['prepare a', 'prepare fickle', 'prepare c'])
  })

  test('E-38: exclusive by rewritten arguments: what is prepared is not prepared again', async () => {
    const { executor, gated, gate, until, gates, log, runtime } = await bench()
    gated('a')
    gated('careful', { concurrency: (input) => ((input as { write?: boolean }).write ? 'exclusive' : 'parallel') })
    runtime.hooks.preExecute.tap('rewrite', (decision, { name, arguments: args }) =>
      name === 'careful' && !(args as { write?: boolean }).write ? { kind: 'allow', arguments: { write: true } } : decision,
    )
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a'), call('careful'), call('c', 'a')] })
    await until(() => gates.length === 1)
    await settled()
    expect(gates).toHaveLength(1)
    gates[0]?.open()
    await until(() => gates.length === 2)
    expect(gate('careful').running).toBe(true)
    await settled()
    expect(gates).toHaveLength(2)
    gate('careful').open()
    await until(() => gates.length === 3)
    gates[2]?.open()
    expect(codes((await turn).results)).toEqual(['ok', 'ok', 'ok'])
    // Two rounds of one judgement: the rewrite, and the round on what it wrote.
    expect(log.filter((line) => line === 'prepare careful')).toHaveLength(2)
  })
})

describe('asking', () => {
  test('E-38: while a human is asked the block gives its place back; siblings run, and publish after it', async () => {
    const { plugin, asks } = asking()
    const { executor, gated, gate, until, gates, log } = await bench({ maxParallel: 1 }, [plugin])
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('ask1', 'a'), call('b', 'a')] })
    await until(() => gates.length === 1)
    expect(asks.map((ask) => ask.callId)).toEqual(['ask1'])
    expect(executor.driver.state.blocks[0]?.state).toBe('asking')
    asks[0]?.answer({ outcome: 'approved' })
    await settled()
    // Its place is taken: it waits for it, and is not judged again.
    expect(gates).toHaveLength(1)
    expect(executor.driver.state.blocks[0]?.state).toBe('waiting')
    gate('a').open('B')
    await until(() => gates.length === 2)
    gate('a').open('A')
    expect((await turn).results).toMatchObject([{ value: 'A' }, { value: 'B' }])
    expect(log.filter((line) => line.startsWith('prepare'))).toEqual(['prepare ask1', 'prepare b'])
    expect(log.filter((line) => line.startsWith('result'))).toEqual(['result ask1', 'result b'])
  })

  test('E-38: an exclusive block that asks is still a barrier', async () => {
    const { plugin, asks } = asking()
    const { executor, gated, gate, until, gates } = await bench({}, [plugin])
    gated('x', { concurrency: 'exclusive' })
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('ask1', 'x'), call('b', 'a')] })
    await until(() => asks.length === 1)
    await settled()
    expect(gates).toHaveLength(0)
    asks[0]?.answer({ outcome: 'approved' })
    await until(() => gates.length === 1)
    gate('x').open()
    await until(() => gates.length === 2)
    gate('a').open()
    expect(codes((await turn).results)).toEqual(['ok', 'ok'])
  })

  test('E-38: a rejected ask settles without a command; the surface of the domain is told to the ask', async () => {
    const { plugin, asks } = asking()
    const { executor, gated, until, events } = await bench({}, [plugin])
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('ask1', 'a')] })
    await until(() => asks.length === 1)
    expect(asks[0]?.surface).toBe('denied')
    asks[0]?.answer({ outcome: 'rejected' })
    expect(codes((await turn).results)).toEqual(['APPROVAL_REJECTED'])
    expect(events).toEqual([])
  })

  test('E-41: a stop while a human is asked withdraws the ask, and the call is settled as not run', async () => {
    const { plugin, asks } = asking()
    const { executor, gated, until } = await bench({}, [plugin])
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('ask1', 'a'), call('ask2', 'a')] })
    await until(() => asks.length === 2)
    const report = await executor.halt('cancel')
    expect(report.status).toBe('halted')
    expect(codes((await turn).results)).toEqual(['TOOL_ABORTED_BEFORE_DISPATCH', 'TOOL_ABORTED_BEFORE_DISPATCH'])
    expect((await turn).status).toBe('halted')
  })
})

describe('the end of a turn', () => {
  test('E-41: a finalized success that concludes the turn lets running blocks finish and skips later ones', async () => {
    const { executor, runtime, gated, gate, until, gates, log } = await bench({ maxParallel: 2 })
    gated('slow')
    runtime.register({
      name: 'finish',
      description: 'Ends the turn.',
      input: { type: 'object' },
      concurrency: 'parallel',
      execute: (_input, context) => {
        context.concludeTurn()
        return 'the end'
      },
    })
    const turn = executor.driver.execute({
      turnId: 't',
      calls: [call('a', 'finish'), call('b', 'slow'), call('x', 'slow', {}), call('y', 'slow')],
    })
    await until(() => gates.length >= 1 && log.includes('result a'))
    await settled()
    const started = gates.length
    for (const gate of gates) gate.open()
    gate('slow').open()
    const { results, status } = await turn
    expect(status).toBe('concluded')
    expect(results).toHaveLength(4)
    expect(codes(results).filter((code) => code === 'ok')).toHaveLength(1 + started)
    expect(codes(results).at(-1)).toBe('TOOL_ABORTED_BEFORE_DISPATCH')
    expect(reasonOf(results.at(-1))).toBe('concluded')
    expect(log.filter((line) => line.startsWith('result'))).toHaveLength(4)
  })

  test('E-41: in a serial turn nothing after the concluding call is judged', async () => {
    const { executor, runtime, gated, log } = await bench({ mode: 'serial' })
    gated('slow')
    runtime.register({
      name: 'finish',
      description: 'Ends the turn.',
      input: { type: 'object' },
      execute: (_input, context) => {
        context.concludeTurn()
        return 'the end'
      },
    })
    const { results } = await executor.driver.execute({ turnId: 't', calls: [call('a', 'finish'), call('b', 'slow'), call('c', 'slow')] })
    expect(codes(results)).toEqual(['ok', 'TOOL_ABORTED_BEFORE_DISPATCH', 'TOOL_ABORTED_BEFORE_DISPATCH'])
    expect(log).not.toContain('prepare b')
  })

  test('E-41: a stop in the middle of a turn gives every call one result, and observers see each once', async () => {
    const { executor, gated, gate, until, gates, log, events } = await bench({ maxParallel: 2 })
    gated('obedient', {
      execute: (_input, context) =>
        new Promise((_resolve, reject) => {
          log.push('start obedient')
          context.signal.addEventListener('abort', () => reject(context.signal.reason))
        }),
    })
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('first', 'a'), call('obedient'), call('x', 'a'), call('y', 'a')] })
    await until(() => gates.length === 1 && log.includes('start obedient'))
    gate('a').open('in time')
    await until(() => gates.length === 2)
    const report = executor.halt('cancel')
    await settled()
    gate('a').open('too late')
    expect(await report).toMatchObject({ status: 'halted', discarded: [{ dlineTid: 't#1' }, { dlineTid: 't#2' }], abandoned: [] })
    const { results, status, haltId } = await turn
    expect(status).toBe('halted')
    expect(haltId).toBe((await report).haltId)
    expect(codes(results)).toEqual(['ok', 'TOOL_ABORTED', 'TOOL_ABORTED', 'TOOL_ABORTED_BEFORE_DISPATCH'])
    expect(results.slice(1).map(reasonOf)).toEqual(['cancel', 'cancel', 'cancel'])
    expect(log.filter((line) => line.startsWith('result'))).toEqual(['result first', 'result obedient', 'result x', 'result y'])
    expect(events.map((event) => event.kind)).toEqual(['tool.block_result', 'tool.halted'])
  })

  test('E-41: a stop asked of the domain itself ends the turn all the same', async () => {
    const { executor, gated, gate, until, gates } = await bench({ maxParallel: 1 })
    gated('a')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('x', 'a'), call('y', 'a')] })
    await until(() => gates.length === 1)
    const halted = executor.domain.halt({ haltId: 'mine', reason: 'terminate' })
    gate('a').open()
    await halted
    const { results, status, haltId } = await turn
    expect([status, haltId]).toEqual(['halted', 'mine'])
    expect(codes(results)).toEqual(['TOOL_ABORTED', 'TOOL_ABORTED_BEFORE_DISPATCH'])
  })

  test('E-23, E-44: the next turn rearms the domain and runs', async () => {
    const { executor, gated, gate, until, gates } = await bench()
    gated('a')
    await executor.halt('cancel')
    expect(executor.domain.snapshot().phase).toBe('halted')
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a')] })
    await until(() => gates.length === 1)
    gate('a').open()
    expect((await turn).status).toBe('completed')
    const first = executor.halt('cancel')
    await executor.domain.halt({ haltId: 'another', reason: 'cancel' })
    await first
    const next = executor.driver.execute({ turnId: 't2', calls: [call('a')] })
    await until(() => gates.length === 2)
    gate('a').open()
    expect((await next).status).toBe('completed')
  })

  test('E-26: a tool that asks for the stop of its own turn and awaits it is not left waiting for itself', async () => {
    const { executor, runtime } = await bench()
    const reports: unknown[] = []
    runtime.register({
      name: 'stopper',
      description: 'Stops everything.',
      input: { type: 'object' },
      execute: async () => {
        const { status } = await executor.halt('cancel')
        reports.push(status)
        return 'asked'
      },
    })
    const { status, results } = await executor.driver.execute({ turnId: 't', calls: [call('s', 'stopper')] })
    expect(reports).toEqual(['requested'])
    expect(status).toBe('halted')
    expect(codes(results)).toEqual(['TOOL_ABORTED'])
  })

  test('E-41: the signal of a turn is a bounded stop', async () => {
    const { executor, gated, until, gates, gate } = await bench()
    gated('a')
    const control = new AbortController()
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a')], signal: control.signal })
    await until(() => gates.length === 1)
    control.abort()
    await settled()
    gate('a').open()
    expect(codes((await turn).results)).toEqual(['TOOL_ABORTED'])
  })

  test('E-41: the signal of one call stops that call only', async () => {
    const { executor, gated, until, gates } = await bench()
    gated('a')
    const control = new AbortController()
    const turn = executor.driver.execute({ turnId: 't', calls: [{ ...call('x', 'a'), signal: control.signal }, call('y', 'a')] })
    await until(() => gates.length === 2)
    control.abort()
    for (const gate of gates) gate.open()
    expect(codes((await turn).results)).toEqual(['TOOL_ABORTED', 'ok'])
  })

  test('E-44: a turn id that was used before runs nothing twice', async () => {
    const { executor, gated, gate, until, gates } = await bench()
    gated('a')
    const first = executor.driver.execute({ turnId: 't', calls: [call('a')] })
    await until(() => gates.length === 1)
    gate('a').open()
    await first
    const again = await executor.driver.execute({ turnId: 't', calls: [call('a')] })
    expect(codes(again.results)).toEqual(['TOOL_ABORTED_BEFORE_DISPATCH'])
    expect(gates).toHaveLength(1)
  })

  test('P-26: an input that is no call is refused before anything starts', async () => {
    const { executor, gates } = await bench()
    await expect(executor.driver.execute({ turnId: 't', calls: [call('a'), { callId: '', name: 'a' }] })).rejects.toMatchObject({
      code: 'INVALID_CALL',
    })
    await expect(executor.driver.execute({ turnId: '', calls: [] })).rejects.toMatchObject({ code: 'INVALID_CALL' })
    expect(gates).toEqual([])
    expect((await executor.driver.execute({ turnId: 'empty', calls: [] })).status).toBe('completed')
  })

  test('E-36: the pipeline meets each call once and in order: its own invariants hold over turns, stops and nested calls', async () => {
    const violations: unknown[] = []
    const { executor, runtime, gated, gate, until, gates } = await bench({}, [
      toolInvariants({ report: (violation) => void violations.push(violation) }),
    ])
    gated('a')
    runtime.register({
      name: 'nest',
      description: 'Nests.',
      input: { type: 'object' },
      concurrency: 'parallel',
      execute: async (_input, context) => (await context.call('a', {})).isError,
    })
    const turn = executor.driver.execute({ turnId: 't', calls: [call('x', 'a'), call('n', 'nest'), call('u', 'nobody')] })
    await until(() => gates.length === 2)
    gates[0]?.open()
    const report = executor.halt('cancel')
    gate('a').open()
    await report
    await turn
    expect(violations).toEqual([])
  })
})

describe('nested calls', () => {
  test('E-35: the body of a nested call is a block of a child domain, denied its surface, and a stop reaches it', async () => {
    const { executor, runtime, gated, gate, until, gates } = await bench()
    gated('inner')
    const seen: unknown[] = []
    runtime.register({
      name: 'program',
      description: 'Calls another.',
      input: { type: 'object' },
      concurrency: 'parallel',
      execute: async (_input, context) => {
        const result = await context.call('inner', {})
        seen.push(result)
        return 'went on'
      },
    })
    const turn = executor.driver.execute({ turnId: 't', calls: [call('p', 'program')] })
    await until(() => gates.length === 1)
    expect(executor.domain.snapshot().children).toBe(1)
    expect(gate('inner').context.surface).toEqual({ kind: 'denied', reason: 'nested_call' })
    const report = executor.halt('cancel')
    await settled()
    expect(gate('inner').context.signal.aborted).toBe(true)
    gate('inner').open('too late')
    expect((await report).status).toBe('halted')
    expect(seen).toMatchObject([{ isError: true, error: { code: 'TOOL_ABORTED', details: { reason: 'cancel' } } }])
    expect(codes((await turn).results)).toEqual(['TOOL_ABORTED'])
    expect(executor.domain.snapshot().children).toBe(0)
  })

  test('E-35: nested calls of nested calls, and a program in the place of run_code is denied as code_mode', async () => {
    const { executor, runtime, gated, gate, until, gates } = await bench()
    gated('inner')
    for (const [name, next] of [
      ['outer', 'middle'],
      ['middle', 'inner'],
    ] as const) {
      runtime.register({
        name,
        description: 'Calls on.',
        input: { type: 'object' },
        concurrency: 'parallel',
        execute: async (_input, context) => {
          const result = await context.call(next, {})
          return result.isError ? result.error.code : result.value
        },
      })
    }
    const turn = executor.driver.execute({ turnId: 't', calls: [call('o', 'outer')] })
    await until(() => gates.length === 1)
    gate('inner').open('deep')
    expect((await turn).results).toMatchObject([{ value: 'deep' }])
    expect(executor.domain.snapshot().children).toBe(0)
  })

  test('E-33: a tool that needs its user fails with SURFACE_DENIED where there is none, and what it did stays', async () => {
    const { executor, runtime, events } = await bench()
    const done: string[] = []
    runtime.register({
      name: 'asks',
      description: 'Writes, then asks.',
      input: { type: 'object' },
      execute: async (_input, { surface }) => {
        done.push('written')
        const { surfaceFor } = await import('@toolseam/core-tools')
        await surfaceFor(surface).require('ask')('may I?')
        return 'asked'
      },
    })
    const { results } = await executor.driver.execute({ turnId: 't', calls: [call('a', 'asks')] })
    expect(results).toMatchObject([
      { isError: true, error: { code: 'SURFACE_DENIED', details: { capability: 'ask', reason: 'no_domain' } } },
    ])
    expect(done).toEqual(['written'])
    expect(events).toMatchObject([{ kind: 'tool.block_failed', failure: { code: 'SURFACE_DENIED' } }])
  })

  test('E-10: progress of a call is forwarded to the domain while its block runs', async () => {
    const { executor, gated, gate, until, gates, events } = await bench()
    gated('a')
    const progress: unknown[] = []
    executor.domain.onProgress((update) => progress.push(update))
    const turn = executor.driver.execute({ turnId: 't', calls: [call('a')] })
    await until(() => gates.length === 1)
    gate('a').context.progress({ message: 'half', progress: 1, total: 2 })
    gate('a').open()
    await turn
    expect(progress).toMatchObject([{ dlineTid: 't#0', update: { message: 'half', progress: 1, total: 2 } }])
    expect(events).toHaveLength(1)
  })
})

describe('subagents', () => {
  test("E-35: a subagent's turn runs in a child domain: the parent's stop reaches it, its own leaves the parent alone", async () => {
    const { executor, gated, gate, until, gates } = await bench()
    gated('a')
    const subagent = executor.openSubagent({ name: 'helper' })
    expect(subagent.domain.surface).toEqual({ kind: 'denied', reason: 'subagent_execution' })
    const own = subagent.driver.execute({ turnId: 's1', calls: [call('a')] })
    await until(() => gates.length === 1)
    const stopped = subagent.driver.halt('cancel')
    gate('a').open()
    expect((await stopped).status).toBe('halted')
    expect((await own).status).toBe('halted')
    expect(executor.domain.snapshot().phase).toBe('armed')
    const next = subagent.driver.execute({ turnId: 's2', calls: [call('a')] })
    await until(() => gates.length === 2)
    const all = executor.halt('terminate')
    await settled()
    gate('a').open()
    expect((await all).status).toBe('halted')
    expect((await next).status).toBe('halted')
    await subagent.dispose()
    expect(executor.domain.snapshot().children).toBe(0)
  })
})

describe('the service', () => {
  test('E-28: disposing the runtime in the middle of a turn gives every call its result', async () => {
    const runtime = await createToolRuntime({ plugins: [toolExecutor({ haltBudgetMs: 200 })], abortGraceMs: 50 })
    runtime.register({
      name: 'hang',
      description: 'Hangs.',
      input: { type: 'object' },
      concurrency: 'parallel',
      execute: () => new Promise(() => {}),
    })
    const { driver, domain } = runtime.services.require(ToolExecutor)
    const turn = driver.execute({ turnId: 't', calls: [call('a', 'hang'), call('b', 'hang')] })
    await settled()
    await runtime.dispose()
    const { results } = await turn
    expect(results).toHaveLength(2)
    expect(results.every((result) => result.isError)).toBe(true)
    expect(domain.snapshot().phase).toBe('disposed')
  })
})
