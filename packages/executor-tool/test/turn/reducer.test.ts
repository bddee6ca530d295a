/**
 * The reducer by itself (E-40 to E-44).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  initialToolTurnState,
  reduceTools,
  type ToolTurnCommand,
  type ToolTurnEvent,
  type ToolTurnState,
  type TurnCreated,
} from '@toolseam/executor-tool'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

type Input = TurnCreated['blocks'][number]

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

function fold(
  events: readonly ToolTurnEvent[],
  from = initialToolTurnState,
): { state: ToolTurnState; commands: ToolTurnCommand[]; refused: string[] } {
  let state = from
  const commands: ToolTurnCommand[] = []
  const refused: string[] = []
  for (const event of events) {
    const reduction = reduceTools(deepFreeze(state), deepFreeze(event))
    if (reduction.refused !== undefined) {
      refused.push(reduction.refused.code)
      expect(reduction.state).toBe(state)
      expect(reduction.commands).toEqual([])
    }
    state = reduction.state
    commands.push(...reduction.commands)
  }
  return { state, commands, refused }
}

const block = (n: number, concurrency: Input['concurrency'] = 'parallel', more: Partial<Input> = {}): Input => ({
  dlineTid: `t#${n}`,
  callId: `c${n}`,
  concurrency,
  ...more,
})
const created = (blocks: Input[], more: Partial<TurnCreated> = {}): TurnCreated => ({
  kind: 'turn.created',
  turnId: 't',
  mode: 'parallel',
  limit: 10,
  blocks,
  ...more,
})
const ident = (n: number, attempt = 1) => ({ commandId: `t#${n}/${attempt}`, turnId: 't', dlineTid: `t#${n}` })
const result = (n: number): ToolTurnEvent => ({ kind: 'tool.block_result', ...ident(n), output: n })
const told = (
  kind: 'block.settled' | 'block.asking' | 'block.answered' | 'block.exclusive',
  n: number,
  withdrawn?: string[],
): ToolTurnEvent => ({
  kind,
  turnId: 't',
  dlineTid: `t#${n}`,
  ...(withdrawn === undefined ? {} : { withdrawn }),
})
const stop = (haltId: string): ToolTurnEvent => ({ kind: 'stop.requested', order: { haltId, reason: 'cancel' } })
const halted = (haltId: string, discarded: number[] = []): ToolTurnEvent => ({
  kind: 'tool.halted',
  haltId,
  reason: 'cancel',
  discarded: discarded.map((n) => ident(n)),
})

const brief = (commands: readonly ToolTurnCommand[]): string[] =>
  commands.map((command) => {
    switch (command.kind) {
      case 'run':
        return `run ${command.command.dlineTid}`
      case 'skip':
        return `skip ${command.dlineTid} ${command.reason}`
      case 'halt':
        return `halt ${command.order.haltId}`
      case 'rearm':
        return `rearm ${command.haltId}`
      default:
        return command.kind
    }
  })

describe('starting', () => {
  test('E-40: parallel blocks start up to the limit, a freed place is filled at once', () => {
    const { commands } = fold([
      created(
        [0, 1, 2, 3].map((n) => block(n)),
        { limit: 2 },
      ),
      result(1),
      result(0),
      result(2),
      result(3),
    ])
    expect(brief(commands)).toEqual(['run t#0', 'run t#1', 'run t#2', 'run t#3', 'turn.done'])
  })

  test('E-40: exclusive is a barrier both ways; serial is one at a time', () => {
    expect(brief(fold([created([block(0), block(1, 'exclusive'), block(2)]), result(0), result(1), result(2)]).commands)).toEqual([
      'run t#0',
      'run t#1',
      'run t#2',
      'turn.done',
    ])
    const serial = fold([created([block(0), block(1)], { mode: 'serial' })])
    expect(brief(serial.commands)).toEqual(['run t#0'])
    expect(serial.commands[0]).toEqual({ kind: 'run', command: { commandId: 't#0/1', turnId: 't', dlineTid: 't#0', mode: 'serial' } })
  })

  test('E-40: a block that is settled from the start needs no run, and an empty turn is done', () => {
    expect(brief(fold([created([block(0, 'parallel', { settled: true }), block(1)])]).commands)).toEqual(['run t#1'])
    expect(brief(fold([created([])]).commands)).toEqual(['turn.done'])
  })

  test('E-38: while a human is asked the place is given back, and granted anew after the answer', () => {
    const { commands, state } = fold([
      created([block(0), block(1)], { limit: 1 }),
      told('block.asking', 0),
      told('block.answered', 0),
      result(1),
    ])
    expect(brief(commands)).toEqual(['run t#0', 'run t#1', 'run t#0'])
    expect(state.blocks.map((b) => b.state)).toEqual(['running', 'settled'])
  })

  test('E-38: a block found exclusive takes back the later runs that were not prepared, and they get a second one after it', () => {
    const { commands } = fold([created([block(0), block(1), block(2)]), told('block.exclusive', 0), result(0), result(1), result(2)])
    expect(brief(commands)).toEqual(['run t#0', 'run t#1', 'run t#2', 'run t#0', 'run t#1', 'run t#2', 'turn.done'])
  })

  test('E-38: what was dispatched before it settles first', () => {
    const { commands } = fold([created([block(0), block(1), block(2)]), told('block.exclusive', 0, ['t#2']), result(1), result(0)])
    expect(brief(commands)).toEqual(['run t#0', 'run t#1', 'run t#2', 'run t#0', 'run t#2'])
    const asked = fold([
      created([block(0), block(1)]),
      told('block.asking', 0),
      told('block.exclusive', 0, []),
      told('block.answered', 0),
      result(1),
    ])
    expect(brief(asked.commands)).toEqual(['run t#0', 'run t#1', 'run t#0'])
  })
})

describe('ending', () => {
  test('E-41: a conclusion skips what has not begun, lets the rest finish', () => {
    const events = [created([block(0), block(1), block(2), block(3)], { limit: 2 }), result(0)]
    const conclude: ToolTurnEvent = { kind: 'turn.concluded', turnId: 't', dlineTid: 't#0' }
    const { commands, state, refused } = fold([...events, conclude, result(1), result(2), conclude])
    expect(brief(commands)).toEqual(['run t#0', 'run t#1', 'run t#2', 'skip t#3 concluded', 'turn.done'])
    expect(state).toMatchObject({ phase: 'done', concludedAt: 0 })
    expect(refused).toEqual(['STALE_TURN'])
    const withdrawn = fold([...events, { ...conclude, withdrawn: ['t#2'] }])
    expect(brief(withdrawn.commands).slice(3)).toEqual(['skip t#2 concluded', 'skip t#3 concluded'])
  })

  test('E-44: in stopping outcomes are still applied and nothing starts; closings settle the ids they list', () => {
    const { commands, state } = fold([created([block(0), block(1), block(2)], { limit: 2 }), stop('h'), result(0), halted('h', [1])])
    expect(brief(commands)).toEqual(['run t#0', 'run t#1', 'halt h', 'skip t#2 cancel', 'turn.done'])
    expect(state.phase).toBe('stopped')
    expect(state.blocks.map((b) => b.outcome?.kind)).toEqual(['result', 'discarded', 'skipped'])
  })

  test('E-44: abandoned blocks are settled by the failed closing', () => {
    const { state } = fold([
      created([block(0)]),
      stop('h'),
      {
        kind: 'tool.halt_failed',
        haltId: 'h',
        reason: 'cancel',
        discarded: [],
        abandoned: [ident(0)],
        cause: { code: 'DRAIN_TIMEOUT', message: 'late' },
      },
    ])
    expect(state).toMatchObject({ phase: 'stopped', blocks: [{ state: 'settled', outcome: { kind: 'abandoned' } }] })
  })

  test('E-44: after a stop the next turn rearms before it runs', () => {
    const { commands } = fold([stop('h'), halted('h'), created([block(0)])])
    expect(brief(commands)).toEqual(['halt h', 'rearm h', 'run t#0'])
  })

  test('E-17: an order that is known is refused, whatever came between', () => {
    const { refused } = fold([stop('A'), stop('A'), halted('A'), stop('B'), halted('B'), stop('A')])
    expect(refused).toEqual(['STOP_KNOWN', 'STOP_KNOWN'])
  })

  test('E-44: a stop that the reducer did not ask for stops its turn', () => {
    const { commands, state } = fold([created([block(0), block(1)], { limit: 1 }), halted('foreign', [0])])
    expect(brief(commands)).toEqual(['run t#0', 'skip t#1 cancel', 'turn.done'])
    expect(state).toMatchObject({ phase: 'stopped', haltId: 'foreign' })
  })

  test('E-44: a domain that takes nothing more ends the turn', () => {
    const rejected: ToolTurnEvent = { kind: 'tool.rejected', ...ident(0), reason: 'halted' }
    const { commands, state } = fold([created([block(0), block(1)], { limit: 1 }), rejected])
    expect(brief(commands)).toEqual(['run t#0', 'skip t#1 halted', 'turn.done'])
    expect(state.phase).toBe('stopped')
  })

  test('E-46: a run whose executor threw has failed', () => {
    const { state } = fold([
      created([block(0)]),
      {
        kind: 'executor.failed',
        command: { kind: 'run', command: { commandId: 't#0/1', turnId: 't', dlineTid: 't#0' } },
        error: { code: 'X', message: 'no' },
      },
    ])
    expect(state).toMatchObject({ phase: 'done', blocks: [{ outcome: { kind: 'failed', failure: { code: 'X' } } }] })
  })
})

describe('refusals', () => {
  test('E-43: refused events return the same state object and no commands', () => {
    const open = fold([created([block(0), block(1)]), result(1)]).state
    const cases: [ToolTurnEvent, string][] = [
      [created([block(0)], { turnId: 'u' }), 'TURN_OPEN'],
      [{ ...result(0), turnId: 'old' } as ToolTurnEvent, 'STALE_TURN'],
      [{ kind: 'tool.block_result', commandId: 't#0/1', dlineTid: 't#0', output: 1 }, 'STALE_TURN'],
      [{ ...result(0), commandId: 't#0/9' } as ToolTurnEvent, 'STALE_COMMAND'],
      [{ ...result(0), dlineTid: 't#7' } as ToolTurnEvent, 'UNKNOWN_BLOCK'],
      [result(1), 'ALREADY_SETTLED'],
      [told('block.answered', 0), 'NOT_RUNNING'],
      [{ kind: 'turn.left', turnId: 'u' }, 'STALE_TURN'],
      [{ kind: 'turn.concluded', turnId: 't', dlineTid: 't#9' }, 'UNKNOWN_BLOCK'],
      [{ kind: 'nonsense' } as never, 'UNKNOWN_EVENT'],
    ]
    for (const [event, code] of cases) {
      const reduction = reduceTools(deepFreeze(open), deepFreeze(event))
      expect(reduction.refused?.code, JSON.stringify(event)).toBe(code)
      expect(reduction.state).toBe(open)
      expect(reduction.commands).toEqual([])
    }
    for (const bad of [{ limit: 0 }, { limit: 1.5 }, { mode: 'odd' as never }, { turnId: '' }]) {
      expect(fold([created([block(0)], bad)]).refused).toEqual(['INVALID_TURN'])
    }
    expect(fold([created([block(0), block(0)])]).refused).toEqual(['INVALID_TURN'])
  })

  test('E-44: a turn that was left makes everything of it stale', () => {
    const { refused, state } = fold([created([block(0)]), { kind: 'turn.left', turnId: 't' }, result(0)])
    expect(refused).toEqual(['STALE_TURN'])
    expect(state).toMatchObject({ phase: 'idle', blocks: [] })
  })

  test('E-43: the source of the reducer has no clock, no randomness, no input or output', () => {
    const folder = join(import.meta.dirname, '..', '..', 'src', 'consumer', 'turn')
    const pure = ['reducer.ts', 'blocks.ts', 'create-turn.ts', 'schedule.ts']
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(pure))
    for (const file of pure) {
      const text = readFileSync(join(folder, file), 'utf8')
      expect(text, file).not.toMatch(/Date|performance|Math\.random|setTimeout|setImmediate|await|Promise|process\.|globalThis|\bfetch\b/)
    }
  })
})

describe('properties', () => {
  const turnEvent = (size: number): fc.Arbitrary<ToolTurnEvent> => {
    const index = fc.nat(size)
    return fc.oneof(
      { weight: 5, arbitrary: index.map(result) },
      {
        weight: 1,
        arbitrary: index.map((n): ToolTurnEvent => ({ kind: 'tool.block_failed', ...ident(n), failure: { code: 'X', message: 'x' } })),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(index, fc.constantFrom('halted' as const, 'duplicate' as const, 'superseded' as const))
          .map(([n, reason]): ToolTurnEvent => ({ kind: 'tool.rejected', ...ident(n), reason })),
      },
      {
        weight: 4,
        arbitrary: fc
          .tuple(
            index,
            fc.constantFrom('block.settled' as const, 'block.asking' as const, 'block.answered' as const, 'block.exclusive' as const),
          )
          .map(([n, kind]) => told(kind, n)),
      },
      { weight: 1, arbitrary: index.map((n): ToolTurnEvent => ({ kind: 'turn.concluded', turnId: 't', dlineTid: `t#${n}` })) },
      { weight: 1, arbitrary: fc.constantFrom('h', 'i').map(stop) },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom('h', 'i', 'j'), fc.array(index)).map(([id, listed]) => halted(id, listed)) },
    )
  }

  test('E-40, E-43: every sequence of events keeps at most `limit` running, starts nothing after a stop, keeps exclusives alone and loses no block', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('parallel' as const, 'exclusive' as const), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom('serial' as const, 'parallel' as const),
        fc.array(turnEvent(6), { maxLength: 40 }),
        (modes, limit, mode, events) => {
          let state = initialToolTurnState
          let dones = 0
          for (const event of [
            created(
              modes.map((m, n) => block(n, m)),
              { limit, mode },
            ),
            ...events,
          ]) {
            const before = state
            const reduction = reduceTools(deepFreeze(state), event)
            state = reduction.state
            if (reduction.refused !== undefined) {
              expect(state).toBe(before)
              continue
            }
            const running = state.blocks.filter((b) => b.state === 'running')
            expect(running.length).toBeLessThanOrEqual(mode === 'serial' ? 1 : limit)
            for (const command of reduction.commands) {
              if (command.kind === 'turn.done') dones += 1
              if (command.kind !== 'run') continue
              expect(state.phase).toBe('running')
              const at = state.blocks.findIndex((b) => b.dlineTid === command.command.dlineTid)
              expect(state.blocks[at]?.state).toBe('running')
              if (state.blocks[at]?.concurrency === 'exclusive') {
                expect(running).toHaveLength(1)
                expect(state.blocks.slice(0, at).every((b) => b.state === 'settled')).toBe(true)
              }
            }
            if (state.phase === 'running') {
              // Somebody can always go on: nothing waits for ever.
              const open = state.blocks.filter((b) => b.state !== 'settled')
              if (open.length > 0) expect(open.some((b) => b.state !== 'waiting')).toBe(true)
            } else expect(state.blocks.some((b) => b.state === 'waiting')).toBe(false)
          }
          expect(state.blocks).toHaveLength(modes.length)
          expect(dones).toBeLessThanOrEqual(1)
          // Whatever is still open is settled by its own outcome, and then the turn is over.
          for (let round = 0; round < 50 && (state.phase === 'running' || state.phase === 'stopping'); round += 1) {
            const before = state
            state.openStops.forEach((id) => {
              state = reduceTools(state, halted(id)).state
            })
            const next = state.blocks.findIndex((b) => b.state === 'running' || b.state === 'asking')
            if (next >= 0) state = reduceTools(state, told('block.settled', next)).state
            if (state === before) break
          }
          expect(['done', 'stopped']).toContain(state.phase)
        },
      ),
      { numRuns: 2000, seed: 7 },
    )
  })
})
