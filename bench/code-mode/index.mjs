/**
 * npm run bench -- code-mode: what a program costs, what its limits hold, and what the same takes elsewhere.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createToolRuntime } from '@toolseam/core-tools'
import { codeMode, createQuickjsRuntime, prepareProgram, renderSdk, resolveLimits } from '@toolseam/code-mode'
import { MEMORY_BOMBS } from '@toolseam/code-mode/testing'
import { median } from '../lib/measure.mjs'
import { report, table } from '../lib/report.mjs'
import { freshWorker, peerRuntime, rawMachine } from './peers.mjs'

const prepared = (text) => {
  const made = prepareProgram(text)
  if (!made.ok) throw new Error(made.error.message)
  return made.program
}

/** Wall time of each of `times` runs, in ms. */
async function timed(times, run) {
  const samples = []
  for (let index = 0; index < times; index += 1) {
    const start = performance.now()
    await run(index)
    samples.push(performance.now() - start)
  }
  return samples
}

const engine = createQuickjsRuntime()
const run = (program, { limits, call = async () => ({ ok: true, value: 1 }) } = {}) =>
  engine.run({ program, call, onConsole: () => undefined, limits: resolveLimits(limits) })

async function warmRuns() {
  const program = prepared('return 1')
  await timed(20, () => run(program))
  // A moment between runs, as between two messages of a model: the machine of the next run is made in it.
  const spaced = []
  for (let index = 0; index < 50; index += 1) {
    await sleep(15)
    spaced.push(...(await timed(1, () => run(program))))
  }
  return { spaced: median(spaced), packed: median(await timed(50, () => run(program))) }
}

async function nestedCalls() {
  const calls = 900
  const runtime = await createToolRuntime({ plugins: [codeMode({ runtime: engine })], mode: 'both' })
  runtime.register({ name: 'one', description: 'Gives one.', input: { type: 'object' }, concurrency: 'parallel', execute: () => 1 })
  runtime.register({
    name: 'from_host',
    description: 'The same calls without a program.',
    input: { type: 'object' },
    async execute(_, context) {
      for (let index = 0; index < calls; index += 1) await context.call('one', {})
      return null
    },
  })
  let count = 0
  const execute = (name, args) => runtime.execute({ callId: `c${(count += 1)}`, name, arguments: args })
  const program = { code: `for (let i = 0; i < ${calls}; i++) await tools.one({})` }
  const inProgram = []
  const onHost = []
  for (let round = 0; round < 9; round += 1) {
    inProgram.push(...(await timed(1, () => execute('run_code', program))))
    onHost.push(...(await timed(1, () => execute('from_host', {}))))
  }
  await runtime.dispose()
  return { program: (median(inProgram) * 1000) / calls, host: (median(onHost) * 1000) / calls }
}

async function parallelCalls() {
  const program = prepared('return (await Promise.all(Array.from({ length: 100 }, () => tools.wait({})))).length')
  const call = async () => {
    await sleep(50)
    return { ok: true, value: 1 }
  }
  return median(await timed(9, () => run(program, { call, limits: { inFlight: 100 } })))
}

async function bombs() {
  const megabyte = 2 ** 20
  const rows = []
  for (const { name, program } of MEMORY_BOMBS) {
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let most = before
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
    const result = await run(prepared(program), { limits: { busyMs: 5000 } })
    clearInterval(watch)
    rows.push({
      name,
      kind: result.ok ? 'value' : result.error.kind,
      grown: (Math.max(most, process.memoryUsage().rss) - before) / megabyte,
    })
  }
  return rows
}

async function largeResult() {
  const program = prepared(
    'return Array.from({ length: 20000 }, (_, id) => ({ id, name: "user-" + id, active: id % 3 === 0, tags: "a,b,c" }))',
  )
  await timed(3, () => run(program))
  return median(await timed(9, () => run(program)))
}

