/**
 * The acceptance cases of this package, through the tools and the real runtime: setup, calls in order, expectations, checks by bash.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToolRuntime, type ToolResult, type ToolRuntime } from '@toolseam/core-tools'
import { afterEach, describe, expect, test } from 'vitest'
import { fs } from '../src/plugin.ts'

interface Case {
  id: string
  title: string
  setup: string[]
  calls: { tool: string; args: { [name: string]: unknown } }[]
  checks?: { cmd: string; equals: string }[]
  teardown?: string[]
}

const cases = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures/fs-cases.json'), 'utf8')) as Case[]

function bash(cwd: string, command: string): string {
  return execFileSync('bash', ['-e', '-c', command], { cwd, encoding: 'utf8' }).replace(/\n$/, '')
}

function expanded(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\{\{(\d+) x (.)\}\}/g, (_, count: string, character: string) => character.repeat(Number(count)))
  if (Array.isArray(value)) return value.map(expanded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expanded(each)]))
}

const code = (result: ToolResult | undefined): string => (result === undefined ? 'none' : result.isError ? result.error.code : 'ok')
const text = (result: ToolResult | undefined): string =>
  (result?.content ?? []).map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n')
const value = (result: ToolResult | undefined): { [name: string]: unknown } =>
  result === undefined || result.isError ? {} : (result.value as { [name: string]: unknown })
const hitPaths = (result: ToolResult | undefined): string[] =>
  [...new Set((value(result)['hits'] as { path: string }[]).map(({ path }) => path))].sort()

/** The bounds of the cases, on a machine that has other things to do. */
const SLACK = 4

const EXPECT: { [id: string]: (results: ToolResult[], took: number[]) => void } = {
  'FS-01': (results) => {
    expect(results.map(code)).toEqual(['ok', 'ok', 'ok'])
    expect(value(results[2])['replaced']).toBe(2)
  },
  'FS-03': (results) => {
    expect(text(results[0])).not.toContain('\uFEFF')
    expect(results.map(code)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'FS_ENCODING', 'FS_BINARY'])
  },
  'FS-05': (results) => expect(results.map(code)).toEqual(results.map(() => 'ok')),
  'FS-07': (results) => {
    for (const [index, result] of results.entries()) {
      if (result.isError) expect([index, code(result)]).toEqual([index, 'FS_OUTSIDE_ROOT'])
      else expect([index, value(result)['total']]).toEqual([index, 0])
    }
  },
  'FS-09': (results) =>
    expect(results.map(code)).toEqual([
      'ok',
      'ok',
      'ok',
      'FS_STALE_VERSION',
      'FS_STALE_VERSION',
      'ok',
      'ok',
      'FS_NOT_OBSERVED',
      'FS_NOT_OBSERVED',
    ]),
  'FS-11': (results) => {
    expect(results.map(code)).toEqual([
      'ok',
      'FS_AMBIGUOUS_MATCH',
      'FS_EMPTY_MATCH',
      'FS_NO_CHANGE',
      'FS_NO_MATCH',
      'ok',
      'FS_NO_MATCH',
      'ok',
      'ok',
    ])
    expect(text(results[1])).toContain('2 places')
    expect(text(results[1])).toContain('2, 6')
    expect(text(results[4])).toMatch(/[Nn]earest is line \d+/)
    expect(value(results[8])['replaced']).toBe(2)
  },
  'FS-13': (results, took) => {
    expect(results.map(code)).toEqual([
      'FS_NOT_REGULAR',
      'FS_NOT_REGULAR',
      'FS_NOT_REGULAR',
      'FS_NOT_REGULAR',
      'ok',
      'FS_NOT_REGULAR',
      'FS_IS_DIRECTORY',
    ])
    for (const index of [0, 1, 2, 3, 5]) expect(text(results[index])).toContain('fifo')
    for (const index of [0, 1, 2, 3, 5]) expect(took[index]).toBeLessThan(500 * SLACK)
    expect(hitPaths(results[4])).toEqual(['d/a.txt'])
    expect(took[4]).toBeLessThan(2000 * SLACK)
  },
  'FS-15': (results) => {
    expect(hitPaths(results[0])).toEqual(['.github/w.yml', 'src/a.ts', 'src/l1.txt'])
    expect(text(results[0])).toContain('caf\uFFFD')
    expect(hitPaths(results[1])).toEqual(['.github/w.yml'])
    expect(hitPaths(results[2])).toEqual(['dist/a.txt'])
    expect(hitPaths(results[3])).toEqual(['dist/a.txt'])
    expect(hitPaths(results[4])).toEqual(['.github/w.yml', 'dist/a.txt', 'src/a.ts', 'src/l1.txt', 'sub/b.ts'])
    expect(code(results[5])).toBe('FS_INVALID_PATTERN')
    expect(value(results[6])['paths']).toEqual(['src/a.ts'])
    expect(code(results[7])).toBe('ok')
    expect(text(results[7])).toMatch(/ignored/)
  },
  'FS-17': (results) => {
    expect(value(results[0])['kind']).toBe('text')
    expect(results.slice(1).map(code)).toEqual([
      'FS_UNSUPPORTED_MEDIA',
      'FS_UNSUPPORTED_MEDIA',
      'FS_UNSUPPORTED_MEDIA',
      'FS_UNSUPPORTED_MEDIA',
    ])
    expect(text(results[3])).toContain('9728 x 9728')
    expect(text(results[4])).toContain('30,000,000')
  },
  'FS-19': (results) => expect(results.map(code)).toEqual(['ok', 'FS_DISK_FULL', 'FS_DISK_FULL']),
}

const canMount =
  spawnSync('bash', ['-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs "$d" && umount "$d" && rmdir "$d"']).status === 0

describe('acceptance cases', () => {
  let runtime: ToolRuntime | undefined
  let root: string | undefined
  let teardown: string[] = []
  afterEach(async () => {
    await runtime?.dispose()
    for (const command of teardown) bash(root ?? '/', command)
    if (root !== undefined) rmSync(root, { recursive: true, force: true })
    teardown = []
  })

  for (const each of cases) {
    const needsMount = each.setup.some((command) => command.includes('mount '))
    test.skipIf(needsMount && !canMount)(
      `${each.id}: ${each.title}${needsMount && !canMount ? ' (skipped: mounting is not permitted here)' : ''}`,
      async () => {
        root = mkdtempSync(join(tmpdir(), 'toolseam-case-'))
        bash(root, each.setup.join('\n'))
        teardown = each.teardown ?? []
        runtime = await createToolRuntime({ plugins: [fs({ root })] })
        const results: ToolResult[] = []
        const took: number[] = []
        for (const [index, { tool, args }] of each.calls.entries()) {
          if (tool === 'external') {
            bash(root, String(args['command']))
            continue
          }
          const start = performance.now()
          results.push(await runtime.execute({ callId: `${each.id}-${index}`, name: tool, arguments: expanded(args) }))
          took.push(performance.now() - start)
        }
        EXPECT[each.id]?.(results, took)
        for (const { cmd, equals } of each.checks ?? []) expect(bash(root, cmd), cmd).toBe(equals)
      },
    )
  }

  test('every case has expectations here', () => {
    expect(cases.map(({ id }) => id).filter((id) => EXPECT[id] === undefined)).toEqual([])
  })
})
