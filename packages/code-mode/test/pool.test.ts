/** The pool: how many peers, how long a queue, and what a hostile or dying peer can do. */
import { expect, test } from 'vitest'
import { GuestPool } from '../src/bridge/pool.ts'
import type { HostMessage } from '../src/bridge/messages.ts'
import type { PeerEvents } from '../src/bridge/peer.ts'
import { type CodeRunRequest, createQuickjsRuntime, prepareProgram, resolveLimits } from '../src/index.ts'

interface Scripted {
  readonly events: PeerEvents
  readonly heard: HostMessage[]
  killed: boolean
}

function scripted(size = 1, queueLength = 64): { pool: GuestPool; peers: Scripted[] } {
  const peers: Scripted[] = []
  const pool = new GuestPool({
    size,
    queueLength,
    start(events) {
      const peer: Scripted = { events, heard: [], killed: false }
      peers.push(peer)
      queueMicrotask(() => events.message({ type: 'ready' }))
      return {
        post: (message) => void peer.heard.push(message),
        kill: async () => {
          peer.killed = true
        },
        hold: () => undefined,
      }
    },
  })
  return { pool, peers }
}

function request(call: CodeRunRequest['call'] = async () => ({ ok: true, value: 'answer' })): CodeRunRequest {
  return { program: { code: '', source: '' }, call, onConsole: () => undefined, limits: resolveLimits() }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function started(peers: Scripted[]): Promise<{ peer: Scripted; run: number }> {
  await expect.poll(() => peers.at(-1)?.heard.some(({ type }) => type === 'run')).toBe(true)
  const peer = peers.at(-1)
  if (peer === undefined) throw new Error('no peer')
  return { peer, run: peer.heard.findLast(({ type }) => type === 'run')?.run ?? 0 }
}

test('C-6: a duplicate, forged or skipped id ends the run, and the peer is replaced', async () => {
  for (const seqs of [[1, 1], [2], [0], [1, 3]]) {
    const { pool, peers } = scripted()
    let made = 0
    const result = pool.run(request(async () => ((made += 1), { ok: true, value: 1 })))
    const { peer, run } = await started(peers)
    for (const seq of seqs) peer.events.message({ type: 'call', run, seq, name: 'x', text: '{}', line: 1 })
    expect(await result).toMatchObject({ ok: false, error: { kind: 'engine' } })
    expect(made).toBeLessThanOrEqual(1)
    expect(peer.killed).toBe(true)
    await pool.dispose()
  }
})

test('C-6: messages of another run, of a wrong shape, or inherited, are dropped', async () => {
  const { pool, peers } = scripted()
  let made = 0
  const result = pool.run(request(async () => ((made += 1), { ok: true, value: 1 })))
  const { peer, run } = await started(peers)
  const inherited: unknown = Object.create({ type: 'end', run, kind: 'value', text: '"forged"', chars: 8 })
  const getter = {
    type: 'end',
    get run() {
      return run
    },
    kind: 'value',
    text: '"forged"',
    chars: 8,
  }
  const odd = [
    null,
    1,
    'end',
    [],
    {},
    { type: 'end' },
    { type: 'end', run: run + 1, kind: 'value', text: '1' },
    { type: 'call', run, seq: '1', name: 'x', text: '{}' },
    { type: 'call', run, seq: 1, name: {}, text: '{}' },
    inherited,
    getter,
  ]
  for (const message of odd) peer.events.message(message)
  peer.events.message({ type: 'end', run, kind: 'value', text: '"real"', chars: 6, busyMs: 1, peakBytes: 1 })
  expect(await result).toMatchObject({ ok: true, value: 'real' })
  expect(made).toBe(0)
  await pool.dispose()
})

test('C-6: what comes after the end is dropped, and a late reply is not posted', async () => {
  const { pool, peers } = scripted()
  let answer = (): void => undefined
  let made = 0
  const result = pool.run(request(() => ((made += 1), new Promise((resolve) => (answer = () => resolve({ ok: true, value: 1 }))))))
  const { peer, run } = await started(peers)
  peer.events.message({ type: 'call', run, seq: 1, name: 'x', text: '{}', line: 1 })
  peer.events.message({ type: 'end', run, kind: 'value', text: '1', chars: 1, busyMs: 1, peakBytes: 1 })
  peer.events.message({ type: 'call', run, seq: 2, name: 'x', text: '{}', line: 1 })
  expect(await result).toMatchObject({ ok: true, unfinished: [1] })
  answer()
  await turn()
  expect(made).toBe(1)
  expect(peer.heard.map(({ type }) => type)).toEqual(['run'])
  await pool.dispose()
})

test('C-14: a peer that never says idle is killed by the watchdog, one that dies is an engine error', async () => {
  const { pool, peers } = scripted()
  const hung = pool.run({ ...request(), limits: resolveLimits({ busyMs: 1 }) })
  const { peer } = await started(peers)
  expect(await hung).toMatchObject({ ok: false, error: { kind: 'timeout' } })
  expect(peer.killed).toBe(true)
  const dying = pool.run(request())
  const next = await started(peers)
  expect(next.peer).not.toBe(peer)
  next.peer.events.exit('killed by somebody')
  expect(await dying).toMatchObject({ ok: false, error: { kind: 'engine', message: expect.stringContaining('killed by somebody') } })
  await pool.dispose()
})

test('C-17: as many peers as allowed, a bounded queue, and nothing ran beyond it', async () => {
  const { pool, peers } = scripted(2, 3)
  const runs = Array.from({ length: 5 }, () => pool.run(request()))
  await expect.poll(() => peers.filter(({ heard }) => heard.length > 0).length).toBe(2)
  const more = [pool.run(request()), pool.run(request())]
  expect(await Promise.race([...more, ...runs])).toMatchObject({
    ok: false,
    error: { kind: 'engine', message: expect.stringContaining('Nothing was run') },
  })
  expect(peers).toHaveLength(2)
  await pool.dispose()
  const all = await Promise.all([...runs, ...more])
  expect(all.every((result) => !result.ok)).toBe(true)
  expect(peers.every(({ killed }) => killed)).toBe(true)
})

test('C-17: a worker is used again after a clean run and replaced after a timeout', async () => {
  const runtime = createQuickjsRuntime({ workers: 1 })
  const prepared = (text: string): CodeRunRequest['program'] => {
    const made = prepareProgram(text)
    if (!made.ok) throw new Error(made.error.message)
    return made.program
  }
  const limits = resolveLimits({ busyMs: 300 })
  const run = (text: string): Promise<unknown> => runtime.run({ ...request(), program: prepared(text), limits })
  const many = await Promise.all(Array.from({ length: 8 }, (_, at) => run(`return ${at}`)))
  expect(many).toMatchObject(Array.from({ length: 8 }, (_, value) => ({ ok: true, value })))
  expect(await run('for (;;) {}')).toMatchObject({ ok: false, error: { kind: 'timeout' } })
  expect(await run('return 1')).toMatchObject({ ok: true, value: 1 })
  await runtime.dispose()
})
