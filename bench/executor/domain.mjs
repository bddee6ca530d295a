/**
 * Costs of the domain and of the driver above the pipeline.
 */
import { createToolRuntime, deniedSurface } from '@toolseam/core-tools'
import { createAdmissions, createToolDomainRunner, createToolExecutionDomain, ToolExecutor, toolExecutor } from '@toolseam/executor-tool'
import { median } from '../lib/measure.mjs'

const nothingOwned = { revertDiff: async () => {}, cancelCommand: async () => {} }
const ROUNDS = 7

function bareDomain() {
  const admissions = createAdmissions()
  const domain = createToolExecutionDomain({
    runner: createToolDomainRunner({ resources: nothingOwned, admissions }),
    surface: deniedSurface('bench'),
  })
  return { admissions, domain }
}

async function cpu(run) {
  globalThis.gc?.()
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Handles `count` commands and waits for their outcomes. */
function runAll({ admissions, domain }, count, prefix) {
  return new Promise((resolve) => {
    let left = count
    const off = domain.subscribe(() => {
      left -= 1
      if (left > 0) return
      off()
      resolve()
    })
    for (let n = 0; n < count; n += 1) {
      const id = `${prefix}${n}`
      admissions.put(id, { run: () => n })
      domain.handle({ commandId: id, dlineTid: id })
    }
  })
}

async function handleAndHalt(count) {
  const { admissions, domain } = bareDomain()
  const hanging = new Promise(() => {})
  for (let n = 0; n < count; n += 1) {
    const id = `h${n}`
    admissions.put(id, { run: ({ signal }) => (signal.aborted ? n : hanging) })
    domain.handle({ commandId: id, dlineTid: id })
  }
  await domain.halt({ haltId: 'all', reason: 'cancel' })
}

/** µs CPU a call, interleaved so that a slow second of the machine meets all of them. */
export async function commandCost(count) {
  const runtime = await createToolRuntime({ plugins: [toolExecutor()], maxParallel: 64 })
  runtime.register({ name: 'noop', description: 'Does nothing.', input: { type: 'object' }, concurrency: 'parallel', execute: () => null })
  const { driver } = runtime.services.require(ToolExecutor)
  const bare = bareDomain()
  const TURN = 50
  const calls = Array.from({ length: TURN }, (_, n) => ({ callId: `c${n}`, name: 'noop', arguments: {} }))
  let turn = 0
  const subjects = {
    pipeline: async () => {
      for (let n = 0; n < count; n += TURN) await runtime.executeAll(calls)
    },
    driver: async () => {
      for (let n = 0; n < count; n += TURN) await driver.execute({ turnId: `t${(turn += 1)}`, calls })
    },
    domain: () => runAll(bare, count, `r${(turn += 1)}-`),
    half: () => runAll(bare, count / 2, `r${(turn += 1)}-`),
    halted: () => handleAndHalt(count),
  }
  const samples = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]))
  for (const run of Object.values(subjects)) await run()
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(subjects)) samples[name].push((await cpu(run)) / (name === 'half' ? count / 2 : count))
  }
  await runtime.dispose()
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]))
}

/** Milliseconds from the order to the receipt of a stop with nothing to stop. */
export async function idleHalt(times) {
  const { domain } = bareDomain()
  const took = []
  for (let n = 0; n < times; n += 1) {
    const start = performance.now()
    await domain.halt({ haltId: `h${n}`, reason: 'cancel' })
    took.push(performance.now() - start)
    domain.rearm()
  }
  // The first ones are compiled while they are measured.
  const warm = took.slice(20)
  return { median: median(warm), worst: Math.max(...warm) }
}

/** Megabytes that `count` commands leave behind. */
export async function memoryGrowth(count) {
  const bare = bareDomain()
  const BATCH = 10_000
  const heap = () => {
    globalThis.gc?.()
    return process.memoryUsage().heapUsed
  }
  await runAll(bare, BATCH, 'w1-')
  await runAll(bare, BATCH, 'w2-')
  const before = heap()
  for (let done = 0; done < count; done += BATCH) await runAll(bare, BATCH, `m${done}-`)
  return (heap() - before) / 2 ** 20
}
