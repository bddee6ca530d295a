/**
 * npm run bench -- shell: starting, streaming, ending and classifying, beside plain Node, in one run.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToolRuntime } from '@toolseam/core-tools'
import { classify, Shell, shell } from '@toolseam/shell'
import { median } from '../lib/measure.mjs'
import { report, table } from '../lib/report.mjs'
import { alive, importMs, interleaved, LONG, rawSpawn, TREES, TYPICAL, watched } from './subjects.mjs'

const GIB = 2 ** 30
const GRACE_MS = 500
const root = mkdtempSync(join(tmpdir(), 'bench-shell-'))
const runtime = await createToolRuntime({ plugins: [shell({ root, limits: { graceMs: GRACE_MS, jobs: 64 } })] })
const service = runtime.services.require(Shell)
let calls = 0
const tool = (args) => runtime.execute({ callId: `b${(calls += 1)}`, name: 'bash', arguments: args })
const signal = new AbortController().signal
const direct = (command) => service.run(service.resolve({ command }), { signal })

const start = await startCost()
const stream = await streaming()
const kill = await killing()
const verdicts = classifying()
const five = (run) => median(Array.from({ length: 5 }, run))
const imports = { whole: five(() => importMs('@toolseam/shell')), own: five(() => importMs('@toolseam/shell', '@toolseam/core-tools')) }
await runtime.dispose()
rmSync(root, { recursive: true, force: true })
write()
process.exit(0)

async function startCost() {
  const subjects = [
    { name: 'raw detached spawn', run: () => rawSpawn('true') },
    { name: 'Shell.run', run: () => direct('true') },
    { name: 'bash tool', run: () => tool({ command: 'true' }) },
  ]
  await interleaved(subjects, 20)
  const samples = await interleaved(subjects, 150)
  return Object.fromEntries([...samples].map(([name, ms]) => [name, median(ms)]))
}

async function streaming() {
  const command = `head -c ${GIB} /dev/zero | tr '\\0' 'y'`
  const rounds = []
  await direct(command)
  for (let round = 0; round < 3; round += 1) {
    const raw = await watched(() => rawSpawn(command))
    const ours = await watched(() => direct(command))
    if (raw.value !== GIB || ours.value.totalBytes !== GIB) throw new Error('bytes were lost')
    rounds.push({ raw, ours })
  }
  const of = (side, field) => median(rounds.map((round) => round[side][field]))
  return {
    rawMs: of('raw', 'ms'),
    oursMs: of('ours', 'ms'),
    rssMiB: Math.max(...rounds.map(({ ours }) => ours.rssMiB)),
    lag: of('ours', 'lag'),
    rawLag: of('raw', 'lag'),
  }
}

async function killing() {
  const rows = []
  for (const [name, command] of Object.entries(TREES)) {
    const times = []
    let left = 0
    for (let round = 0; round < 5; round += 1) {
      const sleep = `sleep 7${process.pid}.${rows.length}${round}`
      const running = await service.start(service.resolve({ command: command(sleep) }))
      while (alive(sleep) < 2) await new Promise((resolve) => setTimeout(resolve, 5))
      const began = performance.now()
      await running.terminate('kill')
      times.push(performance.now() - began)
      left += alive(sleep)
    }
    rows.push({ name, ms: median(times), most: Math.max(...times), left })
  }
  return rows
}

function classifying() {
  const cost = (texts, rounds) => {
    for (let round = 0; round < rounds; round += 1) for (const text of texts) classify(text, { cwd: '/w' })
    const samples = []
    for (let sample = 0; sample < 9; sample += 1) {
      const began = performance.now()
      for (let round = 0; round < rounds; round += 1) for (const text of texts) classify(text, { cwd: '/w' })
      samples.push((performance.now() - began) / rounds / texts.length)
    }
    return median(samples)
  }
  return { typical: cost(TYPICAL, 300), long: Object.entries(LONG).map(([name, text]) => ({ name, ms: cost([text], 30) })) }
}

function write() {
  const raw = start['raw detached spawn']
  const worst = verdicts.long.reduce((most, { ms }) => Math.max(most, ms), 0)
  const slowest = kill.reduce((most, row) => Math.max(most, row.most), 0)
  const targets = [
    ['`bash true` through the tool / raw detached spawn', '<= 1.35x', `${(start['bash tool'] / raw).toFixed(2)}x`],
    ['1 GiB of text, speed to a discarding reader', '>= 0.65x', `${(stream.rawMs / stream.oursMs).toFixed(2)}x`],
    ['1 GiB of text, growth of RSS', '<= 64 MiB', `${stream.rssMiB.toFixed(0)} MiB`],
    ['1 GiB of text, loop lag', '<= 50 ms', `${stream.lag.toFixed(0)} ms`],
    ['kill of any tree, slowest', `<= ${GRACE_MS} + 500 ms`, `${slowest.toFixed(0)} ms`],
    ['kill of any tree, processes left', '0', String(kill.reduce((sum, { left }) => sum + left, 0))],
    ['classify, typical', '<= 0.1 ms', `${verdicts.typical.toFixed(3)} ms`],
    ['classify, 9 KB, slowest', '<= 5 ms', `${worst.toFixed(2)} ms`],
    ['import, with core-tools loaded', '<= 40 ms', `${imports.own.toFixed(0)} ms`],
    ['import, core-tools included', '', `${imports.whole.toFixed(0)} ms`],
  ]
  report('shell', {
    title: 'Processes and the bash tool',
    command: 'npm run bench -- shell',
    packages: ['@toolseam/shell', '@toolseam/core-tools'],
    body: [
      table(['what', 'target', 'measured'], targets),
      '', '## `bash true`', '',
      table(['subject', 'ms (median)', 'to raw'], Object.entries(start).map(([name, ms]) => [name, ms.toFixed(2), `${(ms / raw).toFixed(2)}x`])),
      '', '## 1 GiB', '',
      table(['reader', 'ms (median)', 'loop lag, ms'], [['discards', stream.rawMs.toFixed(0), stream.rawLag.toFixed(0)], ['Shell.run, spill to its cap', stream.oursMs.toFixed(0), stream.lag.toFixed(0)]]),
      '', `## Ending, grace ${GRACE_MS} ms`, '',
      table(['tree', 'ms (median)', 'slowest', 'left'], kill.map(({ name, ms, most, left }) => [name, ms.toFixed(0), most.toFixed(0), String(left)])),
      '', '## classify', '',
      table(['text', 'ms (median)'], [['seven typical commands, each', verdicts.typical.toFixed(3)], ...verdicts.long.map(({ name, ms }) => [name, ms.toFixed(2)])]),
    ].join('\n'),
    notes: [
      `Load average when it ended: ${loadavg()[0].toFixed(1)}. Above the number of cores the figures are those of a busy machine.`,
      'Wall time; all subjects of a table in one process, interleaved where they are compared.',
      'The raw spawn uses a process group of its own and Node pipes, reads to the end, and keeps nothing.',
      'Ballast of the host and the sandbox are measured once the helper process and the runners are there.',
    ],
  })
} // prettier-ignore
