/**
 * Side-by-side measurement: all subjects in one process, interleaved over rounds, CPU time per call, the median of rounds.
 */

/** @typedef {{ name: string, run: () => unknown, calls?: number }} Subject */

/** CPU time of this process per call, in microseconds. */
async function cpuPerCall(run, calls) {
  const before = process.cpuUsage()
  for (let index = 0; index < calls; index += 1) await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

/** How many calls fill about `ms` of CPU time. Counted in CPU time and after a warm-up, so that a busy machine does not shrink the rounds to cold code. */
async function calibrate(run, ms) {
  const warm = await cpuPerCall(run, 200)
  const calls = Math.max(warm < 100 ? 20_000 : 200, 1)
  await cpuPerCall(run, calls)
  const each = await cpuPerCall(run, Math.max(200, Math.round(calls / 10)))
  return Math.max(50, Math.round((ms * 1000) / each))
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * Every round runs every subject once, in turning order, so that a slow second of the machine meets all of them.
 * @param {Subject[]} subjects
 * @param {{ rounds?: number, roundMs?: number }} [options]
 */
export async function measure(subjects, { rounds = 9, roundMs = 150 } = {}) {
  const sized = []
  for (const subject of subjects) sized.push({ ...subject, calls: await calibrate(subject.run, roundMs), samples: [] })
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < sized.length; index += 1) {
      const subject = sized[(index + round) % sized.length]
      // A full collection throws compiled code away with the shapes it was compiled for; what others caused is warmed up again first.
      await cpuPerCall(subject.run, Math.ceil(subject.calls / 4))
      subject.samples.push(await cpuPerCall(subject.run, subject.calls))
    }
  }
  return sized.map(({ name, samples, calls }) => ({
    name,
    calls,
    us: median(samples),
    least: Math.min(...samples),
    most: Math.max(...samples),
  }))
}
