/**
 * Every line the model may read, pinned (S-52).
 */
import { describe, expect, test } from 'vitest'
import { SHELL_ERROR_CODES } from '../definition/errors.ts'
import { renderBash, renderJob } from './render.ts'
import { renderError, renderNote } from './render-notes.ts'
import type { BashResult, JobValue } from './values.ts'

const quiet: BashResult = {
  state: 'exited',
  exitCode: 0,
  signal: null,
  output: '',
  totalBytes: 0,
  omittedBytes: 0,
  cwd: '/w',
  durationMs: 5,
  timeoutMs: 120_000,
  notes: [],
}
const bash = (value: Partial<BashResult>, input = {}): string => textOf(renderBash({ ...quiet, ...value }, { command: 'x', ...input }))
const job = (value: Partial<JobValue>): string =>
  textOf(
    renderJob({
      job: 'j1',
      state: 'running',
      exitCode: null,
      signal: null,
      output: '',
      from: 0,
      next: 0,
      omittedBytes: 0,
      lossy: false,
      elapsed: false,
      ...value,
    }),
  )
const textOf = (content: ReturnType<typeof renderJob>): string => content.map((block) => (block.type === 'text' ? block.text : '')).join('')

describe('S-52: bash', () => {
  test('results', () => {
    const spill = { id: 'x', path: '.toolseam/output/x.log', bytes: 1_802_344, complete: true }
    expect({
      quiet: bash({ output: 'a\n' }),
      nothing: bash({}),
      code: bash({ output: 'a', exitCode: 2 }),
      signal: bash({ exitCode: null, signal: 'SIGKILL', output: 'before' }),
      timeout: bash({ state: 'timed-out', exitCode: null, signal: 'SIGTERM', timeoutMs: 1_000, output: 'x\n' }),
      trapped: bash({ state: 'timed-out', exitCode: 3, timeoutMs: 90_500 }),
      aborted: bash({ state: 'aborted', exitCode: null, signal: 'SIGTERM' }),
      killed: bash({ state: 'killed', exitCode: null, signal: 'SIGKILL' }),
      lost: bash({ state: 'lost', exitCode: null }),
      stages: bash({ output: '0\n', stages: [3, 0] }),
      quietStages: bash({ output: '0\n', stages: [0, 0] }),
      omitted: bash({ output: 'headtail', omittedAt: 4, omittedBytes: 1_802_344, spill }),
      capped: bash({ output: 'head\ntail\n', omittedAt: 5, omittedBytes: 1, spill: { ...spill, complete: false } }),
      noSpill: bash({ output: 'headtail', omittedAt: 4, omittedBytes: 12 }),
      survivors: bash({
        output: 'x\n',
        job: 'j3',
        survivors: [
          { pid: 812, argv: 'sleep 60' },
          { pid: 813, argv: '' },
        ],
      }),
      detached: bash({ state: 'running', exitCode: null, job: 'j3', output: 'x' }),
      cwd: bash({ cwd: 'src' }, { persistCwd: true }),
      split: bash({ output: 'out', stderr: 'err', exitCode: 1 }),
      onlyStderr: bash({ stderr: 'err\n' }),
      splitOmitted: bash({ output: 'ab', stderr: 'cd', omittedBytes: 15, omittedAt: 1, stderrOmittedBytes: 5, stderrOmittedAt: 1 }),
      notes: bash({ notes: ['one', 'two'] }),
      started: textOf(renderBash({ state: 'running', job: 'j2', pid: 9, output: 'up\n' }, { command: 'x' })),
      startedAndEnded: textOf(renderBash({ state: 'exited', job: 'j2', pid: 9, output: '', exitCode: 4, signal: null }, { command: 'x' })),
    }).toMatchSnapshot()
  })

  test('jobs', () => {
    expect({
      nothing: job({}),
      nothingEnded: job({ state: 'exited', exitCode: 0 }),
      output: job({ output: 'x\n', next: 2 }),
      ended: job({ state: 'exited', exitCode: 2, output: 'x\n', ended: true }),
      elapsed: job({ elapsed: true }),
      written: job({ output: 'x', written: 3 }),
      already: job({ state: 'killed', already: true }),
      lossy: job({ output: 'ab', omittedAt: 1, omittedBytes: 1_000, lossy: true }),
      survivors: job({ state: 'exited', exitCode: 0, survivors: [{ pid: 5, argv: 'sleep 60' }] }),
      stuck: job({ state: 'killed', stuck: [5, 6] }),
      stderr: job({ output: 'a', stderr: 'b\n' }),
    }).toMatchSnapshot()
  })

  test('notes', () => {
    expect([
      renderNote({ kind: 'timeout-clamped', askedMs: 900_000, timeoutMs: 600_000 }),
      renderNote({ kind: 'cwd-gone', cwd: '/w/a' }),
      renderNote({ kind: 'cwd-unknown' }),
      renderNote({ kind: 'cwd-refused', cwd: '/etc' }),
      renderNote({ kind: 'env-withheld', names: ['A_KEY', 'B_TOKEN'] }),
      renderNote({ kind: 'spill-failed', code: 'ENOSPC' }),
      renderNote({ kind: 'invalid-bytes', count: 1 }),
      renderNote({ kind: 'invalid-bytes', count: 2 }),
      renderNote({ kind: 'stuck', pids: [7, 8] }),
      renderNote({ kind: 'idle', idleTimeoutMs: 400 }),
    ]).toMatchSnapshot()
  })

  test('S-53: every code has its sentence', () => {
    const details = {
      job: 'j9',
      jobs: [{ job: 'j1', command: 'sleep 60' }],
      limit: 16,
      bytes: 2,
      cwd: '/x',
      roots: ['/w'],
      file: 'bash',
      errno: 'ENOENT',
      mode: 'read-only',
      network: 'none',
      reason: 'no-runner',
      package: 'p',
      platform: 'win32',
      pids: [4],
    }
    expect(Object.fromEntries(SHELL_ERROR_CODES.map((code) => [code, renderError(code, details)]))).toMatchSnapshot()
    const reasons = ['nul', 'background-only', 'slow-pattern', 'pattern', 'nothing-to-send', 'terminal-only', 'positive']
    expect(
      reasons.map((reason) => renderError('SHELL_BAD_REQUEST', { reason, pattern: 'a+', key: 'up', field: 'timeoutMs' })),
    ).toMatchSnapshot()
  })

  test('S-25: the word "succeeded" is nowhere', () => {
    expect(bash({ output: 'boom\n', stages: [3, 0] })).not.toMatch(/succe/i)
  })
})