/** The longest time in which the host could not run a timer of 1 ms while a guest looped. */
async function stall() {
  const program = prepared('for (;;) {}')
  let longest = 0
  let last = performance.now()
  const tick = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 1)
  await run(program, { limits: { busyMs: 1500 } })
  clearInterval(tick)
  return longest
}

function sdkText() {
  const tools = Array.from({ length: 200 }, (_, at) => ({
    name: `tool_${at}`,
    description: `Does the thing number ${at} to whatever it is given.`,
    input: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where' },
        tags: { type: 'array', items: { type: 'string' } },
        mode: { enum: ['a', 'b'] },
      },
      required: ['path'],
    },
    output: { type: 'object', properties: { ok: { type: 'boolean' }, size: { type: 'integer' } } },
  }))
  const samples = []
  for (let round = 0; round < 30; round += 1) {
    const start = performance.now()
    renderSdk(tools)
    samples.push(performance.now() - start)
  }
  return { first: samples[0] ?? 0, warm: median(samples) }
}

const sdk = sdkText()
const warm = await warmRuns()
const raw = median(await rawMachine(50))
const thread = median(await freshWorker(50))
const peer = await peerRuntime(30)
const nested = await nestedCalls()
const parallel = await parallelCalls()
const large = await largeResult()
const stalled = await stall()
const bombRows = await bombs()
await engine.dispose()

const worst = Math.max(...bombRows.map(({ grown }) => grown))
const peerCell = peer.samples === undefined ? `did not run here: ${peer.reason}` : `${median(peer.samples).toFixed(1)} ms`
report('code-mode', {
  title: 'Programs',
  command: 'npm run bench -- code-mode',
  packages: ['@toolseam/core-tools', '@toolseam/code-mode', 'quickjs-wasi', '@deepseek-ai/dsh-code-runtime-worker-thread'],
  body: [
    table(
      ['`return 1`', 'wall'],
      [
        ['ours, warm, a moment between runs', `${warm.spaced.toFixed(2)} ms`],
        ['ours, warm, one run right after the other', `${warm.packed.toFixed(2)} ms`],
        ['quickjs-wasi alone in this thread: new machine, run, dispose', `${raw.toFixed(2)} ms`],
        ['a bare new worker thread that answers once', `${thread.toFixed(2)} ms`],
        ['@deepseek-ai/dsh-code-runtime-worker-thread', peerCell],
      ],
    ),
    '',
    table(
      ['memory bomb, limit 64 MB', 'ended as', 'host grew by, MB'],
      bombRows.map(({ name, kind, grown }) => [name, kind, grown.toFixed(0)]),
    ),
    '',
    '## Targets',
    '',
    table(
      ['what', 'target', 'measured'],
      [
        ['warm run of `return 1`, ms', '<= 3', warm.spaced.toFixed(2)],
        [
          'the same, share of a fresh worker',
          '<= 1/5',
          `${(warm.spaced / (peer.samples === undefined ? thread : median(peer.samples))).toFixed(2)}`,
        ],
        ['nested call above the pipeline, µs', '<= 100', (nested.program - nested.host).toFixed(0)],
        ['100 calls of 50 ms, 100 in flight, ms', '<= 150', parallel.toFixed(0)],
        ['memory bombs, host grew at most by, MB', '<= 200', worst.toFixed(0)],
        ['result of 1.3 MB, ms', '<= 200', large.toFixed(0)],
        ['host stall while a guest loops, ms', '<= 50', stalled.toFixed(1)],
        ['SDK text of 200 tools, ms (first, warm)', '<= 20', `${sdk.first.toFixed(1)}, ${sdk.warm.toFixed(1)}`],
      ],
    ),
  ].join('\n'),
  notes: [
    'Wall time, medians; on a machine that does other work at the same time they rise.',
    `A nested call in a program took ${nested.program.toFixed(0)} µs, the same call from a tool on the host ${nested.host.toFixed(0)} µs.`,
    'Where the peer does not load, the share is of the bare worker thread, which does less than the peer.',
  ],
})
