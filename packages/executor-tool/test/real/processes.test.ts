/**
 * A stop over real processes: what a turn started is dead when the receipt comes.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call, type House, openHouse, pidsOf, sleepMark, until } from './fixtures/house.ts'

let house: House

beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house.close())

describe.runIf(process.platform === 'linux')('processes of a stopped turn', { timeout: 60_000 }, () => {
  test('E-14, E-30: a tree with setsid and background children has no survivor, and the receipt lists the discarded', async () => {
    const mark = sleepMark()
    const command = `sleep ${mark} & setsid sleep ${mark} & sleep ${mark}`
    const turn = house.executor.driver.execute({
      turnId: 't1',
      calls: [call('c1', 'bash', { command }), call('c2', 'bash', { command: 'echo never' })],
    })
    await until(async () => (await pidsOf(mark)).length === 3)
    const report = await house.executor.halt('cancel')
    expect(await pidsOf(mark)).toEqual([])
    expect(report).toMatchObject({ status: 'halted', abandoned: [] })
    expect(house.receipt()).toMatchObject({
      kind: 'tool.halted',
      discarded: [{ commandId: 't1#0/1', turnId: 't1', dlineTid: 't1#0' }],
      quarantined: 0,
    })
    expect(house.releaseErrors).toEqual([])
    const outcome = await turn
    expect(outcome.status).toBe('halted')
    expect(outcome.results.map((result) => result.isError && result.error.code)).toEqual(['TOOL_ABORTED', 'TOOL_ABORTED_BEFORE_DISPATCH'])
  })

  test('E-30: processes that ignore TERM, left the group twice or hold the pipe are gone as well', async () => {
    const mark = sleepMark()
    const command = [
      `bash -c 'trap "" TERM; sleep ${mark}; sleep ${mark}' &`,
      `setsid bash -c 'trap "" TERM; setsid sleep ${mark} & sleep ${mark}' &`,
      `sleep ${mark}`,
    ].join('\n')
    const turn = house.executor.driver.execute({ turnId: 't1', calls: [call('c1', 'bash', { command })] })
    await until(async () => (await pidsOf(mark)).length === 4)
    await house.executor.halt('cancel')
    expect(await pidsOf(mark)).toEqual([])
    expect(house.releaseErrors).toEqual([])
    expect(house.receipt()).toMatchObject({ kind: 'tool.halted' })
    await turn
  })

  test('E-30: an explicit background job survives cancel and ends with terminate', async () => {
    const mark = sleepMark()
    const other = sleepMark()
    const { driver } = house.executor
    const background = call('c1', 'bash', { command: `sleep ${mark}`, background: true })
    const first = driver.execute({ turnId: 't1', calls: [background, call('c2', 'bash', { command: `sleep ${other}` })] })
    await until(async () => (await pidsOf(other)).length === 1)
    await house.executor.halt('cancel')
    expect((await first).status).toBe('halted')
    expect(await pidsOf(other)).toEqual([])
    expect(await pidsOf(mark)).toHaveLength(1)

    const again = sleepMark()
    const second = driver.execute({
      turnId: 't2',
      calls: [call('c3', 'bash', { command: `sleep ${again}`, background: true }), call('c4', 'bash', { command: `sleep ${other}` })],
    })
    await until(async () => (await pidsOf(other)).length === 1)
    await house.executor.halt('terminate')
    await second
    expect(await pidsOf(other)).toEqual([])
    expect(await pidsOf(again)).toEqual([])
  })

  test('E-30, E-35: a command that a program started dies with the program', async () => {
    const mark = sleepMark()
    const code = `await tools.bash({ command: 'sleep ${mark} & setsid sleep ${mark} & sleep ${mark}' })`
    const turn = house.executor.driver.execute({ turnId: 't1', calls: [call('c1', 'run_code', { code })] })
    await until(async () => (await pidsOf(mark)).length === 3)
    await house.executor.halt('cancel')
    expect(await pidsOf(mark)).toEqual([])
    expect(house.receipt()).toMatchObject({ kind: 'tool.halted', discarded: [{ dlineTid: 't1#0' }] })
    expect((await turn).results).toMatchObject([{ isError: true, error: { code: 'TOOL_ABORTED' } }])
  })

  test('E-41: what a command printed before the stop reaches the model with its abort', async () => {
    const mark = sleepMark()
    const turn = house.executor.driver.execute({
      turnId: 't1',
      calls: [call('c1', 'bash', { command: `echo halfway; sleep ${mark}` })],
    })
    await until(async () => (await pidsOf(mark)).length === 1)
    await house.executor.halt('cancel')
    const [result] = (await turn).results
    expect(result).toMatchObject({
      isError: true,
      error: { code: 'TOOL_ABORTED', details: { reason: 'cancel', result: { output: expect.stringContaining('halfway') } } },
    })
    expect(house.receipt()).toMatchObject({ kind: 'tool.halted', discarded: [{ dlineTid: 't1#0' }] })
    expect(house.events.filter((event) => event.kind === 'tool.block_result' || event.kind === 'tool.block_failed')).toEqual([])
  })

  test('E-23, E-30: a stopped turn starts nothing more; the next one works', async () => {
    const mark = sleepMark()
    const { driver } = house.executor
    const turn = driver.execute({ turnId: 't1', calls: [call('c1', 'bash', { command: `sleep ${mark}` })] })
    await until(async () => (await pidsOf(mark)).length === 1)
    await house.executor.halt('cancel')
    await turn
    const next = await driver.execute({ turnId: 't2', calls: [call('c2', 'bash', { command: 'echo again' })] })
    expect(next).toMatchObject({
      status: 'completed',
      results: [{ isError: false, content: [{ text: expect.stringContaining('again') }] }],
    })
  })
})
