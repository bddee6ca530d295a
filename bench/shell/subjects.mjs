/**
 * What bench/shell measures, each beside the plainest way to do the same with Node alone.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** A detached child over Node's own pipes, read and thrown away. */
export function rawSpawn(command) {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-c', command], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let bytes = 0
    child.stdout.on('data', (chunk) => (bytes += chunk.length))
    child.stderr.resume()
    child.on('error', reject)
    child.on('close', () => resolve(bytes))
  })
}

/** Wall time of each subject in ms, all subjects in every round, in turning order. */
export async function interleaved(subjects, rounds) {
  const samples = new Map(subjects.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < subjects.length; index += 1) {
      const { name, run } = subjects[(index + round) % subjects.length]
      const began = performance.now()
      await run()
      samples.get(name).push(performance.now() - began)
    }
  }
  return samples
}

/** Runs a job while watching the loop and the memory. */
export async function watched(job) {
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let peak = before
  let lag = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    lag = Math.max(lag, now - last - 10)
    last = now
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 10)
  const began = performance.now()
  const value = await job()
  const ms = performance.now() - began
  clearInterval(timer)
  return { value, ms, lag, rssMiB: (Math.max(peak, process.memoryUsage().rss) - before) / 2 ** 20 }
}

/** Trees that are hard to end. `sleep` is found by its number. */
export const TREES = {
  plain: (sleep) => `${sleep} & ${sleep}`,
  'TERM ignored': (sleep) => `trap "" TERM; ${sleep} & ${sleep}`,
  setsid: (sleep) => `setsid ${sleep} & ${sleep}`,
  'double fork': (sleep) => `( ( setsid ${sleep} </dev/null >/dev/null 2>&1 & ) & ); ${sleep}`,
  'setsid, TERM ignored': (sleep) => `setsid bash -c 'trap "" TERM; ${sleep}; :' & ${sleep}`,
}

export function alive(text) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text) &&
          !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
        )
      } catch {
        return false
      }
    }).length
}

/** ms that a fresh Node needs for the import, where `before` is loaded already. */
export function importMs(name, before) {
  const url = (each) =>
    pathToFileURL(createRequire(import.meta.url).resolve(`${each}/package.json`)).href.replace('package.json', 'dist/index.js')
  const first = before === undefined ? '' : `await import(${JSON.stringify(url(before))});`
  const code = `${first} const began = performance.now(); await import(${JSON.stringify(url(name))}); console.log(performance.now() - began)`
  return Number(spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).stdout)
}

export const TYPICAL = [
  'ls -la src',
  'git status --short && git diff --stat',
  'grep -rn "TODO" --include="*.ts" packages | head -50',
  'cd packages/core && npm test 2>&1 | tail -40',
  'find . -name "*.ts" -not -path "*/node_modules/*" | xargs wc -l | sort -n',
  'for f in a b c; do echo "$f"; done',
  'rm -rf dist && mkdir -p dist/out > /dev/null 2>&1 || echo failed',
]

export const LONG = {
  'pipelines, 9 KB': 'grep -n "foo" src/a.ts | wc -l; '.repeat(282).slice(0, -2),
  'words, 9 KB': `cat ${'file.txt '.repeat(1_000)}`,
  'substitutions, 9 KB': `echo ${'$(ls -la "$x") '.repeat(600)}`,
  'one heredoc, 9 KB': `cat <<'EOF'\n${'some text of a file\n'.repeat(450)}EOF`,
}
