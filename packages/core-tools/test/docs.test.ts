import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createToolRuntime, ErrorCode } from '@toolseam/core-tools'

const docs = (name: string): string => readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8')
const codes = (text: string): Set<string> => new Set([...text.matchAll(/`([A-Z][A-Z_]+_[A-Z_]+)`/g)].map(([, code]) => code as string))

test('docs/errors.md names every code of core-tools', () => {
  const told = codes(docs('errors.md'))
  expect(Object.values(ErrorCode).filter((code) => !told.has(code))).toEqual([])
})

test('docs/hooks.md lists every hook, in order of execution, with its Tapable class', async () => {
  const runtime = await createToolRuntime()
  const rows = [...docs('hooks.md').matchAll(/^\| `(tools\/[a-z-]+)` \| `(\w+)` \| `(\w+)`/gm)].map(([, name, property, kind]) => ({
    name,
    property,
    kind,
  }))
  expect(rows.map(({ property }) => property).sort()).toEqual(Object.keys(runtime.hooks).sort())
  for (const { name, property, kind } of rows) {
    const { layer } = runtime.hooks[property as keyof typeof runtime.hooks] as unknown as { layer: { name: string; hook: object } }
    expect(layer.name).toBe(name)
    expect(layer.hook.constructor.name).toBe(kind)
  }
})

test('docs/lifecycle.md shows every code that a call can settle with', () => {
  const text = docs('lifecycle.md')
  const ofACall = Object.values(ErrorCode).filter((code) => /^(UNKNOWN_TOOL|INVALID_TOOL_|TOOL_|SURFACE_DENIED)/.test(code))
  expect(ofACall.filter((code) => !text.includes(code))).toEqual([])
  for (const tail of [
    'APPROVAL_REJECTED',
    '_EXPIRED',
    '_CANCELLED',
    '_UNAVAILABLE',
    'HOOK_FAILED',
    'HOOK_TIMEOUT',
    'HOOK_INVALID_DECISION',
  ])
    expect(text).toContain(tail)
})
