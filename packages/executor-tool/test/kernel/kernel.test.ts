/**
 * Kernel, replay, recovery (E-45 to E-49).
 */
import type { JsonValue } from '@toolseam/core-tools'
import {
  createKernel,
  initialToolTurnState,
  recoverTools,
  reduceTools,
  replay,
  type JournalPort,
  type JournalRecord,
  type ToolTurnCommand,
  type ToolTurnEvent,
  type ToolTurnState,
} from '@toolseam/executor-tool'
import { drainReady } from '@toolseam/executor-tool/testing'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

interface Fake extends JournalPort {
  readonly records: JournalRecord[]
  readonly appends: number[]
  fail: boolean
  gate: Promise<void> | undefined
}

function fakeJournal(): Fake {
  const records: JournalRecord[] = []
  const appends: number[] = []
  const journal: Fake = {
    records,
    appends,
    fail: false,
    gate: undefined,
    async append(entries) {
      await journal.gate
      if (journal.fail) throw new Error('disk full')
      appends.push(entries.length)
      const first = records.length + 1
      for (const entry of entries) records.push({ seq: records.length + 1, at: 0, data: JSON.parse(JSON.stringify(entry)) as JsonValue })
      return { first, last: records.length }
    },
    async *read() {
      yield* records
    },
  }
  return journal
}

type Count =
  | { kind: 'add'; n: number }
  | { kind: 'stop.requested' }
  | { kind: 'refuse' }
  | { kind: 'executor.failed'; command: string; error: object }

function counting(journal?: JournalPort, execute: (command: string) => void = () => {}, maxQueued?: number) {
  const log: string[] = []
  const kernel = createKernel<number, Count, string>({
    reduce(state, event) {
      if (event.kind === 'refuse') return { state, commands: [], refused: { code: 'NO' } }
      log.push(event.kind === 'add' ? `add ${event.n}` : event.kind)
      return event.kind === 'add' ? { state: state + event.n, commands: [`did ${event.n}`] } : { state, commands: ['stopped'] }
    },
    initial: 0,
    execute,
    ...(journal === undefined ? {} : { journal }),
    ...(maxQueued === undefined ? {} : { maxQueued }),
  })
  return { kernel, log }
}

