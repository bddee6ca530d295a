/** The scripts behind `npm start` and `npm test`: version gate, lock, counts. */
import { spawn } from 'node:child_process'
import { mkdtempSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import CountsReporter from '../counts-reporter.mjs'
import { countsLine } from '../lib/counts.mjs'
import { withLock } from '../lib/lock.mjs'
import { nodeIsOldEnough } from '../lib/node-version.mjs'

const fast = { staleMs: 20_000, pollMs: 5, onWait: (): void => {} }
let folder: string
let lock: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolseam-door-'))
  lock = join(folder, 'prepare.lock')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['v20.19.0', true],
  ['v20.20.2', true],
  ['v26.0.0', true],
  ['v20.18.3', false],
  ['v18.20.0', false],
])('door: Node %s is new enough: %s', (version, expected) => {
  expect(nodeIsOldEnough(version)).toBe(expected)
})

test('door: an unknown job is a usage error that names the jobs', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../run.mjs'), 'strat'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const status = await new Promise((resolve) => child.on('close', resolve))
  expect(status).toBe(2)
  expect(text).toContain('start, test, bench')
})

test('lock: holders never overlap and all get their turn', async () => {
  let inside = 0
  let most = 0
  const turns = Array.from({ length: 8 }, () =>
    withLock(lock, fast, async () => {
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setTimeout(resolve, 5))
      inside -= 1
    }),
  )
  await Promise.all(turns)
  expect(most).toBe(1)
  expect(existsSync(lock)).toBe(false)
})

test('lock: one whose owner is dead is taken over', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => child.on('close', resolve))
  writeFileSync(lock, JSON.stringify({ pid: child.pid, host: hostname() }))
  expect(await withLock(lock, fast, async () => 'done')).toBe('done')
})

test('lock: one of another machine is taken over once it is no longer refreshed', async () => {
  writeFileSync(lock, JSON.stringify({ pid: 1, host: 'elsewhere.invalid' }))
  const long = new Date(Date.now() - 60_000)
  utimesSync(lock, long, long)
  expect(await withLock(lock, fast, async () => 'done')).toBe('done')
})

test('lock: it is released when the work fails', async () => {
  await expect(withLock(lock, fast, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(existsSync(lock)).toBe(false)
})

test('counts: tests by state, a file that does not load and unhandled errors are failures', () => {
  const modules = [moduleOf('failed', ['passed', 'failed', 'skipped', 'pending']), moduleOf('failed', []), moduleOf('passed', ['passed'])]
  const file = join(folder, 'counts.json')
  const before = process.env['TOOLSEAM_COUNTS_FILE']
  process.env['TOOLSEAM_COUNTS_FILE'] = file
  try {
    new CountsReporter().onTestRunEnd(modules, [new Error('unhandled')])
  } finally {
    if (before === undefined) delete process.env['TOOLSEAM_COUNTS_FILE']
    else process.env['TOOLSEAM_COUNTS_FILE'] = before
  }
  const counts = JSON.parse(readFileSync(file, 'utf8')) as { passed: number; failed: number; skipped: number }
  expect(countsLine(counts)).toBe('2 passed, 3 failed, 2 skipped')
})

/** The few things of a vitest module that the reporter reads. */
function moduleOf(state: string, tests: readonly string[]): never {
  const children = { allTests: () => tests.map((result) => ({ result: () => ({ state: result }) })) }
  return { state: () => state, children } as never
}
