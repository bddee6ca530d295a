/**
 * One journal for the calls and for the turns: what it says of a stopped turn, and that it folds to the same state.
 */
import { ErrorCode } from '@toolseam/core-tools'
import { initialToolTurnState, recoverTools, reduceTools, replay } from '@toolseam/executor-tool'
import { afterEach, expect, test } from 'vitest'
import { call, type House, openHouse, pidsOf, sleepMark, until } from './fixtures/house.ts'

let house: House

afterEach(() => house.close())

test.runIf(process.platform === 'linux')(
  'E-48, E-52: a stopped turn is on record with its calls, and replays to the state it had',
  { timeout: 60_000 },
  async () => {
    house = await openHouse()
    const { driver } = house.executor
    const mark = sleepMark()
    const turn = driver.execute({
      turnId: 't1',
      calls: [call('c1', 'write', { path: 'a.txt', content: 'a' }), call('c2', 'bash', { command: `sleep ${mark}` })],
    })
    await until(async () => (await pidsOf(mark)).length === 1)
    await house.executor.halt('cancel')
    await turn
    const lines = await house.records()
    const told = lines.flatMap(({ data }) => (typeof data === 'object' && data !== null && 'callId' in data ? [data] : []))
    expect(told).toMatchObject([
      { kind: 'tool/call', callId: 'c1', turnId: 't1', name: 'write' },
      { kind: 'tool/result', callId: 'c1', isError: false },
      { kind: 'tool/call', callId: 'c2', turnId: 't1', name: 'bash' },
      { kind: 'tool/result', callId: 'c2', isError: true, code: ErrorCode.TOOL_ABORTED },
    ])
    expect((await replay(lines, { reduce: reduceTools, initial: initialToolTurnState })).state).toEqual(driver.state)
    expect(await recoverTools(lines)).toMatchObject({ unknown: [], rerunnable: [] })
  },
)