describe('the loop', () => {
  test('E-45: reduce, append, commit, hand over; post resolves after the commit', async () => {
    const journal = fakeJournal()
    const order: string[] = []
    let open: () => void = () => {}
    journal.gate = new Promise((resolve) => void (open = resolve))
    const { kernel } = counting(journal, (command) => void order.push(command))
    const posted = kernel.post({ kind: 'add', n: 2 }).then(() => order.push(`posted, state ${kernel.state}`))
    await drainReady()
    expect([kernel.state, order, journal.records]).toEqual([0, [], []])
    open()
    await posted
    expect(order).toEqual(['did 2', 'posted, state 2'])
    expect(journal.records.map((record) => record.data)).toEqual([{ event: { kind: 'add', n: 2 }, commands: ['did 2'] }])
  })

  test('E-45: neighbours share one append; refused events are answered and not recorded', async () => {
    const journal = fakeJournal()
    const { kernel } = counting(journal)
    const answers = await Promise.all([
      kernel.post({ kind: 'add', n: 1 }),
      kernel.post({ kind: 'refuse' }),
      kernel.post({ kind: 'add', n: 2 }),
    ])
    expect(answers).toEqual([{}, { refused: { code: 'NO' } }, {}])
    expect(journal.appends).toEqual([2])
    expect(kernel.state).toBe(3)
  })

  test('E-45: a stop overtakes 10 000 that wait', async () => {
    const { kernel, log } = counting(fakeJournal())
    const first = kernel.post({ kind: 'add', n: 0 })
    for (let n = 1; n <= 10_000; n += 1) void kernel.post({ kind: 'add', n })
    const stopped = kernel.post({ kind: 'stop.requested' })
    await Promise.all([first, stopped])
    expect(log.indexOf('stop.requested')).toBeLessThanOrEqual(128)
    await kernel.idle()
    expect(log).toHaveLength(10_002)
    expect(log.filter((line) => line.startsWith('add')).map((line) => Number(line.slice(4)))).toEqual(
      Array.from({ length: 10_001 }, (_, n) => n),
    )
  })

  test('E-45: beyond its bound the mailbox is full, for a stop never', async () => {
    const { kernel } = counting(fakeJournal(), undefined, 2)
    const posts = [1, 2, 3].map((n) => kernel.post({ kind: 'add', n }))
    const stop = kernel.post({ kind: 'stop.requested' })
    expect((await Promise.allSettled(posts)).map((outcome) => outcome.status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    await expect(posts[2]).rejects.toMatchObject({ code: 'KERNEL_FULL' })
    await stop
  })

  test('E-46: an append that fails commits nothing, hands nothing over, ends ordinary events; a stop is executed', async () => {
    const journal = fakeJournal()
    const done: string[] = []
    const { kernel } = counting(journal, (command) => void done.push(command))
    await kernel.post({ kind: 'add', n: 1 })
    journal.fail = true
    const failed = kernel.post({ kind: 'add', n: 5 })
    await expect(failed).rejects.toMatchObject({ code: 'KERNEL_FAILED', cause: { message: 'disk full' } })
    expect([kernel.state, done]).toEqual([1, ['did 1']])
    await expect(kernel.post({ kind: 'add', n: 6 })).rejects.toMatchObject({ code: 'KERNEL_FAILED' })
    await kernel.post({ kind: 'stop.requested' })
    expect(done).toEqual(['did 1', 'stopped'])
    expect(journal.records).toHaveLength(1)
  })

  test('E-46: a stop whose own append is the one that fails is executed too, and what waited is rejected', async () => {
    const journal = fakeJournal()
    journal.fail = true
    const done: string[] = []
    const { kernel } = counting(journal, (command) => void done.push(command))
    const waiting = kernel.post({ kind: 'add', n: 1 })
    const stop = kernel.post({ kind: 'stop.requested' })
    await stop
    await expect(waiting).rejects.toMatchObject({ code: 'KERNEL_FAILED' })
    expect(done).toEqual(['stopped'])
  })

  test('E-46: a throwing executor becomes an event', async () => {
    const { kernel, log } = counting(undefined, (command) => {
      if (command === 'did 1') throw Object.assign(new Error('no'), { code: 'MINE' })
    })
    await kernel.post({ kind: 'add', n: 1 })
    await drainReady()
    await kernel.idle()
    expect(log).toEqual(['add 1', 'executor.failed'])
  })

  test('a reducer that throws is a fault of its event alone', async () => {
    const kernel = createKernel<number, number, string>({
      reduce(state, event) {
        if (event < 0) throw new Error('negative')
        return { state: state + event, commands: [] }
      },
      initial: 0,
      execute() {},
    })
    const posts = [kernel.post(1), kernel.post(-1), kernel.post(2)]
    await expect(posts[1]).rejects.toThrow('negative')
    await Promise.all([posts[0], posts[2]])
    expect(kernel.state).toBe(3)
    await kernel.close()
    await expect(kernel.post(1)).rejects.toMatchObject({ code: 'KERNEL_CLOSED' })
  })
})

const turn: ToolTurnEvent[] = [
  {
    kind: 'turn.created',
    turnId: 't',
    mode: 'parallel',
    limit: 3,
    blocks: [
      { dlineTid: 't#0', callId: 'c0', concurrency: 'parallel' },
      { dlineTid: 't#1', callId: 'c1', concurrency: 'parallel', idempotent: true },
      { dlineTid: 't#2', callId: 'c2', concurrency: 'parallel' },
      { dlineTid: 't#3', callId: 'c3', concurrency: 'exclusive' },
    ],
  },
  { kind: 'tool.block_result', commandId: 't#0/1', turnId: 't', dlineTid: 't#0', output: { isError: false, value: 'known', content: [] } },
]

async function recorded(events: readonly ToolTurnEvent[], lane?: string): Promise<{ journal: Fake; state: ToolTurnState }> {
  const journal = fakeJournal()
  const kernel = createKernel<ToolTurnState, ToolTurnEvent, ToolTurnCommand>({
    reduce: reduceTools,
    initial: initialToolTurnState,
    journal,
    execute() {},
    ...(lane === undefined ? {} : { lane }),
  })
  for (const event of events) await kernel.post(event)
  return { journal, state: kernel.state }
}

describe('replay', () => {
  const reducer = { reduce: reduceTools, initial: initialToolTurnState }

  test('E-48: the recorded events give the same state; entries of another kind and of other kernels are passed over', async () => {
    const { journal, state } = await recorded(turn)
    const foreign = [
      { seq: 90, at: 0, data: { kind: 'tool/call', callId: 'c0' } },
      { seq: 91, at: 0, data: { lane: 'subagent', event: { kind: 'nonsense' }, commands: [] } },
      { seq: 92, at: 0, data: 'text' },
    ]
    expect(await replay([...foreign, ...journal.records], reducer)).toEqual({ state, records: 2 })
    const other = await recorded(turn, 'subagent')
    expect(await replay(other.journal.records, { ...reducer, lane: 'subagent' })).toEqual({ state, records: 2 })
    expect((await replay(other.journal.records, reducer)).records).toBe(0)
  })

  test('E-48: a changed reducer is caught at the first difference', async () => {
    const { journal } = await recorded(turn)
    const narrower = (state: ToolTurnState, event: ToolTurnEvent) => {
      const reduction = reduceTools(state, event)
      return event.kind === 'tool.block_result'
        ? { ...reduction, commands: [], state: { ...reduction.state, limit: 1 } }
        : { ...reduction, commands: reduction.commands.slice(1) }
    }
    await expect(replay(journal.records, { ...reducer, reduce: narrower })).rejects.toMatchObject({
      code: 'JOURNAL_NONDETERMINISM',
      seq: 1,
    })
    const refusing = (state: ToolTurnState) => ({ state, commands: [], refused: { code: 'NO' } })
    await expect(replay(journal.records, { ...reducer, reduce: refusing })).rejects.toMatchObject({
      code: 'JOURNAL_NONDETERMINISM',
      seq: 1,
    })
    const tampered = journal.records.map((record) =>
      record.seq === 2
        ? { ...record, data: { ...(record.data as { event: JsonValue }), commands: [{ kind: 'turn.done', turnId: 't' }] } }
        : record,
    )
    await expect(replay(tampered, reducer)).rejects.toMatchObject({ code: 'JOURNAL_NONDETERMINISM', seq: 2 })
  })

  test('I10: whatever is recorded replays to the same state and the same commands', async () => {
    const index = fc.nat(3)
    const event = fc.oneof(
      index.map((n): ToolTurnEvent => ({ kind: 'tool.block_result', commandId: `t#${n}/1`, turnId: 't', dlineTid: `t#${n}`, output: n })),
      fc
        .tuple(
          index,
          fc.constantFrom('block.settled' as const, 'block.asking' as const, 'block.answered' as const, 'block.exclusive' as const),
        )
        .map(([n, kind]): ToolTurnEvent => ({ kind, turnId: 't', dlineTid: `t#${n}` })),
      fc.constantFrom('h', 'i').map((haltId): ToolTurnEvent => ({ kind: 'stop.requested', order: { haltId, reason: 'cancel' } })),
      fc.constantFrom('h', 'i').map((haltId): ToolTurnEvent => ({ kind: 'tool.halted', haltId, reason: 'cancel', discarded: [] })),
      fc.constant<ToolTurnEvent>({ kind: 'turn.left', turnId: 't' }),
      fc.constant(turn[0] as ToolTurnEvent),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (events) => {
        const { journal, state } = await recorded(events)
        expect((await replay(journal.records, reducer)).state).toEqual(JSON.parse(JSON.stringify(state)))
      }),
      { numRuns: 300, seed: 11 },
    )
  })
})

describe('recovery', () => {
  test('E-49: a run on record without outcome is unknown; only what was declared idempotent may be run again, as the next attempt', async () => {
    const { journal } = await recorded(turn)
    const recovery = await recoverTools(journal.records)
    expect(recovery.unknown).toEqual([
      { commandId: 't#1/1', turnId: 't', dlineTid: 't#1' },
      { commandId: 't#2/1', turnId: 't', dlineTid: 't#2' },
    ])
    expect(recovery.rerunnable).toEqual([{ commandId: 't#1/2', turnId: 't', dlineTid: 't#1' }])
    expect(recovery.results.map(({ result }) => (result.isError ? [result.error.code, result.error.details] : result.value))).toEqual([
      'known',
      ['TOOL_ABORTED', { reason: 'crash', outcome: 'unknown' }],
      ['TOOL_ABORTED', { reason: 'crash', outcome: 'unknown' }],
      ['TOOL_ABORTED_BEFORE_DISPATCH', { reason: 'crash' }],
    ])
  })

  test('E-49: a turn that was over, or none at all, leaves nothing unknown', async () => {
    expect(await recoverTools([])).toMatchObject({ unknown: [], rerunnable: [], results: [] })
    const { journal } = await recorded([{ kind: 'turn.created', turnId: 't', mode: 'serial', limit: 1, blocks: [] }])
    expect(await recoverTools(journal.records)).toMatchObject({ state: { phase: 'done' }, unknown: [], results: [] })
  })

  test('E-49: a call that waited for a human was not begun', async () => {
    const { journal } = await recorded([...turn, { kind: 'block.asking', turnId: 't', dlineTid: 't#1' }])
    const recovery = await recoverTools(journal.records)
    expect(recovery.unknown.map((ident) => ident.dlineTid)).toEqual(['t#2'])
    expect(recovery.results[1]?.result).toMatchObject({ error: { code: 'TOOL_ABORTED_BEFORE_DISPATCH' } })
  })
})
