/**
 * Ending trees over a fake process table and a virtual clock: ids are given out again, groups of zombies, what cannot be killed.
 */
import { expect, test } from 'vitest'
import { virtualClock, type VirtualClock } from '../memory/virtual-clock.ts'
import type { ProcessEntry, ProcessTable } from './process-table.ts'
import { processTree, type ProcessTree } from './tree.ts'

interface FakeProcess extends ProcessEntry {
  marker?: string
  ignores?: string[]
}

interface Fake {
  processes: Map<number, FakeProcess>
  signals: [number, string][]
  tree: ProcessTree
  clock: VirtualClock
  reaped: { value: boolean }
}

const ROOT = 100

function fake(entries: Partial<FakeProcess>[]): Fake {
  const processes = new Map<number, FakeProcess>()
  for (const entry of entries) {
    const pid = entry.pid ?? ROOT
    processes.set(pid, { group: ROOT, session: ROOT, startTime: '1', zombie: false, ...entry, pid })
  }
  const signals: [number, string][] = []
  const reaped = { value: false }
  const end = (target: FakeProcess): void => {
    processes.delete(target.pid)
    if (target.pid === ROOT && target.startTime === '1') reaped.value = true
  }
  const table: ProcessTable = {
    searchable: true,
    entry: (pid) => processes.get(pid),
    pids: (after = 0) => [...processes.keys()].filter((pid) => pid > after),
    marker: (pid) => processes.get(pid)?.marker,
    argv: (pid) => `process ${pid}`,
    signal: (pid, name) => {
      const targets = [...processes.values()].filter((one) => (pid < 0 ? one.group === -pid : one.pid === pid))
      if (name === 0) return targets.length > 0
      signals.push([pid, name])
      for (const target of targets)
        if (!target.zombie && (name === 'SIGKILL' || name === 'SIGTERM') && target.ignores?.includes(name) !== true) end(target)
      return targets.length > 0
    },
  }
  const clock = virtualClock()
  const tree = processTree({ pid: ROOT, marker: 'mine', reaped: () => reaped.value }, { table, clock, yieldLoop: async () => {} })
  return { processes, signals, tree, clock, reaped }
}

async function killed({ tree, clock }: Fake, graceMs = 2_000): Promise<{ report: { stuck: number[] }; tookMs: number }> {
  const began = clock.now()
  let tookMs = 0
  const report = tree.kill({ graceMs }).then((value) => {
    tookMs = clock.now() - began
    return value
  })
  await clock.advance(graceMs + 2_000)
  return { report: await report, tookMs }
}

test('S-22: what obeys TERM gets no KILL, and no grace is waited out', async () => {
  const state = fake([{}, { pid: 101 }])
  const { report, tookMs } = await killed(state)
  expect(report).toEqual({ stuck: [] })
  expect(state.signals).toEqual([[-ROOT, 'SIGTERM']])
  expect(tookMs).toBeLessThan(200)
})

test('S-22: what ignores TERM is killed after the grace, outside the group too', async () => {
  const state = fake([
    { ignores: ['SIGTERM'] },
    { pid: 105, group: 105, session: 105, marker: 'mine', ignores: ['SIGTERM'] },
    { pid: 106, group: 106, session: 106, marker: 'other' },
  ])
  const { report, tookMs } = await killed(state)
  expect(report).toEqual({ stuck: [] })
  expect(tookMs).toBeGreaterThanOrEqual(2_000)
  expect(tookMs).toBeLessThanOrEqual(2_500)
  expect([...state.processes.keys()]).toEqual([106])
  expect(state.signals.filter(([pid]) => Math.abs(pid) === 106)).toEqual([])
})

test('S-22: an id that was given out again is never signalled', async () => {
  const state = fake([{ pid: 105, group: 105, session: 105, marker: 'mine', ignores: ['SIGTERM'] }])
  state.reaped.value = true
  const running = state.tree.kill({ graceMs: 1_000 })
  await state.clock.advance(500)
  // The survivor is gone, and a stranger has its id.
  state.processes.set(105, { pid: 105, group: 105, session: 105, startTime: '2', zombie: false, marker: 'other' })
  await state.clock.advance(5_000)
  expect(await running).toEqual({ stuck: [] })
  expect(state.signals.filter(([, name]) => name === 'SIGKILL')).toEqual([])
  expect(state.processes.get(105)?.startTime).toBe('2')
})

test('S-22: a group id is never signalled after its end was seen, nor when its number is a new process', async () => {
  const state = fake([])
  state.reaped.value = true
  state.processes.set(ROOT, { pid: ROOT, group: ROOT, session: ROOT, startTime: '9', zombie: false })
  expect(state.tree.signalGroup('SIGKILL')).toBe(false)
  expect((await killed(state)).report).toEqual({ stuck: [] })
  state.processes.delete(ROOT)
  state.processes.set(300, { pid: 300, group: ROOT, session: 300, startTime: '9', zombie: false })
  expect(state.tree.signalGroup('SIGKILL')).toBe(false)
  expect(state.signals).toEqual([])
})

test('S-22: a group of zombies has ended', async () => {
  const state = fake([{ pid: 101, zombie: true }])
  state.reaped.value = true
  const { report, tookMs } = await killed(state)
  expect(report).toEqual({ stuck: [] })
  expect(tookMs).toBeLessThan(100)
  expect(await state.tree.survivors()).toEqual([])
})

test('S-23: what outlives its KILL is told after half a second', async () => {
  const state = fake([{}, { pid: 107, ignores: ['SIGTERM', 'SIGKILL'] }])
  const { report, tookMs } = await killed(state)
  expect(report).toEqual({ stuck: [107] })
  expect(tookMs).toBeLessThanOrEqual(2_000 + 600)
})

test('S-42: a deadline that fires skips the rest of the grace', async () => {
  const state = fake([{ ignores: ['SIGTERM'] }])
  const deadline = new AbortController()
  const running = state.tree.kill({ graceMs: 60_000, deadline: deadline.signal })
  await state.clock.advance(100)
  deadline.abort()
  await state.clock.advance(1_000)
  expect(await running).toEqual({ stuck: [] })
})

test('S-21: survivors are those of the group, the session or the marker; the command line is cut', async () => {
  const state = fake([
    { pid: 101 },
    { pid: 102, group: 102 },
    { pid: 103, group: 103, session: 103, marker: 'mine' },
    { pid: 104, group: 104, session: 104 },
  ])
  state.reaped.value = true
  expect((await state.tree.survivors()).map(({ pid }) => pid)).toEqual([101, 102, 103])
})

test('section 2: the exit of the host ends all at once, without waiting', () => {
  const state = fake([{}, { pid: 103, group: 103, session: 103, marker: 'mine' }])
  state.tree.killNow()
  expect(state.processes.size).toBe(0)
})
